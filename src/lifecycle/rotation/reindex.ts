/**
 * Carries stored hashes on to the current index key, while the service runs. No identifier is opened for that: a later key is applied to what an earlier one made
 * (`foundation/index-keys.ts`). Only marks of rows, which are too short for that, are computed again from the rows. Each step is one short transaction that replaces what it has
 * read, and a hash names its key, so a run may be killed at any moment and started again, also twice at once.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { renewSeals } from '../../access/audit/verify.ts';
import { renewMonitors } from '../../aml/start-monitoring.ts';
import { ConfigError } from '../../foundation/config.ts';
import type { Context } from '../../foundation/context.ts';
import { NIL_ID } from '../../foundation/ids.ts';
import { type Columns, recordset } from '../../foundation/recordset.ts';
import { carryHoldsOn, dropOlderHashes } from '../holds.ts';
import { markAgain } from '../mark-rows.ts';
import { renewReceipts, TABLES_OF_RECEIPTS } from '../receipts.ts';

interface Reindexed {
  /** Rows now under the current key, by table. */
  renewed: Record<string, number>;
  /** What could not be carried on, as sentences. It was left unchanged. */
  faults: string[];
  /** Hashes by an older key that nobody carries on: they expire, or must stay as they were written. */
  older: { table: string; rows: number; until: string | null }[];
}

interface Indexed {
  table: string;
  /** What steps go by. */
  key: 'id' | 'hash';
  columns: readonly string[];
  /** Columns that are a hash only under this condition. */
  where?: string;
}

/** Every column with a hash that lasts, apart from those that need more than a new hash. A test compares it with the tables. */
export const INDEXED: readonly Indexed[] = [
  { table: 'people', key: 'id', columns: ['email_index', 'oidc_index'] },
  { table: 'recovery_codes', key: 'hash', columns: ['hash'] },
  { table: 'consent_withdrawals', key: 'id', columns: ['reference'] },
  { table: 'aml_monitors', key: 'id', columns: ['consent'] },
  { table: 'aml_clearances', key: 'id', columns: ['subject'] },
  { table: 'aml_clearances', key: 'id', columns: ['source_index', 'digest'], where: 't.source_index is not null' },
  { table: 'aml_monitor_hits', key: 'id', columns: ['source_index', 'digest'], where: 't.source_index is not null' },
  { table: 'sandbox_portraits', key: 'id', columns: ['subject'] },
  { table: 'batches', key: 'id', columns: ['reference_index'] },
  { table: 'jobs', key: 'id', columns: ['subject', 'reference_index'] },
];

/** Rows of one transaction. */
const STEP = 500;
/** Rows that one statement looks at. */
const ROWS = 5_000;
const UNIQUE_VIOLATION = '23505';

type Progress = (place: string, renewed: number) => void;

/** Throws `ConfigError` if the current key is not the newest one. */
export async function renewIndexes(ctx: Context, stop: AbortSignal, onProgress: Progress = () => {}): Promise<Reindexed> {
  const { currentKey, newestKey } = ctx.cipher;
  if (currentKey !== newestKey)
    throw new ConfigError(
      `CONFAM_INDEX_KEY: key ${newestKey} is known, but key ${currentKey} is the current one: put key ${newestKey} first`,
    );
  const renewed: Record<string, number> = {};
  const faults: string[] = [];
  const count = (table: string, more: number): void => {
    if (more > 0) renewed[table] = (renewed[table] ?? 0) + more;
    onProgress(table, renewed[table] ?? 0);
  };
  // Nothing can be older than the first key.
  if (currentKey > 1) {
    await carryHoldsOn(ctx);
    for (const indexed of INDEXED) await renewTable(ctx, indexed, stop, count, faults);
    await inSteps(
      stop,
      () => renewMonitors(ctx, STEP),
      (n) => count('aml_monitors', n),
    );
    for (const table of TABLES_OF_RECEIPTS)
      await inSteps(
        stop,
        () => renewReceipts(ctx, table, STEP),
        (n) => count(table, n),
      );
    count('audit_seals', await renewSeals(ctx));
    await inSteps(
      stop,
      () => markAgain(ctx, stop),
      (n) => count('row_marks', n),
    );
    // Only once no data is left that only an older hash would find.
    if (!stop.aborted && faults.length === 0) count('subject_holds', await dropOlderHashes(ctx));
  }
  return { renewed, faults, older: currentKey > 1 ? await readOlder(ctx) : [] };
}

/** `step` returns how much it did; 0: there is no more. Rests after each as long as it took. */
async function inSteps(stop: AbortSignal, step: () => Promise<number>, did: (count: number) => void): Promise<void> {
  while (!stop.aborted) {
    const began = performance.now();
    const count = await step();
    if (count === 0) return;
    did(count);
    await rest(performance.now() - began);
  }
}

/** A hash by an earlier key than `key`, in SQL. */
const isOlder = (column: string, key: number): string =>
  `(octet_length(${column}) in (16, 32) or octet_length(${column}) in (17, 33) and get_byte(${column}, 0) < ${key})`;

