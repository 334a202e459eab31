/** Signing in, by every way that the service knows: password, authenticator code, recovery code, passkey, one-time link, identity provider. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Invitation, Session } from '../client/client.ts';
import { Refused } from '../client/errors.ts';
import { CodeField, digitsOf } from './parts/code-field.tsx';
import { textIn } from './parts/form.tsx';
import { PasswordField } from './parts/password-field.tsx';
import { labelled } from './parts/refusals.ts';
import { navigate, place } from './router.ts';
import { client, phase, session, signedIn } from './state.ts';
import { asRole } from './words.ts';

/**
 * The fragment is never sent. It leaves the address bar, so that no screenshot and no history has it. The exception is the link to a file, which works until it
 * ends, also after the page is loaded again.
 */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token && place.value.path !== LINK_PAGE) history.replaceState(null, '', location.pathname);
  return token;
}

/** The page for people without an account. */
export const LINK_PAGE = 'link';

let token = takeToken();
// A link opened in a tab that already shows the console.
addEventListener('hashchange', () => location.reload());

/** The token of the link that led here. */
export const sentToken = (): string => token;

export const hasToken = (): boolean => token !== '';

/** What was sent before the service asked for a second factor. */
interface Pending {
  body: { email: string; password: string } | { token: string };
  factors: string[];
}

type Second = { code?: string; recovery_code?: string };

const isInvitation = (): boolean => place.value.path === 'invitation';

const send = (body: Pending['body'], second: Second = {}): Promise<Session> =>
  'token' in body ? client.session.useLink({ ...body, ...second }) : client.session.signIn({ ...body, ...second });

const problemOf = (error: unknown): string =>
  error instanceof Refused ? labelled(error) : 'The service cannot be reached. Check your connection and try again.';

/** Whether the same attempt may succeed later. */
const isPassing = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500 || error.status === 429;

/** One attempt at a time, and its outcome. */
function useAttempt(onDone: (session: Session) => void, onSecond: (pending: Pending) => void) {
  const [problem, setProblem] = useState('');
  const [mayRetry, setMayRetry] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<Session>, body: Pending['body'] | null = null) => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      onDone(await work());
    } catch (error) {
      if (body && error instanceof Refused && error.code === 'second_factor_required')
        onSecond({ body, factors: (error.extra.factors as string[] | undefined) ?? ['code'] });
      else {
        setProblem(problemOf(error));
        setMayRetry(isPassing(error));
      }
    }
    setBusy(false);
  };
  return { problem, setProblem, mayRetry, isBusy, attempt };
}

const hasPasskeys = (): boolean => 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

async function byPasskey(): Promise<Session> {
  const { options } = await client.session.challengePasskey();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = (await navigator.credentials.get({ publicKey }).catch(() => null)) as PublicKeyCredential | null;
  if (!credential) throw new Refused(401, { error: 'The passkey was not used', code: 'unauthenticated' }, null);
  return client.session.signIn({ passkey: credential.toJSON() });
}

/** The address and the password, then the second factor if there is one. Used by the page and by the dialog of an ended session. */
export function SignInForm({ email = '', onDone }: { email?: string; onDone: (session: Session) => void }) {
  const [pending, setPending] = useState<Pending | null>(null);
  const { problem, setProblem, isBusy, attempt } = useAttempt(onDone, setPending);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  if (pending) return <SecondFactor pending={pending} onDone={onDone} />;
  const beginOidc = async () => {
    try {
      location.assign((await client.session.beginOidc()).url);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <form
      class="form signing"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        const body = { email: String(entered.get('email')).trim(), password: String(entered.get('password')) };
        void attempt(() => send(body), body);
      }}
    >
      <p role="alert" class="problem" hidden={!problem}>
        {problem}
      </p>
      <label class="field">
        <span>E-mail address</span>
        <input ref={email ? undefined : first} name="email" type="email" autocomplete="username" required defaultValue={email} />
      </label>
      <PasswordField label="Password" name="password" autocomplete="current-password" {...(email && { field: first })} />
      <button type="submit" class="main" disabled={isBusy}>
        Sign in
      </button>
      {(hasPasskeys() || 'provider' in document.body.dataset) && <p class="or">or</p>}
      {hasPasskeys() && (
        <button type="button" disabled={isBusy} onClick={() => void attempt(byPasskey)}>
          Sign in with a passkey
        </button>
      )}
      {'provider' in document.body.dataset && (
        <button type="button" disabled={isBusy} onClick={() => void beginOidc()}>
          Sign in with your organization
        </button>
      )}
      <p class="soft small">Forgotten your password? Your administrator can give you a sign-in link.</p>
    </form>
  );
}

function SecondFactor({ pending, onDone }: { pending: Pending; onDone: (session: Session) => void }) {
  const [byRecovery, setRecovery] = useState(!pending.factors.includes('code') && pending.factors.includes('recovery_code'));
  const { problem, isBusy, attempt } = useAttempt(onDone, () => {});
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [byRecovery]);
  return (
    <form
      class="form signing"
      onSubmit={(event) => {
        event.preventDefault();
        const value = String(new FormData(event.currentTarget).get('second')).trim();
        void attempt(() => send(pending.body, byRecovery ? { recovery_code: value } : { code: digitsOf(value) }));
      }}
    >
      <p role="alert" class="problem" hidden={!problem}>
        {problem}
      </p>
      <p>One more step: your account has a second factor.</p>
      {byRecovery ? (
        <label class="field" key="recovery">
          <span>One of your recovery codes</span>
          <input ref={field} name="second" autocomplete="off" required maxLength={40} />
        </label>
      ) : (
        <CodeField key="code" field={field} label="Six digits from your authenticator app" name="second" />
      )}
      <button type="submit" class="main" disabled={isBusy}>
        Sign in
      </button>
      {pending.factors.includes('passkey') && hasPasskeys() && (
        <button type="button" disabled={isBusy} onClick={() => void attempt(byPasskey)}>
          Use a passkey instead
        </button>
      )}
      {pending.factors.includes('code') && pending.factors.includes('recovery_code') && (
        <button type="button" class="plain" onClick={() => setRecovery(!byRecovery)}>
          {byRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </button>
      )}
    </form>
  );
}

