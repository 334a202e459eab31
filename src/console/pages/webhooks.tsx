/** The app's webhook endpoints. */
import { useState } from 'preact/hooks';
import type { Endpoint, EndpointWithSecret } from '../../client/webhooks.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { navigate } from '../router.ts';
import { client, mode } from '../state.ts';
import { EndpointForm, Secret } from '../webhooks/endpoint-form.tsx';
import { endpointState } from '../webhooks/words.ts';

export default function WebhooksPage() {
  const list = useList('endpoints', (cursor, signal) => client.webhooks.page({ cursor }, signal));
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<EndpointWithSecret | null>(null);
  const add = (
    <button type="button" class="main" onClick={() => setCreating(true)}>
      New endpoint
    </button>
  );
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        {list.items.length > 0 && <div class="actions">{add}</div>}
      </div>
      <Listed
        of={list}
        empty={
          <Empty title={`No endpoints in ${mode.value} mode`}>
            <p>
              An endpoint is an address of yours. Confam sends it a signed message when a job or a batch has ended, so that you need not
              ask.
            </p>
            {add}
          </Empty>
        }
      >
        {(endpoints) => (
          <Scroll name="Endpoints" isCard>
            <EndpointTable endpoints={endpoints} />
          </Scroll>
        )}
      </Listed>
      {isCreating && (
        <EndpointForm
          endpoint={null}
          onClose={() => setCreating(false)}
          onSaved={(saved) => {
            setCreating(false);
            setMade(saved as EndpointWithSecret);
          }}
        />
      )}
      {made && <Secret endpoint={made} onClose={() => navigate(`webhooks/${made.id}`)} />}
    </>
  );
}

const EndpointTable = ({ endpoints }: { endpoints: readonly Endpoint[] }) => (
  <table>
    <caption class="unseen">Endpoints, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Address</th>
        <th scope="col">State</th>
        <th scope="col">Events</th>
        <th scope="col">Since</th>
      </tr>
    </thead>
    <tbody>
      {endpoints.map((endpoint) => (
        <tr key={endpoint.id}>
          <th scope="row" class="row-name text">
            <a href={`webhooks/${endpoint.id}`}>{endpoint.url}</a>
            {endpoint.description && <small class="soft block">{endpoint.description}</small>}
          </th>
          <td>
            <State {...endpointState(endpoint)} />
          </td>
          <td class="soft">{endpoint.events.length === 0 ? 'All' : endpoint.events.join(', ')}</td>
          <td>
            <Time at={endpoint.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
