/** What was asked about people: their data as a file, and their erasure with its signed receipt. */
import { useState } from 'preact/hooks';
import type { Erasure, SubjectExport } from '../../client/subjects.ts';
import { counted, type Worded } from '../format.ts';
import { Empty, State } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { Loaded, useEvery, useResource } from '../parts/resource.tsx';
import { save } from '../parts/save.ts';
import { Submitted } from '../parts/submitter.tsx';
import { Table } from '../parts/table.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { SaveFor } from '../parts/what-for.tsx';
import { client } from '../state.ts';
import { AskForData, AskToErase } from './ask-dialogs.tsx';
import { Places } from './places.tsx';

type Request = Erasure | SubjectExport;

const RUNNING_MS = 2_000;

const stateOf = ({ object, status }: Request): Worded => {
  if (status === 'running') return { word: object === 'erasure' ? 'Being erased' : 'Looking', tone: 'info' };
  if (status === 'waiting') return { word: 'Waiting for work to end', tone: 'warn' };
  if (status === 'expired') return { word: 'Expired', tone: 'plain' };
  return object === 'erasure' ? { word: 'Erased', tone: 'good' } : { word: 'Ready', tone: 'good' };
};

const COUNTED: Readonly<Record<string, readonly [one: string, many?: string]>> = {
  jobs: ['job'],
  calls: ['call'],
  rows: ['row'],
  invalid_rows: ['row to correct', 'rows to correct'],
  cached_answers: ['cached answer'],
  pending_answers: ['pending answer'],
  kept_answers: ['kept answer'],
  monitors: ['monitor'],
  clearances: ['clearance'],
  portraits: ['portrait'],
  exports: ['file of their data', 'files of their data'],
};

function countsOf({ counts, status }: Request): string {
  const found = Object.entries(counts).map(([what, number]) => counted(number, ...(COUNTED[what] ?? [what])));
  return found.length > 0 ? found.join(', ') : status === 'done' ? 'nothing' : '–';
}

export function PeopleRequests() {
  const requests = useResource('requests about people', async (signal) => {
    const [exports, erasures] = await Promise.all([client.subjects.exports({}, signal), client.subjects.erasures({}, signal)]);
    return [...exports.data, ...erasures.data].toSorted((one, other) => other.asked_at.localeCompare(one.asked_at));
  });
  const [asks, setAsks] = useState<'data' | 'erasure' | null>(null);
  const [places, setPlaces] = useState<string | null>(null);
  const [file, setFile] = useState<string | null>(null);
  const [receipt, setReceipt] = useState<Erasure | null>(null);
  const isRunning = requests.data?.some(({ status }) => status === 'running' || status === 'waiting') ?? false;
  useEvery(isRunning ? RUNNING_MS : null, requests.refresh);
  const close = () => setAsks(null);
  const done = () => {
    close();
    requests.reload();
  };
  return (
    <section class="card" aria-labelledby="one-person">
      <header>
        <h2 id="one-person">One person’s data</h2>
        <div class="actions">
          <button type="button" onClick={() => setAsks('data')}>
            Find everything about a person
          </button>
          <button type="button" class="danger" onClick={() => setAsks('erasure')}>
            Erase a person
          </button>
        </div>
      </header>
      <Loaded of={requests}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No requests yet">
              <p>When a customer asks what you hold, or asks to be erased, begin here. The receipts stay.</p>
            </Empty>
          ) : (
            <RequestTable requests={data} onPlaces={setPlaces} onDownload={setFile} onReceipt={setReceipt} />
          )
        }
      </Loaded>
      {asks === 'data' && <AskForData onClose={close} onDone={done} />}
      {asks === 'erasure' && <AskToErase onClose={close} onDone={done} />}
      {places && <Places id={places} onClose={() => setPlaces(null)} />}
      {file && (
        <SaveFor
          title="Save everything about this person?"
          fileName={`${file}.json`}
          usual="subject_request"
          read={(stated) => client.subjects.file(file, stated)}
          onClose={() => setFile(null)}
        />
      )}
      {receipt && <Receipt erasure={receipt} onClose={() => setReceipt(null)} />}
    </section>
  );
}

interface RequestTableProps {
  requests: readonly Request[];
  onPlaces: (id: string) => void;
  onDownload: (id: string) => void;
  onReceipt: (erasure: Erasure) => void;
}

const RequestTable = ({ requests, onPlaces, onDownload, onReceipt }: RequestTableProps) => (
  <Table
    caption="Requests about people, newest first"
    name="Requests about people"
    rows={requests}
    keyOf={({ id }) => id}
    columns={[
      { name: 'What', isHead: true, cell: ({ object }) => (object === 'erasure' ? 'Erasure' : 'Export') },
      {
        name: 'Asked',
        cell: ({ asked_at, created_by }) => <Submitted at={asked_at} by={created_by} />,
      },
      { name: 'State', cell: (one) => <State {...stateOf(one)} /> },
      { name: 'Found', style: 'text', cell: countsOf },
      {
        name: 'Actions',
        isNameUnseen: true,
        cell: (one) => (
          <div class="row-actions">
            {one.object === 'subject_export' && one.status === 'done' && (
              <>
                {Object.keys(one.counts).length > 0 && (
                  <button type="button" class="plain" onClick={() => onPlaces(one.id)}>
                    Show places
                  </button>
                )}
                <button type="button" class="plain" onClick={() => onDownload(one.id)}>
                  Download
                </button>
              </>
            )}
            {one.object === 'erasure' && one.receipt !== null && (
              <button type="button" class="plain" onClick={() => onReceipt(one)}>
                Receipt
              </button>
            )}
          </div>
        ),
      },
    ]}
  />
);

function Receipt({ erasure: { id, receipt, signature }, onClose }: { erasure: Erasure; onClose: () => void }) {
  const signed = { receipt: receipt!, signature: signature! };
  const check = () =>
    attempt(async () => {
      const { valid } = await client.subjects.checkReceipt(signed);
      say(valid ? 'The signature is genuine: this deployment signed this receipt.' : 'This deployment has not signed it.', {
        isBad: !valid,
      });
    }, null);
  return (
    <Dialog title="Receipt of the erasure" onClose={onClose}>
      <p>It names nobody. The signature proves that this deployment wrote it.</p>
      <JsonView name="the receipt" value={JSON.parse(signed.receipt)} />
      <div class="actions">
        <button
          type="button"
          class="main"
          onClick={() => save(new Blob([JSON.stringify(signed, null, 2)], { type: 'application/json' }), `${id}-receipt.json`)}
        >
          Save with its signature
        </button>
        <button type="button" onClick={() => void check()}>
          Check the signature
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
