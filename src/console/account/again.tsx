/** Changing how one signs in needs a recent sign-in. If it is too long ago, a form in front of the page asks for one, and then the change goes ahead. */
import { useState } from 'preact/hooks';
import { Refused } from '../../client/errors.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SignInForm } from '../sign-in/form.tsx';
import { phase, session, signedIn } from '../state.ts';

type Question = { answered: (isSignedIn: boolean) => void };

/** `fresh(work)`: does the work, after signing in again if needed. Throws as `work` does. Put `dialog` into the page. */
export function useFresh() {
  const [question, setQuestion] = useState<Question | null>(null);
  const fresh = async <Done,>(work: () => Promise<Done>): Promise<Done> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'sign_in_again')) throw error;
      const isSignedIn = await new Promise<boolean>((answered) => setQuestion({ answered }));
      setQuestion(null);
      if (!isSignedIn) throw error;
      return work();
    }
  };
  const dialog = question && (
    <Dialog title="Sign in again" onClose={() => question.answered(false)}>
      <p>Changing how you sign in requires a sign-in within the last 15 minutes.</p>
      {!session.value!.factors.password && (
        <p class="soft">You have no password: use a passkey, your organization, or a new sign-in link from your administrator.</p>
      )}
      <SignInForm email={session.value!.person.email} onDone={(next) => question.answered(signedIn(next))} />
      <button type="button" onClick={() => question.answered(false)}>
        Back
      </button>
    </Dialog>
  );
  return { fresh, dialog };
}

/** The page stays while its person signs in again. */
export const SessionEnded = () =>
  phase.value === 'expired' ? (
    <Dialog title="Your session has ended" onClose={null}>
      <p>Sign in again to continue where you were.</p>
      <SignInForm email={session.value!.person.email} onDone={signedIn} />
    </Dialog>
  ) : null;

export type Fresh = ReturnType<typeof useFresh>['fresh'];
