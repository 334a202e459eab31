/**
 * How often labelled addresses are judged rightly, by kind; then addresses of many people at few domains, as a batch through the whole service with a
 * live key, against a name server that takes 20 ms to answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openLists } from '../src/engines/email/lists.ts';
import { parseId } from '../src/foundation/ids.ts';
import { openDnsServer } from '../src/sandbox/internet/dns-server.ts';
import { untilCompleted } from './batch.ts';
import {
  type Half,
  judgeAll,
  type LabelledSet,
  type ReputationRate,
  rateReputations,
  rateSlices,
  SETS,
  type SliceRate,
} from './email/slices.ts';
import { type Figure, ms, type Report } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size } from './harness.ts';
import { childOf, peakMb } from './memory.ts';

const ROWS: Size = { full: 100_000, tiny: 500 };
const DOMAINS = 5_000;
const WARM_UP_ROWS = 100;
const LATENCY_MS = 20;
/** MX, TXT, address and DMARC of the domain, and the address of its mail host. */
const QUESTIONS_A_DOMAIN = 5;
const TARGETS = { runMs: 60_000, memoryMb: 300 };
const LOOK_MS = 50;
const RUN_MS_MAX = 10 * 60_000;
/** Any public address: nobody connects to it, since mail hosts are not probed. */
const PUBLIC = '8.8.8.8';

export async function email(bench: Bench, options: Options): Promise<Report> {
  const sets = [];
  for (const set of SETS) sets.push(await measureSet(set));
  const speed = await measureSpeed(bench, options);
  return {
    figures: [...sets.flatMap(({ figures }) => figures), ...speed.figures],
    detail: { sets: Object.fromEntries(sets.map(({ detail }, i) => [SETS[i], detail])), ...speed.detail },
  };
}

