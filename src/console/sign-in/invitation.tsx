/** An invitation: for somebody new, for somebody who has an account, and for who is signed in already. */
import { useEffect, useState } from 'preact/hooks';
import type { Invitation, Session } from '../../client/client.ts';
import { Problem, textIn } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { client, session, signedIn, signOut } from '../state.ts';
import { asRole } from '../words.ts';
import { useAttempt } from './attempt.ts';
import { FailedLink } from './failed-link.tsx';
import { ByOrganization, SignInForm } from './form.tsx';
import { hasOrganization } from './organization.ts';
import { sentToken } from './sent-token.ts';

/** Says what the invitation is for. New people set a password; people with an account say so and sign in. */
export function InvitationForm({ onDone, onLeave }: { onDone: (session: Session) => void; onLeave: () => void }) {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [hasAccount, setHasAccount] = useState(false);
  const look = () => {
    setFailure(null);
    client.session.readInvitation(sentToken()).then(setInvitation, setFailure);
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
  const accept = () => void attempt(() => client.session.useLink({ token: sentToken() }));
  useEffect(accept, []);
  if (failure !== null) return <FailedLink failure={failure} onRetry={accept} onLeave={onLeave} />;
  return <p role="status">One moment…</p>;
}

function NewPassword({ onDone }: { onDone: (session: Session) => void }) {
  const { problem, setProblem, isBusy, attempt } = useAttempt(onDone, () => {});
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        void attempt(() =>
          client.session.useLink({ token: sentToken(), password: String(entered.get('password')), name: textIn(entered, 'name') }),
        );
      }}
    >
      <Problem text={problem} />
      <label class="field">
        <span>Your name</span>
        <input name="name" autocomplete="name" required pattern=".*\S.*" maxLength={100} />
      </label>
      <PasswordField label="Password" name="password" autocomplete="new-password" minLength={12} note="At least 12 characters." />
      <button type="submit" class="main" aria-disabled={isBusy}>
        Join
      </button>
      {hasOrganization() && (
        <>
          <p class="or">or</p>
          <ByOrganization isBusy={isBusy} onProblem={setProblem} />
        </>
      )}
    </form>
  );
}
