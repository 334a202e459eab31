/**
 * What one Postgres carries: rows a second of a batch by the number of pool processes, the processor time that a row costs and where, and what the
 * database's sessions wait for meanwhile.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { untilCompleted } from './batch.ts';
import { perSecond, type Report } from './figure.ts';
import { type Bench, type Confam, type Options, rowsOf, type Size } from './harness.ts';
import { childOf } from './memory.ts';
import { sampleWaits, shown } from './waits.ts';

const ROWS: Size = { full: 50_000, tiny: 1_000 };
const POOLS = [1, 2, 4];
/** A deployment's first batch is slower, because query plans and chunk sizes are still unknown. */
const WARM_ROWS: Size = { full: 10_000, tiny: 500 };
/** Of Postgres, pools and dispatcher, with one pool process. */
const MICROS_A_ROW_MAX = 130;
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export async function scaling(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, ROWS);
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Scaling');
  const warm = await app.upload(options.tiny ? WARM_ROWS.tiny : WARM_ROWS.full);
  await untilCompleted(confam.sql, warm.id);
  const report: Report = { figures: [], detail: {} };
  const workers: number[] = [];
  for (const pools of POOLS) {
    while (workers.length + 1 < pools) workers.push(await bench.startWorker(confam));
    const manual = await app.upload(rows, { start: 'manual' });
    const before = await usage(confam, workers);
    const over = new AbortController();
    const waits = sampleWaits(confam.sql, over.signal);
    await start(confam, app.headers, manual.id);
    const { ms } = await untilCompleted(confam.sql, manual.id);
    over.abort();
    const after = await usage(confam, workers);
    const spent = Object.fromEntries(
      Object.keys(after).map((who) => [who, Math.round(((after[who as keyof Usage] - before[who as keyof Usage]) / rows) * 1e6)]),
    );
    const waited = await waits;
    report.figures.push({
      what: `${rows.toLocaleString('en')} rows, ${pools} pool ${pools === 1 ? 'process' : 'processes'}`,
      measured: perSecond((rows / ms) * 1000, 'rows'),
      reference: `µs of processor a row: ${Object.entries(spent)
        .map(([who, micros]) => `${who} ${micros}`)
        .join(', ')}; sessions at once: ${shown(waited)}`,
    });
    if (pools === 1) {
      const micros = spent.postgres! + spent.pools! + spent.dispatcher!;
      report.figures.push({
        what: 'processor time a row of Postgres, pools and dispatcher, 1 pool process',
        measured: `${micros} µs`,
        target: `≤ ${MICROS_A_ROW_MAX} µs`,
        ok: micros <= MICROS_A_ROW_MAX,
      });
    }
    report.detail[pools] = { ms, spent, waited };
  }
  await confam.stop();
  return report;
}

async function start(confam: Confam, headers: Record<string, string>, id: string): Promise<void> {
  const answer = await fetch(`${confam.baseUrl}/api/v1/batches/bat_${id.replaceAll('-', '')}/start`, { method: 'POST', headers });
  if (!answer.ok) throw new Error(`start: ${answer.status} ${await answer.text()}`);
}

/** Seconds of processor time. */
interface Usage {
  postgres: number;
  pools: number;
  api: number;
  /** With the sweeper. */
  dispatcher: number;
}

/** `workers`: pids of pool processes besides the one that the API starts. */
async function usage({ sql, pid }: Confam, workers: number[]): Promise<Usage> {
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const all = processes();
  const postmaster = all.find((one) => one.pid === session!.pid)!.parent;
  const own = childOf(pid, 'worker');
  const sum = (those: Process[]) => those.reduce((total, one) => total + one.seconds, 0);
  return {
    // Linux adds the time of ended sessions to their parent.
    postgres: sum(all.filter((one) => one.pid === postmaster || one.parent === postmaster)),
    pools: sum(all.filter((one) => one.pid === own || workers.includes(one.pid))),
    api: sum(all.filter((one) => one.pid === pid)),
    dispatcher: sum(all.filter((one) => one.pid === childOf(pid, 'dispatcher'))),
  };
}

interface Process {
  pid: number;
  parent: number;
  /** Includes children that have ended. */
  seconds: number;
}

/** Linux only. */
function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!;
      return [{ pid: Number(name), parent: fields[1]!, seconds: ticks / TICKS_PER_SECOND }];
    } catch {
      // It has ended since.
      return [];
    }
  });
}
