/** Who submitted something. */
import type { Batch } from '../../client/client.ts';
import { shortId } from '../format.ts';
import { Time } from './common.tsx';

export function Submitter({ by }: { by: Batch['created_by'] }) {
  if (!by) return null;
  if (by.kind === 'key') return <>by the key {by.name === null ? <span class="id">{shortId(by.id)}</span> : <bdi>{by.name}</bdi>}</>;
  return <>by {by.name === null ? 'somebody who has left' : <bdi>{by.name}</bdi>}</>;
}

/** A cell of a table: when, and below it by whom. */
export const Submitted = ({ at, by }: { at: string; by: Batch['created_by'] }) => (
  <>
    <Time at={at} />
    <small class="block soft">
      <Submitter by={by} />
    </small>
  </>
);
