/**
 * Lets a month of the audit go: every chain that has entries in it gets an entry that names the last of them with its hash, signed by a key that the database does not
 * have. Dropping the month's table is left to the owner of the tables, so it takes two: nobody with the database alone can make verification accept a gap, and
 * nobody with the keys alone can make one.
 */
import { ConfigError } from '../../foundation/config.ts';
import type { Context, Sql } from '../../foundation/context.ts';
import { byOperator, type NewAuditEntry, record } from './append.ts';
import type { Link } from './entry.ts';
import { RETIRE, retirementOf } from './retirement.ts';
import { chainName, sealHeads, verifyAudit } from './verify.ts';

/** Chains that one transaction locks. */
const CHAINS = 100;

/** Records that `month` may go. `statement`: what makes it go, for the owner of the tables. */
export async function retireMonth(
  ctx: Pick<Context, 'sql' | 'cipher'>,
  month: string,
): Promise<{ statement: string; chains: number; entries: number }> {
  const table = `audit_entries_${month.replace('-', '_')}`;
  const [known] = await ctx.sql<{ isOver: boolean; hasTable: boolean; inDefault: boolean; first: string | null }[]>`
    select ${month} < to_char(now() at time zone 'utc', 'YYYY-MM') as is_over, to_regclass('public.' || ${table}::text) is not null as has_table,
      exists (select from audit_entries where at >= ${starts(ctx.sql, month)} and at < ${ends(ctx.sql, month)} and tableoid = to_regclass(${DEFAULT})) as in_default,
      (select to_char(at at time zone 'utc', 'YYYY-MM') from audit_entries order by at limit 1) as first`;
  if (!known!.isOver) throw new ConfigError(`${month} is not over: nothing was recorded`);
  if (!known!.hasTable && !known!.inDefault) throw new ConfigError(`There is nothing of ${month}: nothing was recorded`);
  if (known!.first !== null && known!.first < month)
    throw new ConfigError(`There are entries of ${known!.first}, which has to go before ${month}: nothing was recorded`);
  const { problems } = await verifyAudit(ctx);
  if (problems.length > 0) throw new ConfigError('The audit is not whole (`confam audit verify` says where): nothing was recorded');
  const last = await lastOf(ctx.sql, month);
  for (let at = 0; at < last.length; at += CHAINS) {
    const entries = last.slice(at, at + CHAINS).map(
      ({ appId, seq, hash }): NewAuditEntry => ({
        appId,
        live: null,
        action: RETIRE,
        object: month,
        detail: retirementOf(ctx, appId, month, { seq, hash }),
      }),
    );
    await ctx.sql.begin((tx) => record(tx, byOperator('cli'), ...entries));
  }
  // A seal that is still in the month would be lost with it.
  const broken = await sealHeads(ctx);
  if (broken.length > 0) throw new ConfigError('The audit was changed meanwhile (`confam audit verify` says where): do not drop the table');
  const statement = known!.inDefault ? deletion(month) : `drop table ${table}`;
  return { statement, chains: last.length, entries: last.reduce((sum, { entries }) => sum + entries, 0) };
}

const DEFAULT = 'public.audit_entries_default';

const starts = (sql: Sql, month: string) => sql`(${`${month}-01`}::text::timestamp at time zone 'utc')`;
const ends = (sql: Sql, month: string) => sql`((${`${month}-01`}::text::timestamp + interval '1 month') at time zone 'utc')`;

/** A restore puts months that are over into the default partition. */
function deletion(month: string): string {
  const trigger = (does: string) => `alter table ${DEFAULT} ${does} trigger audit_append_only`;
  const until = `timestamptz '${month}-01Z' at time zone 'utc' + interval '1 month'`;
  return `begin; ${trigger('disable')}; delete from ${DEFAULT} where at >= '${month}-01Z' and at at time zone 'utc' < ${until}; ${trigger('enable')}; commit`;
}

interface LastOfMonth extends Link {
  appId: string;
  entries: number;
}

/** The last entry of the month in each chain. */
async function lastOf(sql: Sql, month: string): Promise<LastOfMonth[]> {
  const last = await sql<(LastOfMonth & { isCut: boolean })[]>`
    select e.app_id, e.seq, e.hash, m.entries, not exists (select from audit_entries l where l.app_id = e.app_id and l.seq < e.seq and l.at >= ${ends(sql, month)}) as is_cut
    from (select app_id, max(seq) as seq, count(*)::int as entries from audit_entries where at < ${ends(sql, month)} group by app_id) m
    join audit_entries e on e.app_id = m.app_id and e.seq = m.seq order by e.app_id`;
  // The clock was set back over the end of the month.
  const mixed = last.find(({ isCut }) => !isCut);
  if (mixed)
    throw new ConfigError(`${chainName(mixed.appId)} has an entry of a later month before its last of ${month}: nothing was recorded`);
  return last.map(({ appId, seq, hash, entries }) => ({ appId, seq: Number(seq), hash, entries }));
}
