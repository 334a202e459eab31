/**
 * Rotation of the deployment's key, while the service runs. Data keys that another key has wrapped are wrapped again; ciphertexts that a key of `CONFAM_KEYS` has
 * sealed directly, as earlier releases did, are sealed by data keys. Each step is one short transaction that only replaces what it has read, so a rotation may be
 * killed at any moment and started again, also twice at once.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Context } from '../../foundation/context.ts';
import { KeyFault } from '../../foundation/crypto.ts';
import { NIL_ID } from '../../foundation/ids.ts';
import { recordset } from '../../foundation/recordset.ts';
import type { Wrapping } from '../../foundation/wrapping.ts';
import { SEALED_TABLES, type SealedColumn } from './sealed-columns.ts';

interface Rotated {
  /** Data keys that are wrapped by the current key now, of how many. */
  keys: number;
  keysOf: number;
  /** Ciphertexts that were sealed again by a data key. */
  sealed: number;
  /** What could not be opened, with the missing key. It was left unchanged. */
  faults: string[];
}

type Progress = (at: Rotated & { place: string }) => void;
type Tell = (place: string) => void;

/** Data keys of one step. A key service takes that many in one request. */
const KEYS = 500;
/** Rows whose first bytes one statement looks at. */
const ROWS = 5_000;
const FAULTS_SHOWN = 20;

export async function rotateKeys(ctx: Context, wrapping: Wrapping, onProgress: Progress = () => {}): Promise<Rotated> {
  const rotated: Rotated = { keys: 0, keysOf: 0, sealed: 0, faults: [] };
  const faults = new Set<string>();
  const tell = (place: string) => {
    rotated.faults = [...faults].slice(0, FAULTS_SHOWN);
    onProgress({ ...rotated, place });
  };
  await rewrap(ctx, wrapping, rotated, faults, tell);
  for (const columns of SEALED_TABLES) await sealAgain(ctx, columns, rotated, faults, tell);
  rotated.faults = [...faults].slice(0, FAULTS_SHOWN);
  return rotated;
}

async function rewrap({ sql }: Context, wrapping: Wrapping, rotated: Rotated, faults: Set<string>, tell: Tell): Promise<void> {
  const current = await wrapping.current();
  const [count] = await sql<{ due: number }[]>`select count(*)::int as due from data_keys where wrapped_by <> ${current}`;
  rotated.keysOf = count!.due;
  let after = NIL_ID;
  for (;;) {
    const began = performance.now();
    const due = await sql<{ id: string; wrapped: Buffer }[]>`
      select id, wrapped from data_keys where wrapped_by <> ${current} and id > ${after} order by id limit ${KEYS}`;
    if (due.length === 0) return;
    after = due.at(-1)!.id;
    // No transaction waits for the key service.
    const results = await wrapping.rewrap(due);
    const done = due.flatMap(({ id, wrapped }, i) => {
      const result = results[i]!;
      if (!(result instanceof KeyFault)) return [{ id, before: wrapped, ...result }];
      faults.add(result.message);
      return [];
    });
    const changed = await sql`
      update data_keys k set wrapped = d.wrapped, wrapped_by = d.by
      from ${recordset(sql, done, { id: ['uuid', (d) => d.id], before: ['bytea', (d) => d.before], wrapped: ['bytea', (d) => d.wrapped], by: ['text', (d) => d.by] })} d
      where k.id = d.id and k.wrapped = d.before`;
    rotated.keys += changed.count;
    tell('data_keys');
    await rest(performance.now() - began);
  }
}

/** Which rows: those after `after` (null: from the first on) and up to `to` (null: to the last), by their primary key as text. */
interface Range {
  after: string[] | null;
  to: string[] | null;
}

/** SQL for the key of a row: to order by it, as text, and from parameters. */
function keyOf({ key }: SealedColumn) {
  const columns = Object.entries(key);
  const from = (at: number) =>
    columns.map(([, type], i) => (type === 'bytea' ? `decode($${at + i}, 'hex')` : `$${at + i}::text::${type}`)).join(', ');
  return {
    ordered: columns.map(([name]) => `t.${name}`).join(', '),
    text: `array[${columns.map(([name, type]) => (type === 'bytea' ? `encode(t.${name}, 'hex')` : `t.${name}::text`)).join(', ')}]`,
    from,
  };
}

function within(column: SealedColumn, { after, to }: Range): { where: string; values: string[] } {
  const { ordered, from } = keyOf(column);
  const beyond = after ? `(${ordered}) > (${from(1)})` : 'true';
  const upTo = to ? `(${ordered}) <= (${from((after?.length ?? 0) + 1)})` : 'true';
  return { where: `${beyond} and ${upTo}`, values: [...(after ?? []), ...(to ?? [])] };
}

