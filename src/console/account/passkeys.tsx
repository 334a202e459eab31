/** Passkeys: what there is, and adding one with the browser. */
import { useState } from 'preact/hooks';
import type { Passkey } from '../../client/account.ts';
import { Refused } from '../../client/errors.ts';
import { Scroll, State, Time } from '../parts/common.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Problem, useSubmit } from '../parts/form.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
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
      ? 'This device has a passkey for your account already'
      : 'The browser made no passkey: it was canceled, or took too long';
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
            <Scroll name="Your passkeys">
              <table>
                <caption class="unseen">Your passkeys</caption>
                <thead>
                  <tr>
                    <th scope="col">Passkey</th>
                    <th scope="col">Added</th>
                    <th scope="col">Last used</th>
                    <th scope="col">
                      <span class="unseen">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((passkey) => (
                    <tr key={passkey.id}>
                      <th scope="row" class="row-name">
                        {passkey.name}
                      </th>
                      <td>
                        <Time at={passkey.created_at} />
                      </td>
                      <td>{passkey.used_at ? <Time at={passkey.used_at} /> : <span class="soft">Not yet</span>}</td>
                      <td>
                        <div class="row-actions">
                          <button type="button" class="plain" onClick={() => setAsked(passkey)}>
                            Remove
                            <span class="unseen">
                              {' '}
                              <bdi>{passkey.name}</bdi>
                            </span>
                          </button>
                        </div>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </Loaded>
      <div class="body stack">
        <p>Signs you in with the lock of this device, or with a security key, instead of password and digits. It cannot be phished.</p>
        {mayAddPasskeys() ? (
          <div class="actions">
            <button type="button" onClick={() => setAsked('add')}>
              Add a passkey
            </button>
          </div>
        ) : (
          <p class="soft">This browser knows no passkeys here. They need https, or the address http://localhost.</p>
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
  const { problem, isBusy, submit } = useSubmit();
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name')).trim();
          void submit(() => fresh(() => create(name))).then((isDone) => isDone && onDone());
        }}
      >
        <label class="field">
          <span>A name to know it by</span>
          <input name="name" required maxLength={100} placeholder="Work laptop" autocomplete="off" />
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Go on
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
