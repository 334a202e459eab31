/** An action that may need a second person may be answered with a pending approval instead of being done. */
import type { Approval } from '../../client/people.ts';
import { say } from './toasts.tsx';

/** The answer if it was done. If it waits for an approval, says so and returns null. */
export function asked<Done extends object>(answer: Done | Approval): Done | null {
  if (!('object' in answer && answer.object === 'approval')) return answer as Done;
  say('A second person must approve this first. It waits under Approvals; try again once it is approved.');
  return null;
}
