/** Where the person is signed in. */
import type { ListedSession } from '../../client/account.ts';
import { State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client } from '../state.ts';

const METHODS: Readonly<Record<string, string>> = {
  password: 'password',
  totp: 'authenticator app',
  recovery_code: 'recovery code',
  passkey: 'passkey',
  link: 'link',
  oidc: 'organization',
  mfa: 'second factor',
};

const methodOf = ({ method }: ListedSession): string =>
  method
    .split('+')
    .map((part) => METHODS[part] ?? part)
    .join(' and ');

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'CrOS', 'Linux'];

/** `Chrome, Linux`; an unknown one as it was sent. */
function browserOf({ browser }: ListedSession): string {
  const name = BROWSERS.find(([mark]) => browser.includes(mark))?.[1];
  const system = SYSTEMS.find((one) => browser.includes(one));
  return name ? [name, system].filter(Boolean).join(', ') : browser || 'Unknown';
}

export function Sessions() {
  const sessions = useResource('sessions', (signal) => client.account.sessions(signal));
  const end = (id: string) => attempt(() => client.account.endSession(id), 'Session ended.').then(sessions.reload);
  const endOthers = () => attempt(() => client.account.endOtherSessions(), 'All other sessions ended.').then(sessions.reload);
  return (
    <section class="card" aria-labelledby="sessions">
      <header>
        <h2 id="sessions">Where you are signed in</h2>
        {(sessions.data?.data.length ?? 0) > 1 && (
          <div class="actions">
            <button type="button" onClick={() => void endOthers()}>
              End all others
            </button>
          </div>
        )}
      </header>
      <Loaded of={sessions}>
        {({ data }) => (
          <Table
            caption="Your sessions, most recently used first"
            name="Your sessions"
            rows={data}
            keyOf={(one) => one.id}
            columns={[
              { name: 'Browser', isHead: true, cell: (one) => <span title={one.browser}>{browserOf(one)}</span> },
              { name: 'Address', style: 'mono', cell: (one) => one.address },
              { name: 'Signed in by', cell: (one) => methodOf(one) },
              { name: 'Since', cell: (one) => <Time at={one.created_at} /> },
              { name: 'Last seen', cell: (one) => <Time at={one.seen_at} /> },
              {
                name: 'Actions',
                isNameUnseen: true,
                style: 'num',
                cell: (one) =>
                  one.current ? (
                    <State word="This one" tone="info" />
                  ) : (
                    <button type="button" class="plain" onClick={() => void end(one.id)}>
                      End<span class="unseen"> the session of {browserOf(one)}</span>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}
