/** Every app of the deployment, for administrators. */
import { useState } from 'preact/hooks';
import type { App } from '../../client/operator.ts';
import { count, naira } from '../format.ts';
import { appState, balanceOf } from '../operator/words.ts';
import { Empty, Notice, Scroll, State, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Copyable, Problem, useSubmit } from '../parts/form.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { navigate, query, setQuery } from '../router.ts';
import { client } from '../state.ts';

export default function OperatorAppsPage() {
  const suspended = query.value.get('suspended') ?? '';
  const list = useList(`apps ${suspended}`, (cursor, signal) => client.operator.apps({ suspended, cursor, limit: 50 }, signal));
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class="head">
        <h1>Apps</h1>
        <div class="actions">
          <label class="beside-label">
            State
            <select value={suspended} onChange={(event) => setQuery({ suspended: event.currentTarget.value })}>
              <option value="">All</option>
              <option value="false">Active</option>
              <option value="true">Suspended</option>
            </select>
          </label>
          <button type="button" class="main" onClick={() => setCreating(true)}>
            New app
          </button>
        </div>
      </div>
      <Listed of={list} empty={<Empty title={suspended ? 'No app is in this state' : 'There are no apps yet'} />}>
        {(apps) => (
          <Scroll name="Apps" isCard>
            <AppTable apps={apps} />
          </Scroll>
        )}
      </Listed>
      {isCreating && <NewApp onClose={() => setCreating(false)} />}
    </>
  );
}

const AppTable = ({ apps }: { apps: readonly App[] }) => (
  <table>
    <caption class="unseen">Apps, newest first</caption>
    <thead>
      <tr>
        <th scope="col">App</th>
        <th scope="col">State</th>
        <th scope="col" class="num">
          Live balance
        </th>
        <th scope="col" class="num">
          Test balance
        </th>
        <th scope="col" class="num">
          Keys
        </th>
        <th scope="col">Created</th>
      </tr>
    </thead>
    <tbody>
      {apps.map((app) => (
        <tr key={app.id}>
          <th scope="row" class="row-name text">
            <a href={`operator/apps/${app.id}`}>{app.name}</a>
          </th>
          <td>
            <State {...appState(app)} />
          </td>
          <td class="num">{naira(balanceOf(app, 'live'))}</td>
          <td class="num">{naira(balanceOf(app, 'test'))}</td>
          <td class="num">{count(app.keys.filter(({ revoked_at }) => revoked_at === null).length)}</td>
          <td>
            <Time at={app.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function NewApp({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ id: string; webhook_secret: string } | null>(null);
  const { problem, isBusy, submit } = useSubmit();
  if (made)
    return (
      <Dialog title="The app is there" onClose={() => navigate(`operator/apps/${made.id}`)}>
        <Notice tone="warn" title="Its webhook secret is shown only now.">
          <p>It signs messages to the callback addresses of its jobs and batches.</p>
        </Notice>
        <Copyable label="Webhook secret" value={made.webhook_secret} />
        <div class="actions">
          <button type="button" class="main" onClick={() => navigate(`operator/apps/${made.id}`)}>
            I have kept it
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New app" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name')).trim();
          void submit(async () => setMade(await client.operator.createApp(name)));
        }}
      >
        <label class="field">
          <span>Name</span>
          <input name="name" required maxLength={100} />
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Create
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
