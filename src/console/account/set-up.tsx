/** Makes people set up the second factor that they must have before anything else: a passkey or an authenticator app, then recovery codes. */
import { useState } from 'preact/hooks';
import { Problem, useSubmit } from '../parts/form.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { navigate } from '../router.ts';
import { SignInForm } from '../sign-in/form.tsx';
import { app, chooseApp, client, phase, readSession, session, signedIn, signOut, unkept } from '../state.ts';
import { type Fresh, SessionEnded, useFresh } from './again.tsx';
import { Codes, Scan, type Secret } from './authenticator.tsx';
import { AddPasskey, mayAddPasskeys } from './passkeys.tsx';

export default function SetUpPage() {
  const { fresh, dialog } = useFresh();
  const { factors, person, second_factor_setup_required: isDemandedOfAll } = session.value!;
  // Somebody who signed in through an identity provider may have a second factor that we did not ask for.
  const hasFactor = unkept.value === null && (factors.totp || factors.passkeys > 0);
  return (
    <div class={`gate ${phase.value}`}>
      <main>
        <p class="brand">Confam</p>
        <h1>{hasFactor ? 'Sign in with your second factor' : 'Set up a second factor'}</h1>
        <p>
          {isDemandedOfAll ? 'Your administrator' : app.value?.name} requires a second factor. Until you have used one, nothing else is
          open. You are <bdi>{person.email}</bdi>.
        </p>
        {hasFactor ? <SignInForm email={person.email} onDone={signedIn} /> : <Choice fresh={fresh} />}
        <Others />
        <button type="button" class="plain" onClick={signOut}>
          Sign out
        </button>
      </main>
      {unkept.value !== null && phase.value === 'in' && (
        <Codes
          codes={unkept.value}
          onClose={() => {
            unkept.value = null;
          }}
        />
      )}
      {dialog}
      <SessionEnded />
      <Toasts />
    </div>
  );
}

function Choice({ fresh }: { fresh: Fresh }) {
  const [asked, setAsked] = useState<'passkey' | Secret | null>(null);
  const { problem, isBusy, submit } = useSubmit();
  // An authenticator code goes with a password. People who come through an identity provider have none.
  const mayUseDigits = session.value!.factors.password || !('provider' in document.body.dataset);
  const keep = async (codes: string[]) => {
    setAsked(null);
    unkept.value = codes;
    await readSession();
  };
  return (
    <>
      <Problem text={problem} />
      {mayAddPasskeys() && (
        <div class="stack tight">
          <p>A passkey signs you in with this device’s screen lock, or with a security key. It cannot be phished.</p>
          <button type="button" class="main" aria-disabled={isBusy} onClick={isBusy ? undefined : () => setAsked('passkey')}>
            Use a passkey
          </button>
        </div>
      )}
      {mayUseDigits && (
        <div class="stack tight">
          <p>An authenticator app on your phone shows six digits, which you enter in addition to the password.</p>
          <button
            type="button"
            aria-disabled={isBusy}
            onClick={() => void submit(() => fresh(async () => setAsked(await client.account.beginTotp())))}
          >
            Use an authenticator app
          </button>
        </div>
      )}
      {asked === 'passkey' && (
        <AddPasskey
          fresh={fresh}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            void submit(async () => keep((await fresh(() => client.account.newRecoveryCodes())).recovery_codes)).then(readSession);
          }}
        />
      )}
      {asked !== null && asked !== 'passkey' && (
        <Scan {...asked} fresh={fresh} onClose={() => setAsked(null)} onDone={(codes) => void keep(codes)} />
      )}
    </>
  );
}

/** The pages open to people without a second factor. */
function Others() {
  const { apps, administrator, second_factor_setup_required: isDemandedOfAll } = session.value!;
  if (isDemandedOfAll) return null;
  return (
    <>
      {apps.flatMap(({ id, name, second_factor_setup_required: isDemanded }) =>
        isDemanded ? (
          []
        ) : (
          <button
            key={id}
            type="button"
            class="plain"
            onClick={() => {
              chooseApp(id);
              navigate('');
            }}
          >
            Go to {name} instead
          </button>
        ),
      )}
      {administrator && <a href="operator/apps">Go to the operator’s pages</a>}
    </>
  );
}
