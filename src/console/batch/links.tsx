/** Links to a batch's files for people without an account: made here, shown once, ended when they are no longer needed. */
import { useState } from 'preact/hooks';
import type { BatchDetail } from '../../client/client.ts';
import type { MadeLink } from '../../client/links.ts';
import { counted, time } from '../format.ts';
import { asked } from '../parts/asked.ts';
import { Notice, Time } from '../parts/common.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Copyable, textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
import { client, may } from '../state.ts';

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
  const links = useList<MadeLink>(`links ${batch.id}`, (cursor, signal) =>
    client.links.page(batch.id, { active: true, limit: 50, cursor }, signal),
  );
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  if (!may('results:read', 'reveal') || batch.status === 'awaiting_start') return null;
  const lasting = links.items.filter(({ created_at, expires_at }) => Date.parse(expires_at) - Date.parse(created_at) > DOWNLOAD_MS);
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
      <Listed of={{ ...links, items: lasting }} empty={<p class="body soft">No active links.</p>}>
        {(shown) => (
          <Table
            caption="Links that work, newest first"
            name="Links that work"
            rows={shown}
            keyOf={(link) => link.id}
            columns={[
              { name: 'Made', cell: (link) => <Time at={link.created_at} /> },
              { name: 'Works until', cell: (link) => <Time at={link.expires_at} /> },
              {
                name: 'Actions',
                isNameUnseen: true,
                cell: (link) => (
                  <div class="row-actions">
                    <button type="button" class="plain" onClick={() => setQuestion({ what: 'end', link })}>
                      End<span class="unseen"> (made {time(link.created_at)})</span>
                    </button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Listed>
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
            <p>It is shown only once. Send it only to those who may see the data.</p>
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
          <p>The link stops working. Files already downloaded are not affected.</p>
        </Confirm>
      )}
    </section>
  );
}

function Make({ batch, onClose, onMade }: { batch: BatchDetail; onClose: () => void; onMade: (url: string, until: string) => void }) {
  const send = async (entered: FormData, idempotencyKey: string) => {
    const file = textIn(entered, 'file');
    const body = file === 'errors' ? { kind: 'errors' as const } : { kind: 'results' as const, format: file as 'csv' | 'xlsx' };
    const link = { ...body, expires_in_seconds: Number(entered.get('seconds')) };
    const made = asked(await client.batches.link(batch.id, link, { idempotencyKey, purpose: purposeIn(entered) }));
    if (made) onMade(made.page_url, made.expires_at);
    else onClose();
  };
  return (
    <FormDialog title="Make a link" verb="Make the link" onClose={onClose} onSubmit={send}>
      <label class="field">
        <span>File</span>
        <select name="file">
          <option value="csv">Results as CSV</option>
          <option value="xlsx">Results as Excel</option>
          {batch.counts.invalid > 0 && <option value="errors">The {counted(batch.counts.invalid, 'row')} to correct</option>}
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
      <WhatFor />
    </FormDialog>
  );
}
