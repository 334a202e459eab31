/** The end of an app: its data as a file, its deletion, and the certificate of that. */
import { useState } from 'preact/hooks';
import { type App, type AppDeletion, waitsForApproval } from '../../client/operator.ts';
import { counted, naira } from '../format.ts';
import { State, Time } from '../parts/common.tsx';
import { textIn, Wrong } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useEvery, useResource } from '../parts/resource.tsx';
import { save } from '../parts/save.ts';
import { say } from '../parts/toasts.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
import { client } from '../state.ts';

export function Ending({ app, onDeleted }: { app: App; onDeleted: () => void }) {
  const [asked, setAsked] = useState<'export' | 'deletion' | null>(null);
  const isSuspended = app.suspended_at !== null;
  return (
    <section class="card" aria-labelledby="ending">
      <header>
        <h2 id="ending">{app.deleted_at === null ? 'When the app leaves' : 'Deletion'}</h2>
        {app.deleted_at === null && isSuspended && (
          <div class="actions">
            <button type="button" onClick={() => setAsked('export')}>
              Download everything
            </button>
            <button type="button" class="danger" onClick={() => setAsked('deletion')}>
              Delete the app
            </button>
          </div>
        )}
      </header>
      <div class="body stack">
        {app.deleted_at !== null ? (
          <Progress app={app} />
        ) : isSuspended ? (
          <p class="soft">Hand out its data first: afterwards nobody can read it. The file has names, numbers and pictures in clear.</p>
        ) : (
          <p class="soft">Suspend the app to download everything it holds, and to delete it.</p>
        )}
      </div>
      {asked === 'export' && <AskWhatFor id={app.id} onClose={() => setAsked(null)} />}
      {asked === 'deletion' && (
        <AskToDelete
          app={app}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            onDeleted();
          }}
        />
      )}
    </section>
  );
}

/** The browser saves the file as it arrives: it may be larger than the memory. */
function AskWhatFor({ id, onClose }: { id: string; onClose: () => void }) {
  const take = async (entered: FormData) => {
    const anchor = document.createElement('a');
    anchor.href = client.operator.exportUrl(id, { purpose: purposeIn(entered) });
    anchor.download = `${id}.jsonl`;
    anchor.click();
    say('The file is being saved.');
    onClose();
  };
  return (
    <FormDialog title="Download everything?" verb="Save the file" onClose={onClose} onSubmit={take}>
      <p>The app’s audit records that you have saved it, and why.</p>
      <WhatFor />
    </FormDialog>
  );
}

/** Live money, with what is held for work that has not ended. */
const liveMoney = ({ wallets }: App): number =>
  wallets.filter(({ mode }) => mode === 'live').reduce((sum, { available, held }) => sum + available + held, 0);

function AskToDelete({ app, onClose, onDone }: { app: App; onClose: () => void; onDone: () => void }) {
  const money = liveMoney(app);
  const send = async (entered: FormData, idempotencyKey: string) => {
    if (textIn(entered, 'name') !== app.name) throw new Wrong(`Nothing was deleted: the name is not “${app.name}”.`);
    const balance = textIn(entered, 'balance');
    const terms = {
      ...(balance && { balance: balance as 'refunded' | 'written_off' }),
      cancel_work: entered.get('cancel') !== null,
    };
    const answer = await client.operator.deleteApp(app.id, terms, { idempotencyKey });
    say(
      waitsForApproval(answer)
        ? 'Nothing is deleted yet: it waits for a second administrator.'
        : 'Nobody can read its data any more; it is being deleted.',
    );
    onDone();
  };
  return (
    <FormDialog title={`Delete ${app.name}?`} verb="Delete for good" isDanger onClose={onClose} onSubmit={send}>
      <p>
        Its data keys are destroyed at once: nobody can read its data again, except from backups made before. Its keys and links stop
        working, and its people lose access. This cannot be undone.
      </p>
      {money > 0 && (
        <label class="field">
          <span>The live wallet has {naira(money)}. What became of it?</span>
          <select name="balance" required>
            <option value="">Choose</option>
            <option value="refunded">It was paid back</option>
            <option value="written_off">It is written off</option>
          </select>
        </label>
      )}
      <label class="check">
        <input type="checkbox" name="cancel" />
        Cancel batches and jobs that have not ended
      </label>
      <label class="field">
        <span>
          To confirm, type the name of the app: <strong>{app.name}</strong>
        </span>
        <input name="name" required autoComplete="off" spellcheck={false} />
      </label>
    </FormDialog>
  );
}

const RUNNING_MS = 2_000;

function Progress({ app: { id } }: { app: App }) {
  const deletion = useResource(`deletion ${id}`, (signal) => client.operator.appDeletion(id, signal));
  useEvery(deletion.data?.status === 'running' ? RUNNING_MS : null, deletion.refresh);
  return <Loaded of={deletion}>{(course) => <Course id={id} course={course} />}</Loaded>;
}

function Course({ id, course }: { id: string; course: AppDeletion }) {
  const { certificate, signature, finished_at, asked_at, counts } = course;
  const rows = Object.values(counts).reduce((sum, number) => sum + number, 0);
  // Signed is the exact text, so the file holds it as it is.
  const take = () =>
    save(new Blob([JSON.stringify({ receipt: certificate, signature })], { type: 'application/json' }), `${id}-certificate.json`);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>{finished_at === null ? <State word="Being deleted" tone="info" /> : <State word="Deleted" tone="good" />}</dd>
        </div>
        <div>
          <dt>Unreadable since</dt>
          <dd class="plain">
            <Time at={asked_at} />
          </dd>
        </div>
        {finished_at !== null && (
          <div>
            <dt>Rows gone</dt>
            <dd class="plain">
              <Time at={finished_at} />
            </dd>
          </div>
        )}
        <div>
          <dt>Deleted {finished_at === null && 'so far'}</dt>
          <dd class="plain">{counted(rows, 'item')}</dd>
        </div>
      </dl>
      {certificate !== null && (
        <div class="actions">
          <button type="button" class="main" onClick={take}>
            Download the certificate
          </button>
        </div>
      )}
      {certificate === null && <p class="soft">The certificate is ready once the last item is gone.</p>}
    </>
  );
}
