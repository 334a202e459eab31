/** Who submitted or did something. */
import type { Batch } from '../../client/client.ts';
import { keyName } from '../format.ts';
import { actorWords, type Names } from './actors.ts';
import { Time } from './common.tsx';

export function Submitter({ by }: { by: Batch['created_by'] }) {
  if (!by) return null;
  if (by.kind === 'key')
    return (
      <>
        by the key <bdi class={by.name === null ? 'id' : undefined}>{keyName(by)}</bdi>
      </>
    );
  return <>by {by.name === null ? 'somebody who has left' : <bdi>{by.name}</bdi>}</>;
}

/** An id may move to a line of its own, but is never broken. */
export function ActorName({ actor, names }: { actor: Parameters<typeof actorWords>[0]; names: Names }) {
  const [words, id] = actorWords(actor, names).split(names.has(actor.id) ? /$/ : /(?=…)/);
  return (
    <bdi>
      {words}
      {id && <span class="id">{id}</span>}
    </bdi>
  );
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