/** Says what the invitation is for. Somebody new sets a password; somebody who has an account says so and signs in. */
function InvitationForm({ onDone, onLeave }: { onDone: (session: Session) => void; onLeave: () => void }) {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [hasAccount, setHasAccount] = useState(false);
  const look = () => {
    setFailure(null);
    client.session.readInvitation(token).then(setInvitation, setFailure);
  };
  useEffect(look, []);
  if (failure !== null) return <FailedLink problem={problemOf(failure)} onRetry={isPassing(failure) ? look : null} onLeave={onLeave} />;
  if (!invitation) return <p role="status">One moment…</p>;
  const { email, app, role } = invitation;
  return (
    <>
      <p>
        {app === null ? (
          'You have been invited to administer Confam.'
        ) : (
          <>
            You have been invited to join <bdi>{app}</bdi> as {asRole(role!)}.
          </>
        )}{' '}
        Your account is <bdi>{email}</bdi>.
      </p>
      {hasAccount ? (
        <>
          <p>Sign in to accept the invitation.</p>
          <SignInForm email={email} onDone={signedIn} />
          <button type="button" class="plain" onClick={() => setHasAccount(false)}>
            I have no account yet
          </button>
        </>
      ) : (
        <>
          <NewPassword onDone={onDone} />
          <button type="button" class="plain" onClick={() => setHasAccount(true)}>
            I have an account already
          </button>
        </>
      )}
    </>
  );
}

interface FailedLinkProps {
  problem: string;
  /** Null: the link never works again. */
  onRetry: (() => void) | null;
  onLeave: () => void;
}

const FailedLink = ({ problem, onRetry, onLeave }: FailedLinkProps) => (
  <>
    <p role="alert" class="problem">
      {problem}
    </p>
    {onRetry === null ? (
      <p>A link works once, and only for a limited time. If you have a password, you can sign in without it.</p>
    ) : (
      <button type="button" class="main" onClick={onRetry}>
        Try again
      </button>
    )}
    <button type="button" onClick={onLeave}>
      Continue without the link
    </button>
  </>
);

function NewPassword({ onDone }: { onDone: (session: Session) => void }) {
  const { problem, isBusy, attempt } = useAttempt(onDone, () => {});
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        void attempt(() => client.session.useLink({ token, password: String(entered.get('password')), name: textIn(entered, 'name') }));
      }}
    >
      <p role="alert" class="problem" hidden={!problem}>
        {problem}
      </p>
      <p>Choose a password of at least 12 characters.</p>
      <label class="field">
        <span>Your name</span>
        <input name="name" autocomplete="name" required pattern=".*\S.*" maxLength={100} />
      </label>
      <PasswordField label="Password" name="password" autocomplete="new-password" minLength={12} />
      <button type="submit" class="main" disabled={isBusy}>
        Join
      </button>
    </form>
  );
}

const done = (next: Session): void => {
  token = '';
  signedIn(next);
  if (['sign-in', 'invitation'].includes(place.value.path)) navigate('', { replace: true });
};

/** The whole page, for people who are not signed in, and for links. */
export function SignInPage() {
  const [pending, setPending] = useState<Pending | null>(null);
  const [isTried, setTried] = useState(false);
  const { problem, mayRetry, isBusy, attempt } = useAttempt(done, setPending);
  // A sign-in link needs nothing else; nor does an invitation for somebody who is signed in.
  const isAutomatic = token !== '' && (!isInvitation() || session.value !== null);
  const tryLink = () => void attempt(() => client.session.useLink({ token }), { token });
  useEffect(() => {
    if (!isAutomatic || isTried) return;
    setTried(true);
    tryLink();
  }, [isAutomatic]);
  const leave = () => {
    token = '';
    navigate(phase.value === 'in' ? '' : 'sign-in', { replace: true });
    setTried(false);
  };
  const title = token !== '' && isInvitation() ? 'You are invited' : 'Sign in';
  const failed = place.value.query === '?failed=oidc' ? 'Your organization did not sign you in.' : '';
  return (
    <div class="gate">
      <main>
        <p class="brand">Confam</p>
        <h1>{title}</h1>
        {pending ? (
          <SecondFactor pending={pending} onDone={done} />
        ) : isAutomatic ? (
          <>
            {isBusy && <p role="status">One moment…</p>}
            {problem && <FailedLink problem={problem} onRetry={mayRetry ? tryLink : null} onLeave={leave} />}
          </>
        ) : token !== '' && isInvitation() ? (
          <InvitationForm onDone={done} onLeave={leave} />
        ) : (
          <>
            {failed && (
              <p role="alert" class="problem">
                {failed}
              </p>
            )}
            <SignInForm onDone={done} />
          </>
        )}
      </main>
    </div>
  );
}
