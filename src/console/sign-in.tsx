/** Signing in, by every way that the service knows: password, authenticator code, recovery code, passkey, one-time link, identity provider. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Invitation, Session } from '../client/client.ts';
import { Refused } from '../client/errors.ts';
import { counted, waitFor } from './format.ts';
import { CodeField, digitsOf } from './parts/code-field.tsx';
import { Problem, textIn } from './parts/form.tsx';
import { useOnce } from './parts/once.ts';
import { PasswordField } from './parts/password-field.tsx';
import { labelled } from './parts/refusals.ts';
import { say } from './parts/toasts.tsx';
import { navigate, place } from './router.ts';
import { client, phase, session, signedIn, signOut } from './state.ts';
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

/** The pages for signing in. */
export const isGate = (path: string): boolean => path === 'sign-in' || path === 'invitation';

const ASKED_FOR = 'confam.asked-for';

/** The organization sends people to Home, whatever page they had asked for before; an attempt that failed leads to another. */
export function returnFromOidc(): void {
  if (isGate(place.value.path)) return;
  const asked = sessionStorage.getItem(ASKED_FOR);
  sessionStorage.removeItem(ASKED_FOR);
  if (asked !== null && place.value.path === '') navigate(asked, { replace: true });
}

const isInvitation = (): boolean => place.value.path === 'invitation';

const send = (body: Pending['body'], second: Second = {}): Promise<Session> =>
  'token' in body ? client.session.useLink({ ...body, ...second }) : client.session.signIn({ ...body, ...second });

/** `advice`: what to do if what was shown to sign in with is refused. */
function problemOf(error: unknown, advice = ''): string {
  if (!(error instanceof Refused)) return 'The service cannot be reached. Check your connection and try again.';
  const { code, retryAfterSeconds: seconds } = error;
  if (code === 'rate_limited' && seconds !== null) return `Too many attempts to sign in. Try again in ${waitFor(seconds)}.`;
  return code === 'unauthenticated' && advice ? `${labelled(error)} ${advice}` : labelled(error);
}

/** Whether the same attempt may succeed later. */
const isPassing = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500 || error.status === 429;

interface Attempt {
  /** What is sent again with a second factor. */
  body?: Pending['body'];
  advice?: string;
}

/** One attempt at a time, and its outcome. `said`: what is wrong before the first. */
function useAttempt(onDone: (session: Session) => void, onSecond: (pending: Pending) => void, said = '') {
  const [problem, setProblem] = useState(said);
  const [failure, setFailure] = useState<unknown>(null);
  const { isBusy, run } = useOnce();
  const attempt = (work: () => Promise<Session>, { body, advice }: Attempt = {}) =>
    run(async () => {
      setProblem('');
      setFailure(null);
      try {
        onDone(await work());
      } catch (error) {
        if (body && error instanceof Refused && error.code === 'second_factor_required')
          onSecond({ body, factors: (error.extra.factors as string[] | undefined) ?? ['code'] });
        else {
          setProblem(problemOf(error, advice));
          setFailure(error);
        }
      }
    });
  return { problem, setProblem, failure, isBusy, attempt };
}

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
  const beginOidc = async () => {
    try {
      const { url } = await client.session.beginOidc();
      if (!isGate(place.value.path)) sessionStorage.setItem(ASKED_FOR, `${place.value.path}${place.value.query}`);
      location.assign(url);
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
      {(hasPasskeys() || 'provider' in document.body.dataset) && <p class="or">or</p>}
      {hasPasskeys() && (
        <button type="button" aria-disabled={isBusy} onClick={() => void attempt(byPasskey, { advice: OTHER_PASSKEY })}>
          Sign in with a passkey
        </button>
      )}
      {'provider' in document.body.dataset && (
        <button type="button" aria-disabled={isBusy} onClick={() => void beginOidc()}>
          Sign in with your organization
        </button>
      )}
      <p class="soft small">Forgotten your password? Your administrator can give you a sign-in link.</p>
    </form>
  );
}

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

