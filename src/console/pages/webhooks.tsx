/** The app's webhook endpoints. */
import { useState } from 'preact/hooks';
import type { Endpoint, EndpointWithSecret } from '../../client/webhooks.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { navigate } from '../router.ts';
import { client, mode } from '../state.ts';
import { EndpointForm, Secret } from '../webhooks/endpoint-form.tsx';
import { endpointState, MOST_EVENTS } from '../webhooks/words.ts';

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
              An endpoint is a URL of your own system. Confam sends it a signed message whenever a job or a batch ends, so you do not have
              to poll. Create one, then send it a test.
            </p>
            {add}
          </Empty>
        }
      >
        {(endpoints) => <EndpointTable endpoints={endpoints} />}
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
  <Table
    caption="Endpoints, newest first"
    name="Endpoints"
    isCard
    rows={endpoints}
    keyOf={(endpoint) => endpoint.id}
    columns={[
      {
        name: 'Address',
        isHead: true,
        style: 'text',
        cell: (endpoint) => (
          <>
            <a href={`webhooks/${endpoint.id}`}>{endpoint.url}</a>
            {endpoint.description && <small class="soft block">{endpoint.description}</small>}
          </>
        ),
      },
      { name: 'State', cell: (endpoint) => <State {...endpointState(endpoint)} /> },
      { name: 'Events', style: 'soft text', cell: (endpoint) => (endpoint.events.length === 0 ? MOST_EVENTS : endpoint.events.join(', ')) },
      { name: 'Since', cell: (endpoint) => <Time at={endpoint.created_at} /> },
    ]}
  />
);
