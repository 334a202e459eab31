/** The deliveries of an endpoint, newest first: each with its message, and every attempt with the receiver's answer. */
import { useState } from 'preact/hooks';
import type { Delivery, Endpoint } from '../../client/webhooks.ts';
import { shortId, took } from '../format.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { useOnce } from '../parts/once.ts';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { setQuery } from '../router.ts';
import { client } from '../state.ts';
import { deliveryStates, errorWords, isFailing } from './words.ts';

const STATES = [['', 'All'] as const, ...Object.entries(deliveryStates).map(([id, { word }]) => [id, word] as const)];

const PAGE = 25;
/** While a delivery is on its way. */
const EVERY_MS = 2_000;

export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const status = filterOf('status');
  const list = useList(
    `deliveries ${endpoint.id} ${status}`,
    (cursor, signal) => client.webhooks.deliveries(endpoint.id, { status, cursor, limit: PAGE }, signal),
    { everyMs: EVERY_MS, isMoving: (deliveries) => deliveries.some(({ status }) => status === 'sending' || status === 'pending') },
  );
  const [open, setOpen] = useState<string | null>(null);
  return (
    <section class="card" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        <div class="actions">
          <Filter name="status" label="State" options={STATES} isBeside />
          <button type="button" onClick={list.reload}>
            Refresh
          </button>
        </div>
      </header>
      <Listed
        of={list}
        empty={
          <Empty title={status ? 'No delivery in this state' : 'Nothing has been sent yet'}>
            {status ? (
              <button type="button" onClick={() => setQuery({ status: '' })}>
                Show all deliveries
              </button>
            ) : (
              <p>{endpoint.disabled ? 'Enable the endpoint, then send a test.' : 'Send a test, or run a job or a batch.'}</p>
            )}
          </Empty>
        }
      >
        {(deliveries) => (
          <DeliveryTable
            deliveries={deliveries}
            open={open}
            onOpen={(id) => setOpen(id === open ? null : id)}
            onSent={list.reload}
            mayResend={!endpoint.disabled}
          />
        )}
      </Listed>
    </section>
  );
}

interface TableProps {
  deliveries: readonly Delivery[];
  open: string | null;
  onOpen: (id: string) => void;
  onSent: () => void;
  mayResend: boolean;
}

const DeliveryTable = ({ deliveries, open, onOpen, onSent, mayResend }: TableProps) => (
  <Table
    caption="Deliveries, newest first"
    rows={deliveries}
    keyOf={({ id }) => id}
    opened={(delivery) => (delivery.id === open ? <Opened delivery={delivery} onSent={onSent} mayResend={mayResend} /> : null)}
    columns={[
      {
        name: 'Event',
        isHead: true,
        cell: ({ id, event }) => (
          <button type="button" class="disclose" aria-expanded={id === open} onClick={() => onOpen(id)}>
            <code>{event.type}</code> <span class="soft small">{shortId(event.id)}</span>
          </button>
        ),
      },
      {
        name: 'State',
        cell: (delivery) =>
          isFailing(delivery) ? (
            <>
              <State word="Failing" tone="warn" />
              <small class="soft below">
                next attempt at <Time at={delivery.next_attempt_at!} isExact />
              </small>
            </>
          ) : (
            <State {...deliveryStates[delivery.status]} />
          ),
      },
      { name: 'Attempts', style: 'num', cell: ({ attempts }) => attempts.length },
      { name: 'Last answer', cell: ({ attempts }) => lastAnswer(attempts.at(-1)) },
      { name: 'Made', cell: ({ created_at }) => <Time at={created_at} isExact /> },
    ]}
  />
);

function lastAnswer(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '–';
  return attempt.status === null ? 'No answer' : String(attempt.status);
}

function Opened({ delivery, onSent, mayResend }: { delivery: Delivery; onSent: () => void; mayResend: boolean }) {
  const whole = useResource(`delivery ${delivery.id}`, (signal) => client.webhooks.delivery(delivery.id, signal));
  const { isBusy, run } = useOnce();
  const again = () => attempt(() => client.webhooks.redeliver(delivery.id).then(onSent), 'It will be sent again.');
  return (
    <div class="stack">
      <div class="split">
        <div class="stack tight">
          <h3>Request</h3>
          <p class="small mono breaks">
            POST {delivery.url}
            <br />
            webhook-id: {delivery.event.id}
          </p>
          <Loaded of={whole}>{({ message }) => <JsonView name="The body that was sent" value={message} />}</Loaded>
        </div>
        <div class="stack tight">
          <h3>Attempts and answers</h3>
          {delivery.attempts.length === 0 && <p class="soft">None yet.</p>}
          <ol class="attempts">
            {delivery.attempts.map(({ attempt: number, at, status, error, latency_ms, response }) => (
              <li key={number}>
                <p>
                  <strong>{status ?? 'No answer'}</strong> after {took(latency_ms)}, <Time at={at} isExact />
                </p>
                {error && <p class="small">{errorWords(error)}</p>}
                {response && <pre class="excerpt">{response}</pre>}
              </li>
            ))}
          </ol>
        </div>
      </div>
      {mayResend && (
        <div class="actions">
          <button type="button" aria-disabled={isBusy} onClick={() => void run(again)}>
            Send this again
          </button>
        </div>
      )}
    </div>
  );
}
