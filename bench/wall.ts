/**
 * Measures what the second wall costs: two services on one Postgres, one of which runs without it because its database user may not create roles. They take turns
 * with cached calls and with batches. Which of them starts first and which goes first in a turn alternates: either is worth a few per cent.
 */
import { untilCompleted } from './batch.ts';
import { median, type Report } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { closedLoop } from './load.ts';
import { cacheNumbers } from './sync.ts';

const ROWS: Size = { full: 5_000, tiny: 300 };
const CALL_SECONDS: Size = { full: 2, tiny: 0.3 };
const CONNECTIONS = 20;
/** Pairs of services, one after the other. */
const STARTS: Size = { full: 10, tiny: 2 };
const TURNS: Size = { full: 6, tiny: 1 };
const WARM_UP_TURNS = 1;
/** At most this part of the throughput may be lost. */
const LOSS_MAX = 0.03;
/** Student's t for 95 % between two limits, by degrees of freedom. */
const T95 = [0, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];

const KINDS = ['calls', 'rows'] as const;
type Kind = (typeof KINDS)[number];
/** A second. */
type Pace = Record<Kind, number>;
interface Service {
  confam: Confam;
  app: App;
  paths: string[];
}

export async function wall(bench: Bench, options: Options): Promise<Report> {
  // Natural logarithm of (pace with the wall / pace without it), by start and turn.
  const starts: Record<Kind, number[]>[] = [];
  for (let start = 0; start < sized(options, STARTS); start++) starts.push(await measureStart(bench, options, start));
  return {
    figures: KINDS.map((kind) => {
      // The turns of one start have its processes in common; only starts are independent of each other.
      const ratio = meanWithInterval(starts.map((turns) => mean(turns[kind])));
      const [middle, low, high] = ratio.map((one) => Math.exp(one).toFixed(3));
      return {
        what: `${kind === 'calls' ? `cached calls a second on ${CONNECTIONS} connections` : 'rows of a batch a second'} with the second wall, as a ratio to those without`,
        measured: `${middle} [${low} to ${high}], middle turn ${Math.exp(median(starts.flatMap((turns) => turns[kind]))).toFixed(3)}`,
        target: `> ${1 - LOSS_MAX}, the whole interval`,
        ok: Math.exp(ratio[1]) > 1 - LOSS_MAX,
      };
    }),
    detail: { starts },
  };
}

async function measureStart(bench: Bench, options: Options, start: number): Promise<Record<Kind, number[]>> {
  const open = async (bare: boolean): Promise<Service> => {
    const confam = await bench.startConfam(options.backend, { DATABASE_URL: await bench.createDatabase({ bare }) });
    const [{ isWalled }] = await confam.sql<[{ isWalled: boolean }]>`select exists (select from pg_policies) as "isWalled"`;
    if (isWalled === bare) throw new Error(`the service ${bare ? 'without' : 'with'} the wall has ${bare ? 'policies' : 'none'}`);
    const app = await confam.createApp('Wall');
    return { confam, app, paths: await cacheNumbers(confam, app) };
  };
  const isWalledFirst = start % 2 === 0;
  const [first, second] = [await open(!isWalledFirst), await open(isWalledFirst)];
  const logs: Record<Kind, number[]> = { calls: [], rows: [] };
  for (let turn = -WARM_UP_TURNS; turn < sized(options, TURNS); turn++) {
    const order = turn % 2 === 0 ? [first, second] : [second, first];
    const paces = new Map<Service, Pace>();
    for (const service of order) paces.set(service, await measure(service, options));
    if (turn < 0) continue;
    const [walled, bare] = (isWalledFirst ? [first, second] : [second, first]).map((service) => paces.get(service)!);
    for (const kind of KINDS) logs[kind].push(Math.log(walled![kind] / bare![kind]));
  }
  await Promise.all([first.confam.stop(), second.confam.stop()]);
  return logs;
}

async function measure({ confam, app, paths }: Service, options: Options): Promise<Pace> {
  const seconds = sized(options, CALL_SECONDS);
  const calls = await closedLoop(confam.baseUrl, { connections: CONNECTIONS, seconds, paths, headers: app.headers });
  const rows = rowsOf(options, ROWS);
  const { id } = await app.upload(rows);
  const { ms } = await untilCompleted(confam.sql, id);
  return { calls: calls.length / seconds, rows: (rows * 1_000) / ms };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean and its 95 % interval, taking the values as normally distributed. */
function meanWithInterval(values: readonly number[]): [middle: number, low: number, high: number] {
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  const reach = (T95[values.length - 1] ?? 1.96) * Math.sqrt(variance / values.length);
  return [middle, middle - reach, middle + reach];
}
