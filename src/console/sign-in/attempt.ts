/** One attempt to sign in: what is sent, and how a failure is described. */
import { useState } from 'preact/hooks';
import type { Session } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { waitFor } from '../format.ts';
import { useOnce } from '../parts/once.ts';
import { labelled } from '../parts/refusals.ts';
import { client } from '../state.ts';

/** What was sent before the service asked for a second factor. */
export interface Pending {
  body: { email: string; password: string } | { token: string };
  factors: string[];
}

type Second = { code?: string; recovery_code?: string };

export const send = (body: Pending['body'], second: Second = {}): Promise<Session> =>
  'token' in body ? client.session.useLink({ ...body, ...second }) : client.session.signIn({ ...body, ...second });

/** `advice`: what to do if what was shown to sign in with is refused. */
export function problemOf(error: unknown, advice = ''): string {
  if (!(error instanceof Refused)) return 'The service cannot be reached. Check your connection and try again.';
  const { code, retryAfterSeconds: seconds } = error;
  if (code === 'rate_limited' && seconds !== null) return `Too many attempts to sign in. Try again in ${waitFor(seconds)}.`;
  return code === 'unauthenticated' && advice ? `${labelled(error)} ${advice}` : labelled(error);
}

/** Whether the same attempt may succeed later. */
export const isPassing = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500 || error.status === 429;

interface Attempt {
  /** What is sent again with a second factor. */
  body?: Pending['body'];
  advice?: string;
}

/** One attempt at a time, and its outcome. `said`: what is wrong before the first. */
export function useAttempt(onDone: (session: Session) => void, onSecond: (pending: Pending) => void, said = '') {
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
