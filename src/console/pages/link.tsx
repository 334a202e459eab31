/** The page of a signed link, for somebody without an account: what the file is, how long the link works, and the download. */
import { useEffect, useState } from 'preact/hooks';
import { isBatchOver } from '../../client/batches.ts';
import { Refused } from '../../client/errors.ts';
import type { LinkSummary } from '../../client/links.ts';
import { isAbort } from '../../client/transport.ts';
import { batchStates, checkName, count } from '../format.ts';
import { Notice, State, Time, Waiting } from '../parts/common.tsx';
import { sentToken } from '../sign-in/sent-token.ts';
import { client } from '../state.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  found: 'Found',
  flagged: 'Flagged',
  not_found: 'Not found',
  failed: 'Failed',
  invalid: 'Invalid',
  canceled: 'Canceled',
  duplicate: 'Duplicates',
  pending: 'Open',
};

const FORMATS: Readonly<Record<string, string>> = { csv: 'CSV', jsonl: 'JSON Lines', xlsx: 'Excel' };

export default function LinkPage() {
  const token = sentToken();
  const [summary, setSummary] = useState<LinkSummary | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    document.title = 'Results · Confam';
    const stop = new AbortController();
    // A link that lost what follows its # is refused before anything is sent.
    const read = async () => client.links.summary(token, stop.signal);
    read().then(
      (answer) => {
        setSummary(answer);
        setError(null);
      },
      (failure: unknown) => isAbort(failure) || setError(failure),
    );
    return () => stop.abort();
  }, [turn]);

  // Asked once more: if the link has ended in the meantime, the page says so instead of saving the refusal as a file.
  const save = () =>
    client.links.summary(token).then(() => {
      const anchor = document.createElement('a');
      anchor.href = client.links.fileUrl(token);
      anchor.download = '';
      anchor.click();
    }, setError);
  return (
    <div class="gate">
      <main class="wide">
        <p class="brand">Confam</p>
        {error !== null ? (
          <Ended error={error} onRetry={() => setTurn(turn + 1)} />
        ) : summary ? (
          <Summary of={summary} onSave={() => void save()} />
        ) : (
          <Waiting />
        )}
      </main>
    </div>
  );
}

function Ended({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const code = error instanceof Refused ? error.code : null;
  if (code === 'link_expired')
    return (
      <>
        <h1>This link no longer works</h1>
        <Notice tone="warn" title="It has expired, or whoever made it has ended it.">
          <p>Ask them for a new one. Nothing is wrong with your browser.</p>
        </Notice>
      </>
    );
  if (code === 'link_invalid' || code === 'resource_not_found')
    return (
      <>
        <h1>This link is not valid</h1>
        <Notice tone="bad" title="Part of the address is missing or changed, or its file is gone.">
          <p>Copy the whole link from where you got it, with everything after the #, or ask for a new one.</p>
        </Notice>
      </>
    );
  if (code === 'app_suspended')
    return (
      <>
        <h1>Not available now</h1>
        <Notice tone="warn" title="The account that the file belongs to is suspended.">
          <p>Ask whoever sent you the link. It works again when the suspension is lifted, if it has not expired.</p>
        </Notice>
      </>
    );
  return (
    <>
      <h1>Confam cannot be reached</h1>
      <Notice tone="bad" title={error instanceof Refused ? `${error.message}.` : 'No answer came.'}>
        <p>Check your connection, then try again. The link still works.</p>
      </Notice>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </>
  );
}

function Summary({ of: { app, batch, kind, format, outcome, live, expires_at }, onSave }: { of: LinkSummary; onSave: () => void }) {
  const { counts } = batch;
  const isOver = isBatchOver(batch);
  const what = kind === 'errors' ? 'Rows to correct' : 'Results';
  return (
    <>
      <div class="stack tight">
        <h1>
          {what}
          {batch.reference && (
            <>
              : <bdi>{batch.reference}</bdi>
            </>
          )}
        </h1>
        <p class="soft">
          From <bdi>{app.name}</bdi>
          {live ? '' : ' · a test with invented people'}
        </p>
      </div>
      {!isOver && (
        <Notice tone="info" title="This batch is not finished.">
          <p>The file has the results so far. Download it again later for the rest.</p>
        </Notice>
      )}
      <dl class="facts">
        <div>
          <dt>Rows</dt>
          <dd>{count(counts.rows)}</dd>
        </div>
        <div>
          <dt>Found</dt>
          <dd>{count(counts.found)}</dd>
        </div>
        <div>
          <dt>Not found</dt>
          <dd>{count(counts.not_found)}</dd>
        </div>
        <div>
          <dt>Failed</dt>
          <dd>{count(counts.failed)}</dd>
        </div>
        <div>
          <dt>Invalid</dt>
          <dd>{count(counts.invalid)}</dd>
        </div>
      </dl>
      <dl class="lines">
        <div>
          <dt>State</dt>
          <dd>
            <State {...batchStates[batch.status]} />
          </dd>
        </div>
        <div>
          <dt>Checks</dt>
          <dd>{batch.checks.map(checkName).join(', ')}</dd>
        </div>
        <div>
          <dt>Uploaded</dt>
          <dd>
            <Time at={batch.created_at} />
          </dd>
        </div>
        <div>
          <dt>In this file</dt>
          <dd>
            {kind === 'errors'
              ? `${counts.invalid === 1 ? 'The invalid row, as it was' : `The ${count(counts.invalid)} invalid rows, as they were`} uploaded, with what is wrong`
              : `${outcome ? outcome.map((one) => OUTCOMES[one] ?? one).join(', ') : 'All rows'}${format ? `, as ${FORMATS[format]}` : ''}`}
          </dd>
        </div>
        <div>
          <dt>The link works until</dt>
          <dd>
            <Time at={expires_at} />
          </dd>
        </div>
      </dl>
      <button type="button" class="main" onClick={onSave}>
        Download
      </button>
      <p class="soft small">
        The file may hold personal data. Keep it where only those who need it can read it. Each download is recorded.
      </p>
    </>
  );
}
