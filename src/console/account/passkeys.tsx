/** Passkeys: the list, and adding one with the browser. */
import { useState } from 'preact/hooks';
import type { Passkey } from '../../client/account.ts';
import { Refused } from '../../client/errors.ts';
import { State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client, readSession } from '../state.ts';
import type { Fresh } from './again.tsx';

export const mayAddPasskeys = (): boolean => 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

async function create(name: string): Promise<void> {
  const { options } = await client.account.beginPasskey();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = (await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    const text = isKnown
      ? 'This device already has a passkey for your account'
      : 'The browser did not create a passkey: the request was canceled or timed out';
    throw new Refused(409, { error: text, code: 'conflict' }, null);
  })) as PublicKeyCredential;
  await client.account.addPasskey(name, credential.toJSON());
}

export function Passkeys({ fresh }: { fresh: Fresh }) {
  const passkeys = useResource('passkeys', (signal) => client.account.passkeys(signal));
  const [asked, setAsked] = useState<'add' | Passkey | null>(null);
  const close = () => setAsked(null);
  const changed = () => {
    passkeys.reload();
    void readSession();
  };
  const isIn = (passkeys.data?.data.length ?? 0) > 0;
  return (
    <section class="card" aria-labelledby="passkeys">
      <header>
        <h2 id="passkeys">Passkeys</h2>
        <State {...(isIn ? { word: 'In use', tone: 'good' } : { word: 'Not in use', tone: 'plain' })} />
      </header>
      <Loaded of={passkeys}>
        {({ data }) =>
          data.length > 0 && (
            <Table
              caption="Your passkeys"
              rows={data}
              keyOf={(passkey) => passkey.id}
              columns={[
                { name: 'Passkey', isHead: true, cell: (passkey) => passkey.name },
                { name: 'Added', cell: (passkey) => <Time at={passkey.created_at} /> },
                {
                  name: 'Last used',
                  cell: (passkey) => (passkey.used_at ? <Time at={passkey.used_at} /> : <span class="soft">Not yet</span>),
                },
                {
                  name: 'Actions',
                  isNameUnseen: true,
                  cell: (passkey) => (
                    <div class="row-actions">
                      <button type="button" class="plain" onClick={() => setAsked(passkey)}>
                        Remove
                        <span class="unseen">
                          {' '}
                          <bdi>{passkey.name}</bdi>
                        </span>
                      </button>
                    </div>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <div class="body stack">
        <p>Signs you in with this device’s screen lock, or with a security key, instead of password and digits. It cannot be phished.</p>
        {mayAddPasskeys() ? (
          <div class="actions">
            <button type="button" onClick={() => setAsked('add')}>
              Add a passkey
            </button>
          </div>
        ) : (
          <p class="soft">This browser cannot use passkeys here. They need https, or the address http://localhost.</p>
        )}
      </div>
      {asked === 'add' && (
        <AddPasskey
          fresh={fresh}
          onClose={close}
          onDone={() => {
            close();
            say('The passkey is added. Your other sessions have ended.');
            changed();
          }}
        />
      )}
      {asked !== null && asked !== 'add' && (
        <Confirm
          title={`Remove ${asked.name}?`}
          verb="Remove"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => fresh(() => client.account.removePasskey(asked.id)), 'The passkey is removed.').then(changed);
          }}
        >
          <p>It no longer signs you in. Your other sessions end.</p>
        </Confirm>
      )}
    </section>
  );
}

export function AddPasskey({ fresh, onClose, onDone }: { fresh: Fresh; onClose: () => void; onDone: () => void }) {
  return (
    <FormDialog
      title="Add a passkey"
      verb="Continue"
      onClose={onClose}
      onSubmit={(entered) => fresh(() => create(textIn(entered, 'name'))).then(onDone)}
    >
      <label class="field">
        <span>A name to recognize it by</span>
        {/* The service would refuse a blank name too, but only after the device has made the passkey. */}
        <input name="name" required pattern=".*\S.*" maxLength={100} placeholder="Work laptop" autocomplete="off" />
      </label>
    </FormDialog>
  );
}
