/** Looks up the names of the keys and people behind a batch or job. The batch or job itself stores only their ids. */
import type { CreatedBy, Submitter } from '../contract/created-by.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { Owner } from './owner.ts';

/** What is needed to read names. Within a transaction, its `sql`. */
export interface NameSource {
  sql: Sql | Tx;
  cipher: Context['cipher'];
}

/** `asking`: the reader, whose own key needs no query. Somebody who has left no longer has a name. */
export async function readSubmitters(
  source: NameSource,
  asking: Pick<Owner, 'keyId' | 'terms'>,
  rows: readonly Submitter[],
): Promise<(row: Submitter) => CreatedBy> {
  const names = new Map<string, string | null>();
  if (asking.keyId && asking.terms) names.set(asking.keyId, asking.terms.name);
  const unknown = (ids: readonly (string | null)[]) => [...new Set(ids)].filter((id) => id !== null && !names.has(id)) as string[];
  const [keys, people] = [unknown(rows.map(({ keyId }) => keyId)), unknown(rows.map(({ personId }) => personId))];
  for (const [id, name] of await readNames(source, keys, people)) names.set(id, name);
  return ({ keyId, personId }) => {
    const [kind, prefix, id] = personId === null ? (['key', 'key', keyId] as const) : (['person', 'per', personId] as const);
    return id === null ? null : { kind, id: showId(prefix, id), name: names.get(id) ?? null };
  };
}

/** By id (`key_…`, `per_…`). Ids without a name are left out. */
export async function namesById(source: NameSource, ids: readonly (string | null)[]): Promise<Record<string, string>> {
  const of = (prefix: 'key' | 'per') => [...new Set(ids.flatMap((id) => (id === null ? [] : (parseId(prefix, id) ?? []))))];
  const [keys, people] = [of('key'), of('per')];
  const names = await readNames(source, keys, people);
  const shown = (prefix: 'key' | 'per', some: readonly string[]) =>
    some.flatMap((id) => {
      const name = names.get(id);
      return name ? [[showId(prefix, id), name] as const] : [];
    });
  return Object.fromEntries([...shown('key', keys), ...shown('per', people)]);
}

/** The name of a person without one is the e-mail address. */
async function readNames(
  { sql, cipher }: NameSource,
  keys: readonly string[],
  people: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (keys.length + people.length === 0) return new Map();
  const found = await sql<{ id: string; name: string | null; sealed: Buffer | null; column: string }[]>`
    select id, name, null::bytea as sealed, '' as column from api_keys where id = any(${keys as string[]}::uuid[])
    union all select id, null, coalesce(name, email), case when name is null then 'person_email' else 'person_name' end
    from people where id = any(${people as string[]}::uuid[])`;
  const { open } = await cipher.opener(found.map(({ sealed }) => sealed));
  return new Map(found.map(({ id, name, sealed, column }) => [id, sealed ? open(sealed, column, id) : name]));
}
