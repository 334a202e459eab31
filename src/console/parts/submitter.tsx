/** Who submitted a batch or a job. */
import type { Batch } from '../../client/client.ts';
import { shortId } from '../format.ts';

export function Submitter({ by }: { by: Batch['created_by'] }) {
  if (!by) return null;
  if (by.kind === 'key') return <>by the key {by.name === null ? <span class="id">{shortId(by.id)}</span> : <bdi>{by.name}</bdi>}</>;
  return <>by {by.name === null ? 'somebody who has left' : <bdi>{by.name}</bdi>}</>;
}
