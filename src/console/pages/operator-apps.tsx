/** Every app of the deployment, for administrators. */
import { useState } from 'preact/hooks';
import type { App } from '../../client/operator.ts';
import { count, naira } from '../format.ts';
import { appState, balanceOf } from '../operator/words.ts';
import { Empty, Notice, State, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Filter, FilterForm, filterOf, Search } from '../parts/filter.tsx';
import { Copyable, textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { navigate, setQuery } from '../router.ts';
import { client } from '../state.ts';

const STATES = [
  ['', 'All'],
  ['false', 'Active'],
  ['true', 'Suspended'],
] as const;

export default function OperatorAppsPage() {
  const [name, suspended] = [filterOf('name'), filterOf('suspended')];
  const list = useList(`apps ${suspended} ${name}`, (cursor, signal) =>
    client.operator.apps({ name, suspended, cursor, limit: 50 }, signal),
  );
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class="head">
        <h1>Apps</h1>
        <div class="actions">
          <button type="button" class="main" onClick={() => setCreating(true)}>
            New app
          </button>
        </div>
      </div>
      <Filters />
      <Listed
        of={list}
        empty={
          name === '' && suspended === '' ? (
            <Empty title="There are no apps yet" />
          ) : (
            <Empty title="No app matches">
              <button type="button" onClick={() => setQuery({ name: '', suspended: '' })}>
                Show all apps
              </button>
            </Empty>
          )
        }
      >
        {(apps) => <AppTable apps={apps} />}
      </Listed>
      {isCreating && <NewApp onClose={() => setCreating(false)} />}
    </>
  );
}

const Filters = () => (
  <FilterForm>
    <Filter name="suspended" label="State" options={STATES} />
    <Search name="name" label="App" placeholder="Name or id" maxLength={100} />
  </FilterForm>
);

const AppTable = ({ apps }: { apps: readonly App[] }) => (
  <Table
    caption="Apps, newest first"
    name="Apps"
    isCard
    rows={apps}
    keyOf={(app) => app.id}
    columns={[
      { name: 'App', isHead: true, style: 'text', cell: (app) => <a href={`operator/apps/${app.id}`}>{app.name}</a> },
      { name: 'State', cell: (app) => <State {...appState(app)} /> },
      { name: 'Live balance', style: 'num', cell: (app) => naira(balanceOf(app, 'live')) },
      { name: 'Test balance', style: 'num', cell: (app) => naira(balanceOf(app, 'test')) },
      { name: 'Keys', style: 'num', cell: (app) => count(app.keys.filter(({ revoked_at }) => revoked_at === null).length) },
      { name: 'Created', cell: (app) => <Time at={app.created_at} /> },
    ]}
  />
);

function NewApp({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ id: string; webhook_secret: string } | null>(null);
  if (made)
    return (
      <Dialog title="The app is ready" onClose={() => navigate(`operator/apps/${made.id}`)}>
        <Notice tone="warn" title="Its webhook secret is shown only once.">
          <p>It signs messages to the callback addresses of its jobs and batches.</p>
        </Notice>
        <Copyable label="Webhook secret" value={made.webhook_secret} />
        <div class="actions">
          <button type="button" class="main" onClick={() => navigate(`operator/apps/${made.id}`)}>
            I have saved it
          </button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title="New app"
      verb="Create"
      onClose={onClose}
      onSubmit={async (entered, idempotencyKey) => setMade(await client.operator.createApp(textIn(entered, 'name'), { idempotencyKey }))}
    >
      <label class="field">
        <span>Name</span>
        <input name="name" required maxLength={100} />
      </label>
    </FormDialog>
  );
}
