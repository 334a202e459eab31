/**
 * What a completed row leaves on the disk and writes to the log. Before and after a batch of `nin_advance` everything is vacuumed and written out. The difference
 * of all tables with their indexes is the disk's part, that of the log's position during the batch is the WAL's. Marks for erasure that the sweeper writes later
 * are in neither.
 */
import type postgres from 'postgres';
import { untilCompleted } from './batch.ts';
import type { Figure, Report } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size } from './harness.ts';

const ROWS: Size = { full: 100_000, tiny: 1_000 };
/** Before results were in blocks: the lowest figures that an earlier session measured (2,111–2,118 and 2,231–2,466). Half of them is the target. */
const BEFORE = { disk: 2_111, wal: 2_231 };
/** Tables that are named in the figure. */
const SHOWN = 8;

export async function bytes(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, ROWS);
  const { sql, ...confam } = await bench.startConfam(options.backend);
  const app = await confam.createApp('Bytes');
  // By now statements are prepared, and data that is written only once exists.
  await untilCompleted(sql, (await app.upload(500)).id);
  const before = await settled(sql);
  const { id } = await app.upload(rows);
  await untilCompleted(sql, id);
  const walBytes = Number((await position(sql)) - before.wal);
  const after = await settled(sql);
  await confam.stop();
  const grown = [...after.sizes].map(([name, size]) => [name, (size - (before.sizes.get(name) ?? 0)) / rows] as const);
  const disk = grown.reduce((sum, [, size]) => sum + size, 0);
  const most = grown.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  const figure = (what: string, measured: number, reference: number, parts?: string): Figure => ({
    what,
    measured: `${Math.round(measured).toLocaleString('en')} bytes`,
    reference: `${reference.toLocaleString('en')} before results were in blocks${parts ? `; ${parts}` : ''}`,
    ratio: (measured / reference).toFixed(2),
    target: '≤ 0.5',
    ok: measured <= reference / 2,
  });
  const shown = rows.toLocaleString('en');
  return {
    figures: [
      figure(
        `on the disk, a row of ${shown}, all tables and indexes`,
        disk,
        BEFORE.disk,
        most.map(([name, size]) => `${name} ${Math.round(size)}`).join(', '),
      ),
      figure(`WAL, a row of ${shown}, from the upload to the end of the batch`, walBytes / rows, BEFORE.wal),
    ],
    detail: { rows, disk, walBytes, grown: Object.fromEntries(grown) },
  };
}

/** Bytes of every table with its indexes, and the log's position, once nothing is left to be cleaned up or written. */
async function settled(sql: postgres.Sql): Promise<{ sizes: Map<string, number>; wal: bigint }> {
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  const tables = await sql<{ name: string; size: number }[]>`
    select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid)::float8 as size
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;
  return { sizes: new Map(tables.map(({ name, size }) => [name, size])), wal: await position(sql) };
}

async function position(sql: postgres.Sql): Promise<bigint> {
  const [row] = await sql<{ at: string }[]>`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as at`;
  return BigInt(row!.at);
}
