/** A one-time link that did not work. */
import { Refused } from '../../client/errors.ts';
import { isPassing, problemOf } from './attempt.ts';

interface FailedLinkProps {
  failure: unknown;
  /** Offered if the link may still work. */
  onRetry: () => void;
  onLeave: () => void;
}

export const FailedLink = ({ failure, onRetry, onLeave }: FailedLinkProps) => (
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