const TEXT = { id: 't.id::text', hash: "encode(t.hash, 'hex')" } as const;
const READ = { id: '$1::text::uuid', hash: "decode($1, 'hex')" } as const;
const FIRST = { id: NIL_ID, hash: '' } as const;

/** Goes through a table by its key, so that no statement reads much of it. */
async function renewTable(
  ctx: Context,
  { table, key, columns, where = 'true' }: Indexed,
  stop: AbortSignal,
  count: (table: string, more: number) => void,
  faults: string[],
): Promise<void> {
  const due = columns.map((column) => isOlder(`t.${column}`, ctx.cipher.currentKey)).join(' or ');
  let twins = 0;
  for (let after: string = FIRST[key], isLast = false; !isLast && !stop.aborted; ) {
    const [range] = await ctx.sql.unsafe<{ rows: number; last: string | null }[]>(
      `select count(*)::int as rows, max(k) as last from (select ${TEXT[key]} as k from ${table} t where t.${key} > ${READ[key]} order by t.${key} limit ${ROWS}) r`,
      [after],
    );
    isLast = range!.rows < ROWS;
    if (range!.last === null) break;
    const read = key === 'id' ? '$2::text::uuid' : "decode($2, 'hex')";
    const rows = await ctx.sql.unsafe<Row[]>(
      `select ${TEXT[key]} as k, array[${columns.map((column) => `coalesce(encode(t.${column}, 'hex'), '')`).join(', ')}] as hashes from ${table} t
       where t.${key} > ${READ[key]} and t.${key} <= ${read} and ${where} and (${due}) order by t.${key}`,
      [after, range!.last],
    );
    for (let at = 0; at < rows.length && !stop.aborted; at += STEP) {
      const began = performance.now();
      const replaced = await replace(ctx, { table, key, columns }, rows.slice(at, at + STEP));
      twins += replaced.twins;
      count(table, replaced.count);
      await rest(performance.now() - began);
    }
    after = range!.last;
  }
  if (twins > 0) faults.push(`${table}: ${twins} rows have a twin by the current key, which stands in their place`);
}

interface Row {
  k: string;
  /** In hex; empty: null. The driver reads no nulls in arrays. */
  hashes: string[];
}

/** Rows that changed in the meantime stay as they are now. `twins`: how many would not be unique. */
async function replace(
  { sql, cipher }: Context,
  { table, key, columns }: Pick<Indexed, 'table' | 'key' | 'columns'>,
  rows: readonly Row[],
): Promise<{ count: number; twins: number }> {
  const changes = rows.map(({ k, hashes }) => {
    const before = hashes.map((hex) => (hex === '' ? null : Buffer.from(hex, 'hex')));
    return { k, before, after: before.map((hash) => hash && cipher.renewed(hash)) };
  });
  type Change = (typeof changes)[number];
  const keyColumn: Columns<Change> = { k: key === 'id' ? ['uuid', ({ k }) => k] : ['bytea', ({ k }) => Buffer.from(k, 'hex')] };
  const hashColumns = columns.map(
    (_, i): Columns<Change> => ({ [`old${i}`]: ['bytea', ({ before }) => before[i]!], [`new${i}`]: ['bytea', ({ after }) => after[i]!] }),
  );
  const set = columns.map((column, i) => `${column} = d.new${i}`).join(', ');
  const same = columns.map((column, i) => `t.${column} is not distinct from d.old${i}`).join(' and ');
  try {
    const changed = await sql.begin(async (tx) => {
      const of = tx.unsafe(`t.${key}`);
      // In order, as everybody locks them.
      await tx`
        select 1 from ${tx.unsafe(table)} t join ${recordset(tx, changes, keyColumn)} d on ${of} = d.k order by ${of} for no key update of t`;
      return tx`
        update ${tx.unsafe(table)} t set ${tx.unsafe(set)} from ${recordset(tx, changes, Object.assign({}, keyColumn, ...hashColumns))} d
        where ${of} = d.k and ${tx.unsafe(same)}`;
    });
    return { count: changed.count, twins: 0 };
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    if (rows.length === 1) return { count: 0, twins: 1 };
    const each = { count: 0, twins: 0 };
    for (const row of rows) {
      const one = await replace({ sql, cipher } as Context, { table, key, columns }, [row]);
      each.count += one.count;
      each.twins += one.twins;
    }
    return each;
  }
}

async function readOlder({ sql, cipher }: Context): Promise<Reindexed['older']> {
  const counted = await sql.unsafe<Reindexed['older']>(
    `select 'cache_records' as "table", count(*)::int as rows, max(expires_at)::text as until from cache_records where ${isOlder('key', cipher.currentKey)}
     union all select 'pending_lookups', count(*)::int, max(expires_at)::text from pending_lookups where ${isOlder('key', cipher.currentKey)}
     union all select 'idempotency_keys', count(*)::int, max(expires_at)::text from idempotency_keys where ${isOlder('key', cipher.currentKey)}`,
  );
  return counted.filter(({ rows }) => rows > 0).map((one) => ({ ...one }));
}
