/** Links to a batch's files for people without an account: made here, shown once, ended when they are no longer needed. */
import { useState } from 'preact/hooks';
import type { BatchDetail } from '../../client/client.ts';
import type { MadeLink } from '../../client/links.ts';
import { count, time } from '../format.ts';
import { Notice, Scroll, Time } from '../parts/common.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Copyable, Problem, useSubmit } from '../parts/form.tsx';
import { useList } from '../parts/list.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';
import { asked } from './asked.ts';

/** Shorter ones are downloads of the console itself. */
const DOWNLOAD_MS = 61_000;

const HOUR = 3600;
const LASTING = [
  [HOUR, 'An hour'],
  [24 * HOUR, 'A day'],
  [3 * 24 * HOUR, 'Three days'],
  [7 * 24 * HOUR, 'A week'],
] as const;

type Question = { what: 'make' } | { what: 'made'; url: string; until: string } | { what: 'end'; link: MadeLink };

export function Links({ batch }: { batch: BatchDetail }) {
  const links = useList<MadeLink>(`links ${batch.id}`, (cursor, signal) => client.links.page(batch.id, cursor, signal));
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  if (!may('results:read', 'reveal') || batch.status === 'awaiting_start') return null;
  const working = links.items.filter(
    ({ revoked_at, created_at, expires_at }) =>
      revoked_at === null && Date.parse(expires_at) > Date.now() && Date.parse(expires_at) - Date.parse(created_at) > DOWNLOAD_MS,
  );
  return (
    <section class="card" aria-labelledby="links">
      <header>
        <h2 id="links">Links for people without an account</h2>
        <div class="actions">
          <button type="button" onClick={() => setQuestion({ what: 'make' })}>
            Make a link
          </button>
        </div>
      </header>
      {working.length === 0 ? (
        <p class="body soft">No link works now.</p>
      ) : (
        <Scroll name="Links that work">
          <table>
            <caption class="unseen">Links that work, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Made</th>
                <th scope="col">Works until</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {working.map((link) => (
                <tr key={link.id}>
                  <td>
                    <Time at={link.created_at} />
                  </td>
                  <td>
                    <Time at={link.expires_at} />
                  </td>
                  <td>
                    <div class="row-actions">
                      <button type="button" class="plain" onClick={() => setQuestion({ what: 'end', link })}>
                        End<span class="unseen"> (made {time(link.created_at)})</span>
                      </button>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {question?.what === 'make' && (
        <Make
          batch={batch}
          onClose={close}
          onMade={(url, until) => {
            setQuestion({ what: 'made', url, until });
            links.reload();
          }}
        />
      )}
      {question?.what === 'made' && (
        <Dialog title="The link is ready" onClose={null}>
          <Copyable label="Link" value={question.url} />
          <p>
            It works until <Time at={question.until} />.
          </p>
          <Notice tone="warn" title="Whoever has it can download the file, without signing in.">
            <p>It is shown only now. Send it only to those who may see the data.</p>
          </Notice>
          <div class="actions">
            <button type="button" class="main" onClick={close}>
              Done
            </button>
          </div>
        </Dialog>
      )}
      {question?.what === 'end' && (
        <Confirm
          title="End this link?"
          verb="End the link"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.links.revoke(question.link.id), 'The link no longer works.').then(links.reload);
          }}
        >
          <p>Whoever has it can no longer open it. What was downloaded stays where it is.</p>
        </Confirm>
      )}
    </section>
  );
}

function Make({ batch, onClose, onMade }: { batch: BatchDetail; onClose: () => void; onMade: (url: string, until: string) => void }) {
  const { problem, isBusy, submit } = useSubmit();
  const send = (entered: FormData) => {
    const file = String(entered.get('file'));
    const seconds = Number(entered.get('seconds'));
    void submit(async () => {
      const body = file === 'errors' ? { kind: 'errors' as const } : { kind: 'results' as const, format: file as 'csv' | 'xlsx' };
      const made = asked(await client.batches.link(batch.id, { ...body, expires_in_seconds: seconds }));
      if (made) onMade(made.page_url, made.expires_at);
      else onClose();
    });
  };
  return (
    <Dialog title="Make a link" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          send(new FormData(event.currentTarget));
        }}
      >
        <label class="field">
          <span>File</span>
          <select name="file">
            <option value="csv">Results as CSV</option>
            <option value="xlsx">Results as Excel</option>
            {batch.counts.invalid > 0 && <option value="errors">The {count(batch.counts.invalid)} rows to correct</option>}
          </select>
        </label>
        <label class="field">
          <span>It works for</span>
          <select name="seconds">
            {LASTING.map(([seconds, word]) => (
              <option key={seconds} value={seconds} selected={seconds === 24 * HOUR}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Make the link
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
