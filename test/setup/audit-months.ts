/** Puts entries of a past month into the audit, which the service itself writes only at the time of day. */
import { createHash } from 'node:crypto';
import { GENESIS, hashOf, type Link, type StoredEntry } from '../../src/access/audit/entry.ts';
import { asOwner } from './database.ts';

/** `month`: 2025-01. The table of the month. */
export const tableOf = (month: string): string => `public.audit_entries_${month.replace('-', '_')}`;

/** Appends so many entries to each chain, as if in the month, which gets its table unless `hasTable` is false. */
export const appendInMonth = (databaseUrl: string, month: string, appIds: string[], count: number, hasTable = true): Promise<void> =>
  asOwner(databaseUrl, async (sql) => {
    if (hasTable)
      await sql.unsafe(
        `create table if not exists ${tableOf(month)} partition of audit_entries for values from ('${month}-01Z') to (timestamptz '${month}-01Z' + interval '1 month')`,
      );
    for (const appId of appIds) {
      const [head] = await sql<Link[]>`select seq::float8 as seq, hash from audit_heads where app_id = ${appId}`;
      let last: Link = head ?? { seq: 0, hash: GENESIS };
      for (let i = 0; i < count; i++) {
        const entry = inMonth(month, appId, last);
        await sql`
          insert into audit_entries (app_id, seq, at, actor_kind, actor_id, action, object, outcome, previous, hash)
          values (${appId}, ${entry.seq}, ${entry.at}, ${entry.actorKind}, ${entry.actorId}, ${entry.action}, ${entry.object}, ${entry.outcome}, ${entry.previous}, ${entry.hash})`;
        last = entry;
      }
      await sql`
        insert into audit_heads (app_id, seq, hash) values (${appId}, ${last.seq}, ${last.hash})
        on conflict (app_id) do update set seq = excluded.seq, hash = excluded.hash`;
    }
  });

function inMonth(month: string, appId: string, previous: Link): StoredEntry {
  const entry: StoredEntry = {
    ...{
      appId,
      seq: previous.seq + 1,
      at: `${month}-15T12:00:00.000000Z`,
      live: null,
      actorKind: 'system',
      actorId: 'test',
      address: null,
    },
    ...{ action: 'app.settings', object: createHash('sha256').update(String(previous.seq)).digest('hex').slice(0, 12), subject: null },
    ...{ purpose: null, requestId: null, outcome: 'allowed', code: null, detail: null, previous: previous.hash, hash: GENESIS },
  };
  return { ...entry, hash: hashOf(entry) };
}