async function measureSet(set: LabelledSet): Promise<Report> {
  const judged = await judgeAll(await openLists(), set);
  const [slices, reputations] = [rateSlices(judged), rateReputations(judged)];
  const figures = [...slices.map(sliceFigure), ...reputations.map(reputationFigure)];
  return { figures: figures.map((figure) => ({ ...figure, what: `${set}: ${figure.what}` })), detail: { slices, reputations } };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const shareOf = (count: number, rows: number, [low, high]: [number, number]): string =>
  `${count} of ${rows}, ${percent(count / rows)} [${percent(low)} to ${percent(high)}]`;
const inHalf = (what: string, half: Half): string => `${what} (${half})`;

/** After the share that is right: how often each answer was given, and what was taken for what. */
function sliceFigure({ slice, half, rows, right, interval, verdicts, wrong }: SliceRate): Figure {
  const given = Object.entries(verdicts).map(([verdict, count]) => `${verdict} ${count}`);
  const taken = wrong.map(({ expected, verdict }) => (expected === verdict ? `another ${expected}` : `${expected} as ${verdict}`));
  const mistakes = [...new Set(taken)].map((mistake) => `${mistake} ${taken.filter((one) => one === mistake).length}`);
  const reference = [given.join(', '), ...(mistakes.length === 0 ? [] : [`wrong: ${mistakes.join(', ')}`])].join('; ');
  return { what: inHalf(slice, half), measured: shareOf(right, rows, interval), reference };
}

function reputationFigure({ what, half, rows, count, interval }: ReputationRate): Figure {
  return { what: inHalf(what, half), measured: shareOf(count, rows, interval) };
}

async function measureSpeed(bench: Bench, options: Options): Promise<Report> {
  const [{ backend }, rows] = [options, rowsOf(options, ROWS)];
  const nameServer = await openDnsServer({}, { latencyMs: LATENCY_MS, otherwise: zoneOf });
  const confam = await bench.startConfam(backend, {
    CONFAM_DNS_SERVERS: `127.0.0.1:${nameServer.port}`,
    CONFAM_EMAIL_RDAP: 'false',
  });
  const pools = childOf(confam.pid, 'worker');
  const app = await confam.createApp('Bulk', 'live');
  const warm = await upload(confam, app, addresses(WARM_UP_ROWS, 1, 'warm'));
  await untilOver(confam, warm.id, WARM_UP_ROWS);
  // The baseline of any batch: young objects alone may take 384 MB (`workers/companion.ts`).
  const other = await (await confam.createApp('Other')).upload(rows);
  await untilCompleted(confam.sql, other.id);

  const before = { mb: pools === undefined ? null : peakMb(pools), questions: nameServer.questions() };
  const { id, uploadMs } = await upload(confam, app, addresses(rows, DOMAINS, 'd'));
  const began = performance.now();
  await untilOver(confam, id, rows);
  const totalMs = uploadMs + performance.now() - began;
  const peak = pools === undefined ? null : peakMb(pools);
  const questions = nameServer.questions() - before.questions;
  await confam.stop();
  await nameServer.close();

  const domains = Math.min(rows, DOMAINS);
  return {
    figures: [
      {
        what: `${rows.toLocaleString('en')} addresses at ${domains.toLocaleString('en')} domains through the whole service`,
        measured: `${(totalMs / 1000).toFixed(1)} s (upload ${ms(uploadMs)})`,
        target: `≤ ${TARGETS.runMs / 1000} s`,
        ok: totalMs <= TARGETS.runMs,
      },
      {
        what: `  questions to the name server (${LATENCY_MS} ms each)`,
        measured: questions.toLocaleString('en'),
        target: `≤ ${QUESTIONS_A_DOMAIN} a domain`,
        ok: questions <= QUESTIONS_A_DOMAIN * domains,
      },
      memoryFigure(before.mb, peak),
    ],
    detail: { backend, rows, domains, uploadMs, totalMs, questions, peakBeforeMb: before.mb, peakMb: peak },
  };
}

function memoryFigure(before: number | null, peak: number | null): Figure {
  const what = '  added to the peak memory (VmHWM) of the pools’ process';
  if (before === null || peak === null) return { what, measured: 'unknown: not Linux' };
  return {
    what,
    measured: `${Math.round(peak - before)} MB (${Math.round(peak)} MB in all)`,
    reference: `${Math.round(before)} MB after as many NINs`,
    target: `≤ ${TARGETS.memoryMb} MB`,
    ok: peak - before <= TARGETS.memoryMb,
  };
}

function zoneOf(name: string) {
  if (name.startsWith('_dmarc.')) return { txt: ['v=DMARC1; p=reject'] };
  return { mx: [[10, `mail.${name}`]] as const, a: [PUBLIC], txt: ['v=spf1 mx -all'] };
}

const addresses = (rows: number, domains: number, prefix: string): string[] =>
  Array.from({ length: rows }, (_, i) => `person.${i}@${prefix}${i % domains}.example.com`);

async function upload(confam: Confam, { headers }: App, emails: readonly string[]): Promise<{ id: string; uploadMs: number }> {
  const began = performance.now();
  const answer = await fetch(`${confam.baseUrl}/api/v1/batches?checks=email_risk`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: `email\n${emails.join('\n')}\n`,
  });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`upload: ${answer.status} ${text.slice(0, 500)}`);
  return { id: parseId('bat', (JSON.parse(text) as { entity: { id: string } }).entity.id)!, uploadMs: performance.now() - began };
}

/** Throws unless every row was answered: a failing batch is a fast one. */
async function untilOver({ sql }: Confam, id: string, rows: number): Promise<void> {
  for (const deadline = performance.now() + RUN_MS_MAX; ; await sleep(LOOK_MS)) {
    const [batch] = await sql<{ status: string; found: number }[]>`select status, found from batches where id = ${id}`;
    if (batch!.status === 'completed') {
      if (batch!.found !== rows) throw new Error(`of ${rows} addresses ${batch!.found} were assessed`);
      return;
    }
    if (performance.now() > deadline) throw new Error(`after ${RUN_MS_MAX} ms the batch was ${batch!.status}`);
  }
}
