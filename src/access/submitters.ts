/** Names of the keys and people that submitted jobs and batches. They are read when they are shown: only ids are stored with the work. */
import type { CreatedBy, Submitter } from '../contract/created-by.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import type { Owner } from './owner.ts';

/** `asking`: whoever reads; its own key needs no query. Somebody who has left the app has no name any more. */
export async function readSubmitters(
  { sql, cipher }: { sql: Sql | Tx; cipher: Context['cipher'] },
  asking: Pick<Owner, 'keyId' | 'terms'>,
  rows: readonly Submitter[],
): Promise<(row: Submitter) => CreatedBy> {
  const names = new Map<string, string | null>();
  if (asking.keyId && asking.terms) names.set(asking.keyId, asking.terms.name);
  const unknown = (ids: readonly (string | null)[]) => [...new Set(ids)].filter((id) => id !== null && !names.has(id)) as string[];
  const [keys, people] = [unknown(rows.map(({ keyId }) => keyId)), unknown(rows.map(({ personId }) => personId))];
  if (keys.length + people.length > 0) {
    const found = await sql<{ id: string; name: string | null; sealed: Buffer | null }[]>`
      select id, name, null::bytea as sealed from api_keys where id = any(${keys}::uuid[])
      union all select id, null, name from people where id = any(${people}::uuid[])`;
    for (const { id, name, sealed } of found) names.set(id, sealed ? cipher.open(sealed, 'person_name', id) : name);
  }
  return ({ keyId, personId }) => {
    const [kind, prefix, id] = personId === null ? (['key', 'key', keyId] as const) : (['person', 'per', personId] as const);
    return id === null ? null : { kind, id: showId(prefix, id), name: names.get(id) ?? null };
  };
}