/** What a data key has sealed begins with 0. */
const isDirect = (name: string): string => `octet_length(t.${name}) > 0 and substring(t.${name} for 1) <> '\\x00'`;

/** Goes through a table by its primary key, so that no statement reads much of it. `columns`: those of the table. */
async function sealAgain(
  ctx: Context,
  columns: readonly [SealedColumn, ...SealedColumn[]],
  rotated: Rotated,
  faults: Set<string>,
  tell: Tell,
): Promise<void> {
  const [first] = columns;
  const { ordered, text } = keyOf(first);
  const isDue = columns.map(({ column }) => `(${isDirect(column)})`).join(' or ');
  for (let after: string[] | null = null; ; ) {
    const { where, values } = within(first, { after, to: null });
    const [page] = await ctx.sql.unsafe<{ rows: number; isDue: boolean; last: string[] | null }[]>(
      `with page as materialized (
         select ${ordered}, (${isDue}) as due, row_number() over (order by ${ordered}) as n from ${first.table} t where ${where} order by ${ordered} limit ${ROWS})
       select count(*)::int as rows, coalesce(bool_or(due), false) as "isDue", (select ${text} from page t order by n desc limit 1) as last from page`,
      values,
    );
    const { rows, last } = page!;
    if (page!.isDue) for (const column of columns) await sealWithin(ctx, column, { after, to: last }, rotated, faults, tell);
    tell(first.table);
    if (rows < ROWS) return;
    after = last;
  }
}

async function sealWithin(
  ctx: Context,
  column: SealedColumn,
  { after, to }: Range,
  rotated: Rotated,
  faults: Set<string>,
  tell: Tell,
): Promise<void> {
  for (let at: string[] | null = after; ; ) {
    const began = performance.now();
    const last: string[] | null = await sealSome(ctx, column, { after: at, to }, rotated, faults);
    if (last === null) return;
    tell(`${column.table}.${column.column}`);
    at = last;
    await rest(performance.now() - began);
  }
}

interface Direct {
  key: string[];
  sealed: Buffer;
  bound: string;
  appId: string | null;
  batchId: string | null;
}

/** Seals the first of the rows in a range that need it, and returns the key of the last of them; null if there is none. */
async function sealSome(ctx: Context, column: SealedColumn, range: Range, rotated: Rotated, faults: Set<string>): Promise<string[] | null> {
  const { table, column: name, purpose, bound, app, batch, join } = column;
  const { ordered, text, from } = keyOf(column);
  const { where, values } = within(column, range);
  const found = await ctx.sql.unsafe<Direct[]>(
    `select ${text} as key, t.${name} as sealed, ${bound} as bound, ${app} as app_id, ${batch} as batch_id from ${table} t ${join}
     where ${where} and ${isDirect(name)} order by ${ordered} limit ${column.step}`,
    values,
  );
  if (found.length === 0) return null;
  const again: { key: string[]; before: Buffer; sealed: Buffer }[] = [];
  for (const row of found) {
    try {
      const plain = await ctx.cipher.openBytes(row.sealed, purpose, row.bound);
      again.push({ key: row.key, before: row.sealed, sealed: (await ctx.cipher.sealer(row)).seal(plain, purpose, row.bound) });
    } catch (error) {
      // A deleted batch no longer has a key, and the sweeper is deleting its rows.
      if (!(error instanceof KeyFault)) faults.add(`${table}.${name}: a ciphertext does not open: it was altered`);
      else if (row.batchId === null || !(await isDeleted(ctx, row.batchId))) faults.add(`${table}.${name}: ${error.message}`);
    }
  }
  const keyed = Object.keys(column.key).map((part) => `t.${part}`);
  await ctx.sql.begin(async (tx) => {
    const written = await Promise.all(
      again.map(({ key, before, sealed }) =>
        tx.unsafe(`update ${table} t set ${name} = $1::bytea where (${keyed.join(', ')}) = (${from(3)}) and ${name} = $2::bytea`, [
          sealed,
          before,
          ...key,
        ]),
      ),
    );
    rotated.sealed += written.reduce((sum, { count }) => sum + count, 0);
  });
  return found.at(-1)!.key;
}

const isDeleted = async ({ sql }: Context, id: string): Promise<boolean> =>
  (await sql`select 1 from batches where id = ${id} and deleted_at is not null`).length > 0;
