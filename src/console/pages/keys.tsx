/** The app's keys in this mode: what each may do, until when, and when it was last used. A new key is shown once. */
import { useState } from 'preact/hooks';
import type { Key, NewKey, Scope } from '../../client/keys.ts';
import { checkName, DAY_MS, keyName, naira, type Worded } from '../format.ts';
import { KeyForm } from '../keys/key-form.tsx';
import { RotateDialog } from '../keys/rotate-dialog.tsx';
import { Empty, Notice, State, Time } from '../parts/common.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Filter, FilterForm, filterOf, Search } from '../parts/filter.tsx';
import { Copyable } from '../parts/form.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { setQuery } from '../router.ts';
import { client, mode } from '../state.ts';
import { scopeWords } from '../words.ts';

type Asked = { what: 'new' } | { what: 'change' | 'rotate' | 'revoke'; key: Key } | { what: 'made'; made: NewKey };

const STATES = [
  ['', 'Active', { active: true }],
  ['over', 'No longer working', { active: false }],
  ['all', 'All', {}],
] as const;

export default function KeysPage() {
  const [name, state] = [filterOf('name'), filterOf('state')];
  const ofState = STATES.find(([value]) => value === state)?.[2] ?? STATES[0][2];
  const keys = useList<Key>(`keys ${state} ${name}`, (cursor, signal) => client.keys.page({ ...ofState, name, limit: 50, cursor }, signal));
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  // Whoever gives up may have been told that the key is revoked.
  const closeAndReload = () => {
    close();
    keys.reload();
  };
  const made = (key: NewKey) => {
    setAsked({ what: 'made', made: key });
    keys.reload();
  };
  const newKey = (
    <button type="button" class="main" onClick={() => setAsked({ what: 'new' })}>
      New key
    </button>
  );
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        <div class="actions">{newKey}</div>
      </div>
      <p class="soft">Programs sign in with a key. These work in {mode.value} mode; the other mode has its own.</p>
      <Filters />
      <Listed
        of={keys}
        empty={
          name === '' && state === '' ? (
            <Empty title={`No active keys in ${mode.value} mode`}>{newKey}</Empty>
          ) : (
            <Empty title="No key matches">
              <button type="button" onClick={() => setQuery({ name: '', state: 'all' })}>
                Show all keys
              </button>
            </Empty>
          )
        }
      >
        {(shown) => <KeyTable keys={shown} onAsk={(what, key) => setAsked({ what, key })} />}
      </Listed>
      {asked?.what === 'new' && <KeyForm of={null} onClose={close} onDone={(key) => made(key as NewKey)} />}
      {asked?.what === 'change' && <KeyForm of={asked.key} onClose={closeAndReload} onDone={closeAndReload} />}
      {asked?.what === 'rotate' && <RotateDialog of={asked.key} onClose={closeAndReload} onDone={made} />}
      {asked?.what === 'revoke' && (
        <Confirm
          title={`Revoke ${keyName(asked.key)}?`}
          verb="Revoke the key"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.keys.revoke(asked.key.id), 'The key is revoked.').then(keys.reload);
          }}
        >
          <p>Whatever uses it is refused within a second, and the links that it made stop working. This cannot be undone.</p>
        </Confirm>
      )}
      {asked?.what === 'made' && <Made made={asked.made} onClose={close} />}
    </>
  );
}

const HINT_LENGTH = 12;

/** A whole key may be pasted. It must not get into the address. */
const withoutSecret = (sought: string): string => (sought.startsWith('cf_') ? sought.slice(0, HINT_LENGTH) : sought);

const Filters = () => (
  <FilterForm kept={withoutSecret}>
    <Filter name="state" label="State" options={STATES.map(([value, word]) => [value, word] as const)} />
    <Search name="name" label="Name or first characters" placeholder="Any part" maxLength={100} />
  </FilterForm>
);

const isOver = ({ revoked_at, expires_at }: Key): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