function SecondFactor({ pending, onDone, onLeave }: SecondProps) {
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
  if (failure !== null) return <FailedLink failure={failure} onRetry={look} onLeave={onLeave} />;
  if (!invitation) return <p role="status">One moment…</p>;
  const { email, app, role } = invitation;
  const own = session.value?.person.email;
  if (own === email) return <Acceptance onDone={onDone} onLeave={onLeave} />;
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
      {own !== undefined ? (
        <>
          <p role="alert" class="problem">
            You are signed in as <bdi>{own}</bdi>. To accept this invitation, sign out first.
          </p>
          <button type="button" class="main" onClick={signOut}>
            Sign out and continue
          </button>
          <button type="button" onClick={onLeave}>
            Stay signed in
          </button>
        </>
      ) : hasAccount ? (
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

/** Accepts the invitation of the person who is signed in. */
function Acceptance({ onDone, onLeave }: { onDone: (session: Session) => void; onLeave: () => void }) {
  const { failure, attempt } = useAttempt(onDone, () => {});
  const accept = () => void attempt(() => client.session.useLink({ token }));
  useEffect(accept, []);
  if (failure !== null) return <FailedLink failure={failure} onRetry={accept} onLeave={onLeave} />;
  return <p role="status">One moment…</p>;
}

interface FailedLinkProps {
  failure: unknown;
  /** Offered if the link may still work. */
  onRetry: () => void;
  onLeave: () => void;
}

const FailedLink = ({ failure, onRetry, onLeave }: FailedLinkProps) => (
  <>
    <p role="alert" class="problem">
      {problemOf(failure)}
    </p>
    {isPassing(failure) ? (
      <button type="button" class="main" onClick={onRetry}>
        Try again
      </button>
    ) : (
      isSpent(failure) && <p>A link works once, and only for a limited time. If you have a password, you can sign in without it.</p>
    )}
    <button type="button" onClick={onLeave}>
      Continue without the link
    </button>
  </>
);

const isSpent = (failure: unknown): boolean => failure instanceof Refused && failure.code === 'link_invalid';

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
      <Problem text={problem} />
      <p>Choose a password of at least 12 characters.</p>
      <label class="field">
        <span>Your name</span>
        <input name="name" autocomplete="name" required pattern=".*\S.*" maxLength={100} />
      </label>
      <PasswordField label="Password" name="password" autocomplete="new-password" minLength={12} />
      <button type="submit" class="main" aria-disabled={isBusy}>
        Join
      </button>
    </form>
  );
}

const done = (next: Session): void => {
  token = '';
  signedIn(next);
  if (isGate(place.value.path)) navigate('', { replace: true });
};

/** The service says no more, because the sender may be anybody; its log has the reason. */
const OIDC_FAILED =
  'Your organization did not sign you in. Try again. If that fails too, ask your administrator whether the address that you have there is invited here.';

/** The whole page, for people who are not signed in, and for links. */
export function SignInPage() {
  const [pending, setPending] = useState<Pending | null>(null);
  const [isTried, setTried] = useState(false);
  const { failure, isBusy, attempt } = useAttempt(done, setPending);
  // A sign-in link needs nothing else.
  const isAutomatic = token !== '' && !isInvitation();
  const tryLink = () => void attempt(() => client.session.useLink({ token }), { body: { token } });
  useEffect(() => {
    if (!isAutomatic || isTried) return;
    setTried(true);
    tryLink();
  }, [isAutomatic]);
  const leave = () => {
    token = '';
    navigate(phase.value === 'in' ? '' : 'sign-in', { replace: true });
    setTried(false);
    setPending(null);
  };
  const title = token !== '' && isInvitation() ? 'You are invited' : 'Sign in';
  return (
    <div class="gate">
      <main>
        <p class="brand">Confam</p>
        <h1>{title}</h1>
        {pending ? (
          <SecondFactor pending={pending} onDone={done} onLeave={leave} />
        ) : isAutomatic ? (
          <>
            {isBusy && <p role="status">One moment…</p>}
            {failure !== null && <FailedLink failure={failure} onRetry={tryLink} onLeave={leave} />}
          </>
        ) : token !== '' && isInvitation() ? (
          <InvitationForm onDone={done} onLeave={leave} />
        ) : (
          <SignInForm said={place.value.query === '?failed=oidc' ? OIDC_FAILED : ''} onDone={done} />
        )}
      </main>
    </div>
  );
}
