/** The page for people who are not signed in, and for one-time links. */
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../client/client.ts';
import { navigate, place } from '../router.ts';
import { phase, signedIn } from '../state.ts';
import { type Pending, send, useAttempt } from './attempt.ts';
import { FailedLink } from './failed-link.tsx';
import { SecondFactor, SignInForm } from './form.tsx';
import { InvitationForm } from './invitation.tsx';
import { isGate, isInvitation } from './organization.ts';
import { dropToken, hasToken, sentToken } from './sent-token.ts';

const done = (next: Session): void => {
  dropToken();
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
  const isAutomatic = hasToken() && !isInvitation();
  const tryLink = () => {
    const body = { token: sentToken() };
    void attempt(() => send(body), { body });
  };
  useEffect(() => {
    if (!isAutomatic || isTried) return;
    setTried(true);
    tryLink();
  }, [isAutomatic]);
  const leave = () => {
    dropToken();
    navigate(phase.value === 'in' ? '' : 'sign-in', { replace: true });
    setTried(false);
    setPending(null);
  };
  const title = hasToken() && isInvitation() ? 'You are invited' : 'Sign in';
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
        ) : hasToken() && isInvitation() ? (
          <InvitationForm onDone={done} onLeave={leave} />
        ) : (
          <SignInForm said={place.value.query === '?failed=oidc' ? OIDC_FAILED : ''} onDone={done} />
        )}
      </main>
    </div>
  );
}
