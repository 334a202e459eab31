/** Signing in, by every way that the service knows: password, authenticator code, recovery code, passkey, identity provider. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { counted } from '../format.ts';
import { CodeField, digitsOf } from '../parts/code-field.tsx';
import { Problem } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { say } from '../parts/toasts.tsx';
import { client } from '../state.ts';
import { type Pending, problemOf, send, useAttempt } from './attempt.ts';
import { beginOidc, hasOrganization } from './organization.ts';

const hasPasskeys = (): boolean => 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

const OTHER_PASSKEY = 'Try again, or sign in another way.';

async function byPasskey(): Promise<Session> {
  const { options } = await client.session.challengePasskey();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = (await navigator.credentials.get({ publicKey }).catch(() => null)) as PublicKeyCredential | null;
  if (!credential) throw new Refused(401, { error: 'The passkey was not used', code: 'unauthenticated' }, null);
  return client.session.signIn({ passkey: credential.toJSON() });
}

interface SignInProps {
  email?: string;
  /** Why an earlier way of signing in did not work. */
  said?: string;
  onDone: (session: Session) => void;
}

/** The address and the password, then the second factor if there is one. Used by the page and by the dialog of an ended session. */
export function SignInForm({ email = '', said = '', onDone }: SignInProps) {
  const [pending, setPending] = useState<Pending | null>(null);
  const { problem, setProblem, isBusy, attempt } = useAttempt(onDone, setPending, said);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), [pending]);
  if (pending) return <SecondFactor pending={pending} onDone={onDone} onLeave={() => setPending(null)} />;
  return (
    <form
      class="form signing"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        const body = { email: String(entered.get('email')).trim(), password: String(entered.get('password')) };
        void attempt(() => send(body), { body });
      }}
    >
      <Problem text={problem} />
      <label class="field">
        <span>E-mail address</span>
        <input ref={email ? undefined : first} name="email" type="email" autocomplete="username" required defaultValue={email} />
      </label>
      <PasswordField label="Password" name="password" autocomplete="current-password" {...(email && { field: first })} />
      <button type="submit" class="main" aria-disabled={isBusy}>
        Sign in
      </button>
      {(hasPasskeys() || hasOrganization()) && <p class="or">or</p>}
      {hasPasskeys() && (
        <button type="button" aria-disabled={isBusy} onClick={() => void attempt(byPasskey, { advice: OTHER_PASSKEY })}>
          Sign in with a passkey
        </button>
      )}
      {hasOrganization() && <ByOrganization isBusy={isBusy} onProblem={setProblem} />}
      <p class="soft small">Forgotten your password? Your administrator can give you a sign-in link.</p>
    </form>
  );
}

export const ByOrganization = ({ isBusy, onProblem }: { isBusy: boolean; onProblem: (problem: string) => void }) => (
  <button type="button" aria-disabled={isBusy} onClick={() => void beginOidc().catch((error: unknown) => onProblem(problemOf(error)))}>
    Sign in with your organization
  </button>
);

const OTHER_CODE = 'Enter the one that the app shows now. If that is refused too, set the clock of your phone to automatic.';
const OTHER_RECOVERY_CODE = 'Enter another of your recovery codes.';

/** From so few on, the person should make new ones. */
const FEW_CODES = 2;

async function byRecoveryCode(body: Pending['body'], code: string): Promise<Session> {
  const next = await send(body, { recovery_code: code });
  const left = next.factors.recovery_codes;
  // The first stays until it is closed: without a code, whoever loses the phone is locked out.
  if (left === 0) say('That was your last recovery code. Make new ones in My account.', { isBad: true });
  else if (left <= FEW_CODES) say(`You have ${counted(left, 'recovery code')} left. Make new ones in My account.`);
  return next;
}

interface SecondProps {
  pending: Pending;
  onDone: (session: Session) => void;
  /** Back to the first step, perhaps for another account. */
  onLeave: () => void;
}

export function SecondFactor({ pending, onDone, onLeave }: SecondProps) {
  const [byRecovery, setRecovery] = useState(!pending.factors.includes('code') && pending.factors.includes('recovery_code'));
  const { problem, setProblem, isBusy, attempt } = useAttempt(onDone, () => {});
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [byRecovery]);
  // A code that was refused is typed over.
  useEffect(() => {
    if (!problem) return;
    field.current?.focus();
    field.current?.select();
  }, [problem]);
  return (
    <form
      class="form signing"
      onSubmit={(event) => {
        event.preventDefault();
        const value = String(new FormData(event.currentTarget).get('second')).trim();
        if (byRecovery) void attempt(() => byRecoveryCode(pending.body, value), { advice: OTHER_RECOVERY_CODE });
        else void attempt(() => send(pending.body, { code: digitsOf(value) }), { advice: OTHER_CODE });
      }}
    >
      <Problem text={problem} />
      <p>One more step: your account has a second factor.</p>
      {byRecovery ? (
        <label class="field" key="recovery">
          <span>One of your recovery codes</span>
          <input ref={field} name="second" autocomplete="off" required maxLength={40} />
        </label>
      ) : (
        <CodeField key="code" field={field} label="Six digits from your authenticator app" name="second" />
      )}
      <button type="submit" class="main" aria-disabled={isBusy}>
        Sign in
      </button>
      {pending.factors.includes('passkey') && hasPasskeys() && (
        <button type="button" aria-disabled={isBusy} onClick={() => void attempt(byPasskey, { advice: OTHER_PASSKEY })}>
          Use a passkey instead
        </button>
      )}
      {pending.factors.includes('code') && pending.factors.includes('recovery_code') && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setRecovery(!byRecovery);
            setProblem('');
          }}
        >
          {byRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </button>
      )}
      <button type="button" class="plain" onClick={onLeave}>
        Start again
      </button>
      <p class="soft small">Lost them all? Your administrator can remove your second factor.</p>
    </form>
  );
}
