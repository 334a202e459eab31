/** One app, for administrators: its state, wallets, top-ups, agreed prices, settings and keys. */
import { useState } from 'preact/hooks';
import { type App, waitsForApproval } from '../../client/operator.ts';
import type { Role } from '../../client/people.ts';
import type { OwnKey } from '../../client/transport.ts';
import { naira, shortId } from '../format.ts';
import { Agreements } from '../operator/agreements.tsx';
import { AppSettings } from '../operator/app-settings.tsx';
import { Ending } from '../operator/ending.tsx';
import { appState } from '../operator/words.ts';
import type { PageProps } from '../page.ts';
import { State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NairaField } from '../parts/naira-field.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { InvitationLink, InviteDialog } from '../people/invite.tsx';
import { client } from '../state.ts';
import { useSubject } from '../subject.ts';

export default function OperatorAppPage({ params: { id } }: PageProps) {
  const resource = useResource(`app ${id}`, (signal) => client.operator.app(id!, signal));
  useSubject(resource.data?.name ?? null);
  return (
    <Loaded of={resource}>
      {(app) => (
        <>
          <div class="head">
            <p class="crumb">
              <a href="operator/apps">Apps</a>
            </p>
            <h1>{app.name}</h1>
            <State {...appState(app)} />
            {app.deleted_at === null && <Actions app={app} onChanged={(next) => resource.set(() => next)} onPaid={resource.reload} />}
          </div>
          <section class="card body" aria-label="Wallets">
            <dl class="facts large">
              {app.wallets.map(({ mode, available, held }) => (
                <div key={mode}>
                  <dt>{mode === 'live' ? 'Live: available' : 'Test: available'}</dt>
                  <dd>
                    {naira(available)}
                    <small>{naira(held)} held</small>
                  </dd>
                </div>
              ))}
              {app.deleted_at && (
                <div>
                  <dt>Deleted</dt>
                  <dd class="plain">
                    <Time at={app.deleted_at} />
                  </dd>
                </div>
              )}
              {app.suspended_at && (
                <div>
                  <dt>Suspended since</dt>
                  <dd class="plain">
                    <Time at={app.suspended_at} />
                  </dd>
                </div>
              )}
            </dl>
          </section>
          <Agreements appId={app.id} isDeleted={app.deleted_at !== null} />
          <Keys app={app} />
          <AppSettings app={app} onChanged={(settings) => resource.set((now) => ({ ...now, settings }))} />
          <Ending app={app} onDeleted={resource.reload} />
          <p class="soft small mono">{app.id}</p>
        </>
      )}
    </Loaded>
  );
}

function Actions({ app, onChanged, onPaid }: { app: App; onChanged: (app: App) => void; onPaid: () => void }) {
  const [asked, setAsked] = useState<'suspend' | 'topUp' | 'invite' | { email: string; link: string } | null>(null);
  const close = () => setAsked(null);
  const suspend = () => {
    close();
    void attempt(async () => onChanged(await client.operator.suspend(app.id)), 'The app is suspended.');
  };
  const invite = async (email: string, role: Role, options: OwnKey) => {
    const { link } = await client.operator.invite({ email, role, app: app.id }, options);
    setAsked({ email, link });
  };
  const resume = () => attempt(async () => onChanged(await client.operator.resume(app.id)), 'The app has been resumed.');
  return (
    <div class="actions">
      <button type="button" class="main" onClick={() => setAsked('topUp')}>
        Top up
      </button>
      <button type="button" onClick={() => setAsked('invite')}>
        Invite an owner
      </button>
      {app.suspended_at === null ? (
        <button type="button" class="danger" onClick={() => setAsked('suspend')}>
          Suspend
        </button>
      ) : (
        <button type="button" onClick={() => void resume()}>
          Resume
        </button>
      )}
      {asked === 'suspend' && (
        <Confirm title={`Suspend ${app.name}?`} verb="Suspend the app" isDanger onYes={suspend} onNo={close}>
          <p>Within a second its requests are refused, and its work and webhooks stop. Nothing is lost: they go on when it is resumed.</p>
        </Confirm>
      )}
      {asked === 'invite' && <InviteDialog first="owner" onClose={close} onInvite={invite} />}
      {asked !== null && typeof asked === 'object' && <InvitationLink {...asked} onClose={close} />}
      {asked === 'topUp' && (
        <TopUp
          app={app}
          onClose={close}
          onDone={() => {
            close();
            onPaid();
          }}
        />
      )}
    </div>
  );
}

function TopUp({ app, onDone, onClose }: { app: App; onDone: () => void; onClose: () => void }) {
  const send = async (entered: FormData, idempotencyKey: string) => {
    const amount = Number(entered.get('amount'));
    const note = textIn(entered, 'note');
    const mode = entered.get('mode') === 'live' ? 'live' : 'test';
    const answer = await client.operator.topUp(app.id, { amount, mode, ...(note && { note }) }, { idempotencyKey });
    say(waitsForApproval(answer) ? 'It waits for a second administrator.' : `${naira(amount)} is booked.`);
    onDone();
  };
  return (
    <FormDialog title={`Top up ${app.name}`} verb="Book the payment" onClose={onClose} onSubmit={send}>
      <NairaField label="Amount in naira" name="amount" required min="0.01" max="1000000000" />
      <label class="field">
        <span>Wallet</span>
        <select name="mode">
          <option value="live">Live: real money</option>
          <option value="test">Test: play money</option>
        </select>
      </label>
      <label class="field">
        <span>
          Note <span class="soft small">optional</span>
        </span>
        <input name="note" maxLength={200} placeholder="Invoice 17" />
      </label>
    </FormDialog>
  );
}

const Keys = ({ app: { keys } }: { app: App }) => (
  <section class="card" aria-labelledby="keys">
    <header>
      <h2 id="keys">Keys</h2>
    </header>
    <Table
      caption="Keys, newest first"
      name="Keys of the app"
      rows={keys}
      keyOf={(key) => key.id}
      columns={[
        {
          name: 'Key',
          isHead: true,
          cell: (key) => (
            <>
              {shortId(key.id)}
              <small class="soft mono below">{key.hint}…</small>
            </>
          ),
        },
        { name: 'Mode', cell: (key) => (key.mode === 'live' ? 'Live' : 'Test') },
        {
          name: 'State',
          cell: (key) => (
            <State {...(key.revoked_at ? ({ word: 'Revoked', tone: 'plain' } as const) : ({ word: 'Active', tone: 'good' } as const))} />
          ),
        },
        { name: 'Daily cap', style: 'num', cell: (key) => (key.daily_cap === null ? '–' : naira(key.daily_cap)) },
        { name: 'Made', cell: (key) => <Time at={key.created_at} /> },
      ]}
    />
  </section>
);
