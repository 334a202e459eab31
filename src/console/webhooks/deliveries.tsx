/** The deliveries of an endpoint, newest first: each with its message, and every attempt with the receiver's answer. */
import { useState } from 'preact/hooks';
import type { Delivery, Endpoint } from '../../client/webhooks.ts';
import { count, shortId } from '../format.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Loaded, useEvery, useResource } from '../parts/resource.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client } from '../state.ts';
import { deliveryStates, errorWords } from './words.ts';

const PAGE = 25;
/** While something is on its way. */
const EVERY_MS = 2_000;

export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const status = query.value.get('status') ?? '';
  const list = useList(`deliveries ${endpoint.id} ${status}`, (cursor, signal) =>
    client.webhooks.deliveries(endpoint.id, { status, cursor, limit: PAGE }, signal),
  );
  const [open, setOpen] = useState<string | null>(null);
  const isMoving = list.items.some((delivery) => delivery.status === 'sending' || delivery.status === 'pending');
  useEvery(isMoving ? EVERY_MS : null, list.reload);
  return (
    <section class="card" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        <div class="actions">
          <label class="beside-label">
            State
            <select value={status} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
              <option value="">All</option>
              {Object.entries(deliveryStates).map(([id, { word }]) => (
                <option key={id} value={id}>
                  {word}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={list.reload}>
            Read again
          </button>
        </div>
      </header>
      <Listed
        of={list}
        empty={
          <Empty title={status ? 'No delivery in this state' : 'Nothing was sent yet'}>
            {!status && <p class="soft">Send a test, or run a job or a batch.</p>}
          </Empty>
        }
      >
        {(deliveries) => (
          <Scroll name="Deliveries, newest first">
            <DeliveryTable
              deliveries={deliveries}
              open={open}
              onOpen={(id) => setOpen(id === open ? null : id)}
              onSent={list.reload}
              mayResend={!endpoint.disabled}
            />
          </Scroll>
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
  <table>
    <caption class="unseen">Deliveries, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Event</th>
        <th scope="col">State</th>
        <th scope="col" class="num">
          Attempts
        </th>
        <th scope="col">Last answer</th>
        <th scope="col">Made</th>
        <th scope="col">Next attempt</th>
      </tr>
    </thead>
    <tbody>
      {deliveries.flatMap((delivery) => {
        const last = delivery.attempts.at(-1);
        const isOpen = delivery.id === open;
        return [
          <tr key={delivery.id}>
            <th scope="row" class="row-name">
              <button type="button" class="disclose" aria-expanded={isOpen} onClick={() => onOpen(delivery.id)}>
                <code>{delivery.event.type}</code> <span class="soft small">{shortId(delivery.event.id)}</span>
              </button>
            </th>
            <td>
              <State {...deliveryStates[delivery.status]} />
            </td>
            <td class="num">{delivery.attempts.length}</td>
            <td>{last ? (last.status ?? last.error ?? '–') : '–'}</td>
            <td>
              <Time at={delivery.created_at} />
            </td>
            <td>{delivery.next_attempt_at ? <Time at={delivery.next_attempt_at} /> : '–'}</td>
          </tr>,
          isOpen && (
            <tr key={`${delivery.id} open`} class="opened">
              <td colSpan={6}>
                <Opened delivery={delivery} onSent={onSent} mayResend={mayResend} />
              </td>
            </tr>
          ),
        ];
      })}
    </tbody>
  </table>
);

function Opened({ delivery, onSent, mayResend }: { delivery: Delivery; onSent: () => void; mayResend: boolean }) {
  const whole = useResource(`delivery ${delivery.id}`, (signal) => client.webhooks.delivery(delivery.id, signal));
  const again = () => attempt(() => client.webhooks.redeliver(delivery.id).then(onSent), 'It is sent once more.');
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
                  <strong>{status ?? 'No answer'}</strong> after {count(latency_ms)} ms, <Time at={at} />
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
          <button type="button" onClick={() => void again()}>
            Send this again
          </button>
        </div>
      )}
    </div>
  );
}