const SOON_MS = 14 * DAY_MS;

function stateOf(key: Key): Worded {
  if (key.revoked_at !== null) return { word: 'Revoked', tone: 'plain' };
  if (isOver(key)) return { word: key.rotated_to ? 'Replaced' : 'Expired', tone: 'plain' };
  if (key.rotated_to !== null) return { word: 'Being replaced', tone: 'warn' };
  if (key.expires_at !== null && Date.parse(key.expires_at) < Date.now() + SOON_MS) return { word: 'Expires soon', tone: 'warn' };
  return { word: 'Active', tone: 'good' };
}

function KeyTable({ keys, onAsk }: { keys: Key[]; onAsk: (what: 'change' | 'rotate' | 'revoke', key: Key) => void }) {
  return (
    <Table
      caption="Keys, newest first"
      name="Keys"
      isCard
      rows={keys}
      keyOf={(key) => key.id}
      columns={[
        {
          name: 'Key',
          isHead: true,
          cell: (key) => (
            <>
              <bdi>{keyName(key)}</bdi>
              <small class="soft mono below">{key.hint}…</small>
            </>
          ),
        },
        {
          name: 'State',
          cell: (key) => (
            <>
              <State {...stateOf(key)} />
              {key.expires_at && !key.revoked_at && (
                <small class="soft below">
                  until <Time at={key.expires_at} />
                </small>
              )}
            </>
          ),
        },
        { name: 'May do', style: 'text', cell: (key) => <Scopes of={key} /> },
        { name: 'Limits', style: 'text small', cell: (key) => <Limits of={key} /> },
        { name: 'Last used', cell: (key) => (key.last_used_at ? <Time at={key.last_used_at} /> : <span class="soft">Not yet</span>) },
        {
          name: 'Actions',
          isNameUnseen: true,
          cell: (key) =>
            !isOver(key) && (
              <div class="row-actions">
                {(['change', 'rotate', 'revoke'] as const).map((what) =>
                  what === 'rotate' && key.rotated_to ? null : (
                    <button key={what} type="button" class="plain" onClick={() => onAsk(what, key)}>
                      {VERBS[what]}
                      <span class="unseen">
                        {' '}
                        <bdi>{keyName(key)}</bdi>
                      </span>
                    </button>
                  ),
                )}
              </div>
            ),
        },
      ]}
    />
  );
}

const VERBS = { change: 'Change', rotate: 'Rotate', revoke: 'Revoke' } as const;

function Scopes({ of: { scopes } }: { of: Key }) {
  if (scopes === null) return <span>Everything</span>;
  return <span title={scopes.map((scope) => scopeWords[scope as Scope]).join('\n')}>{scopes.join(', ')}</span>;
}

function Limits({ of: { checks, addresses, daily_cap: cap } }: { of: Key }) {
  const limits = [
    checks && (checks.length > 3 ? `${checks.length} checks` : checks.map(checkName).join(', ')),
    addresses && (addresses.length > 2 ? `${addresses.length} networks` : `From ${addresses.join(', ')}`),
    cap !== null && `${naira(cap)} a day`,
  ].filter((limit) => limit !== null && limit !== false);
  return limits.length === 0 ? (
    <span class="soft">None</span>
  ) : (
    <div>
      {limits.map((limit) => (
        <div key={limit}>{limit}</div>
      ))}
    </div>
  );
}

const Made = ({ made, onClose }: { made: NewKey; onClose: () => void }) => (
  <Dialog title={`${made.name ?? 'The new key'} is ready`} onClose={null}>
    <Copyable label="Key" value={made.key} />
    <Notice tone="warn" title="It is shown only once.">
      <p>Keep it where your program finds it and nobody else reads it. If it is lost, rotate it.</p>
    </Notice>
    <div class="actions">
      <button type="button" class="main" onClick={onClose}>
        I have saved it
      </button>
    </div>
  </Dialog>
);
