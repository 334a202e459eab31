/** How many approvals wait for the person who is signed in: beside the page's name in the menu. */
import { useEffect } from 'preact/hooks';
import type { Overview } from '../../client/client.ts';
import { count } from '../format.ts';
import { useResource } from '../parts/resource.tsx';
import { client, may } from '../state.ts';

const EVERY_MS = 10_000;

/** Approvals that this person may decide. */
export const toDecide = ({ approvals }: Overview): number => (approvals && may('approve') ? approvals.waiting - approvals.own : 0);

export function WaitingCount({ path }: { path: string }) {
  const overview = useResource('waiting approvals', (stop) => client.overview(stop), { everyMs: EVERY_MS });
  useEffect(overview.refresh, [path]);
  const waiting = overview.data === null ? 0 : toDecide(overview.data);
  if (waiting === 0) return null;
  return (
    <>
      {' '}
      <span class="waiting">
        {count(waiting)}
        <span class="unseen"> waiting</span>
      </span>
    </>
  );
}
