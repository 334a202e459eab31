/**
 * Writes batches that have just ended straight into the tables, for `lifecycle.ts`, by the same code that seals rows and results; a million through the service
 * would measure that. All but the last have ids of last month. Prints how long it took once all are there.
 */
import { BlockWriter, insertBlocks, writeBlocks } from '../src/batches/row-blocks.ts';
import { openSql } from '../src/foundation/context.ts';
import { openDeploymentKeys } from '../src/foundation/crypto.ts';
import { openDataKeys } from '../src/foundation/data-keys.ts';
import { firstIdAt, newId } from '../src/foundation/ids.ts';
import { openIndexer } from '../src/foundation/index-keys.ts';
import { recordset } from '../src/foundation/recordset.ts';
import { openWrapping } from '../src/foundation/wrapping.ts';
import { STORED_AS } from '../src/jobs/release.ts';
import { BLOCK_JOBS, sealBlock } from '../src/jobs/result-blocks.ts';
import { markRows } from '../src/lifecycle/mark-rows.ts';
import { monthsAgo } from '../test/setup/months.ts';

/** One is sealed while the database stores another. */
const MADE_AT_ONCE = 2;
const SLICE = 2_048;

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** What is to be made, in the variable ROWS. */
export interface Rows {
  databaseUrl: string;
  key: string;
  indexKey: string;
  appId: string;
  /** Of last month; there is one more of this month. */
  batches: number;
  /** People in each. */
  perBatch: number;
  /** They are numbered on from here. */
  firstNin: number;
}

export interface Made {
  madeMs: number;
  markedMs: number;
}

const rows = JSON.parse(process.env.ROWS!) as Rows;
const sql = openSql(rows.databaseUrl, 4);
const direct = openDeploymentKeys(rows.key);
const cipher = openDataKeys(sql, { wrapping: openWrapping(direct, null), direct, indexer: openIndexer(rows.indexKey) });
const began = performance.now();
let msOfLastMonth = monthsAgo(1).starts;
/** Ids of last month are one a millisecond. */
const idOfLastMonth = (): string => firstIdAt(msOfLastMonth++);
const made = Array.from({ length: rows.batches + 1 }, (_, batch) => batch).values();
const make = async () => {
  for (const batch of made)
    await makeBatch(rows.firstNin + batch * rows.perBatch, rows.perBatch, batch < rows.batches ? idOfLastMonth : newId);
};
await Promise.all(Array.from({ length: MADE_AT_ONCE }, make));
const madeMs = performance.now() - began;
await markRows({ sql, cipher }, new AbortController().signal, { restless: true });
const markedMs = performance.now() - began - madeMs;
await sql.end();
console.log(JSON.stringify({ madeMs, markedMs } satisfies Made));

/** A batch of `count` people that has just ended, with sealed rows and results, and no charge. */
async function makeBatch(firstNin: number, count: number, newId: () => string): Promise<void> {
  const { appId } = rows;
  const id = newId();
  await sql`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, stored_as, rows, jobs, queued, completed, found, invalid, quote_kobo,
      hold_kobo, started_at, completed_at)
    values (${id}, ${appId}, false, 'completed', '{nin_basic}', 'csv', '{reference,nin}', '{"nin": "nin", "reference": "reference"}', ${STORED_AS}, ${count},
      ${count}, 0, ${count}, ${count}, 0, 0, 0, now(), now())`;
  const sealer = await cipher.sealer({ appId, batchId: id });
  const writer = new BlockWriter(sealer, id);
  for (let from = 1; from <= count; from += SLICE) {
    const numbers = Array.from({ length: Math.min(SLICE, count - from + 1) }, (_, at) => from + at);
    const rowBlocks = numbers.flatMap((row) => writer.add(row, [`c-${row}`, String(firstNin + row - 1)]) ?? []);
    const last = from + SLICE > count ? writer.end() : null;
    const results = chunksOf(numbers, BLOCK_JOBS).map((slots) => {
      const block = newId();
      const entities = slots.map((row) => ({
        nin: String(firstNin + row - 1),
        firstname: 'Ada',
        surname: `Obi ${row}`,
        birthdate: '1990-02-01',
      }));
      return { block, slots, sealed: sealBlock(sealer, { batchId: id, id: block }, entities) };
    });
    const jobs = results.flatMap(({ block, slots }) => slots.map((row, slot) => ({ row, block, slot })));
    await sql.begin(async (tx) => {
      await insertBlocks(tx, id, writeBlocks(last ? [...rowBlocks, last] : rowBlocks));
      await tx`
        insert into result_blocks (batch_id, id, check_id, sealed)
        select ${id}, id, 'nin_basic', sealed from ${recordset(tx, results, { id: ['uuid', (r) => r.block], sealed: ['bytea', (r) => r.sealed] })} t`;
      await tx`
        insert into jobs (id, app_id, batch_id, live, check_id, family, status, outcome, price_kobo, cached_price_kobo, attempt, provider, completed_at,
          row_number, subject, result_block, result_slot)
        select id, ${appId}, ${id}, false, 'nin_basic', 'nin', 'completed', 'found', 0, 0, 1, 'sandbox', now(), row_number, subject, block, slot
        from ${recordset(tx, jobs, {
          id: ['uuid', () => newId()],
          row_number: ['int', ({ row }) => row],
          subject: ['bytea', ({ row }) => cipher.index('subject', 'nin', String(firstNin + row - 1))],
          block: ['uuid', ({ block }) => block],
          slot: ['int', ({ slot }) => slot],
        })} t`;
    });
  }
}
