/**
 * Requests generated from `/openapi.json` against a process of its own: nothing but documented refusals, no hang, no cut connection, no growing memory, and
 * no answer that tells whether another app's id exists. `npm run fuzz` sends a hundred thousand; FUZZ_REQUESTS and FUZZ_SEED change that.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { sampleInput } from '../../bench/inputs.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { heapAfterCollection } from '../fuzz/heap.ts';
import { findOracles } from '../fuzz/oracle.ts';
import { openRandom } from '../fuzz/random.ts';
import { type Document, Requests } from '../fuzz/requests.ts';
import { run } from '../fuzz/run.ts';
import { prepare } from '../fuzz/world.ts';
import { useApi } from '../setup/api.ts';
import { killConfams, startConfam, untilReady } from '../setup/process.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const IS_LARGE = REQUESTS >= 50_000;
const CONCURRENCY = 16;
/** Sent before memory is looked at: code is compiled, caches fill. */
const WARM_UP = Math.ceil(REQUESTS / 10);
const PAIRS = IS_LARGE ? 200 : 12;
const GROWTH_MB = 64;
/** Of resident memory, which also has what the allocator and V8 keep free: a leak outside the heap would pass it over a hundred thousand requests. */
const RESIDENT_GROWTH_MB = 300;
/** For each restricted key; status and body alone are compared. */
const RESTRICTED_PAIRS = 2;
/** Of requests that a busy machine's database may not answer in time. */
const UNAVAILABLE_SHARE = 0.001;
/** Beyond these, a time tells something. Few pairs on a busy machine say little. */
const RATIO_MAX = IS_LARGE ? 1.1 : 2;
const FURTHEST_MAX = IS_LARGE ? 1.5 : 6;

// Jobs, batches and webhooks go on beside it, in this process.
const api = useApi({ CONFAM_SANDBOX_LATENCY_MS: '0', CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
afterAll(() => killConfams());

test(`${REQUESTS} generated requests (FUZZ_SEED=${SEED})`, { timeout: 60 * 60_000 }, async () => {
  console.log(`FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`);
  const world = await prepare(api);
  const { config, databaseUrl } = api.service;
  const [port, inspector] = [await freePort(), await freePort()];
  const environment = {
    DATABASE_URL: databaseUrl,
    CONFAM_KEYS: config.CONFAM_KEYS!,
    CONFAM_INDEX_KEY: config.CONFAM_INDEX_KEY!,
    CONFAM_LOG_LEVEL: 'error',
    CONFAM_SANDBOX_LATENCY_MS: '0',
    CONFAM_TRUSTED_PROXIES: '127.0.0.1',
    CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true',
    PORT: String(port),
  };
  const program = [`--inspect=127.0.0.1:${inspector}`, '--enable-source-maps', join(inject('compiled'), 'src', 'cli.js')];
  const confam = startConfam(['api'], environment, program);
  await untilReady(confam, port);
  const url = `http://127.0.0.1:${port}`;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const random = openRandom(SEED);
  const requests = new Requests(random, document, world.actors, world.ids);
  /** Each request seems to come from elsewhere, or failed sign-ins would make all wait. */
  const next = () => {
    const request = requests.next();
    return { ...request, headers: { ...request.headers, 'X-Forwarded-For': `198.18.${random.below(256)}.${random.below(256)}` } };
  };

  const status = `/proc/${confam.pid}/status`;
  const resident = () => (existsSync(status) ? Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))![1]) / 1024 : 0);

  const own = { Authorization: world.mine.key, AppId: world.mine.app };
  // Engines load when they are first asked, which takes seconds on a busy machine.
  for (const id of ['photoid_compare', 'aml_screening', 'email_risk']) {
    const { method, path } = knownCheck(id).route;
    const input = sampleInput(id, 0)!;
    const query = method === 'GET' ? `?${new URLSearchParams(input)}` : '';
    const body = method === 'GET' ? null : JSON.stringify(input);
    const opened = await fetch(`${url}${path}${query}`, { method, headers: { ...own, 'Content-Type': 'application/json' }, body });
    expect(opened.status, await opened.text()).toBeLessThan(504);
  }
  const warm = await run(url, WARM_UP, CONCURRENCY, next);
  const before = { heap: await heapAfterCollection(inspector), resident: resident() };
  const began = performance.now();
  const rest = await run(url, REQUESTS - WARM_UP, CONCURRENCY, next);
  const seconds = (performance.now() - began) / 1000;
  const after = { heap: await heapAfterCollection(inspector), resident: resident() };
  const statuses = new Map(warm.statuses);
  for (const [status, count] of rest.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
  console.log(
    `${requests.count} operations, ${Math.round((REQUESTS - WARM_UP) / seconds)} requests/s, slowest ${Math.round(rest.slowestMs)} ms; statuses ${[
      ...statuses,
    ]
      .toSorted()
      .map(([status, count]) => `${status}: ${count}`)
      .join(
        ', ',
      )}; heap ${before.heap.toFixed(1)} → ${after.heap.toFixed(1)} MB, resident ${before.resident.toFixed(0)} → ${after.resident.toFixed(0)} MB`,
  );
  const violations = [...warm.violations, ...rest.violations].map(
    ([what, { example, count }]) => `${what}, ${count} times:\n    ${example}`,
  );
  const oracle = await findOracles(url, document, own, world.ids.foreign, PAIRS, random);
  console.log(
    `${oracle.compared} operations with ids, ${PAIRS} pairs each: time for another app's id ÷ for nobody's ${oracle.ratio.toFixed(3)}, furthest ${oracle.furthest.ratio.toFixed(3)} (${oracle.furthest.operation})`,
  );
  const restricted: string[] = [];
  for (const { name, headers } of world.actors.filter((actor) => actor.name.startsWith('only '))) {
    const { compared, differences } = await findOracles(url, document, headers, world.ids.foreign, RESTRICTED_PAIRS, random);
    expect(compared).toBe(oracle.compared);
    restricted.push(...differences.map((difference) => `${name}: ${difference}`));
  }
  // All at the end: a violation must not hide what else there is to know.
  expect(violations.join('\n')).toBe('');
  expect(warm.unavailable + rest.unavailable).toBeLessThanOrEqual(Math.ceil(REQUESTS * UNAVAILABLE_SHARE));
  expect(confam.isRunning()).toBe(true);
  expect(after.heap - before.heap).toBeLessThan(GROWTH_MB);
  expect(after.resident - before.resident).toBeLessThan(RESIDENT_GROWTH_MB);
  expect([...statuses.keys()].filter((status) => status < 300).length).toBeGreaterThan(0);
  expect(oracle.differences).toEqual([]);
  expect(restricted).toEqual([]);
  expect(oracle.compared).toBeGreaterThan(20);
  expect(Math.abs(Math.log(oracle.ratio))).toBeLessThan(Math.log(RATIO_MAX));
  expect(Math.abs(Math.log(oracle.furthest.ratio))).toBeLessThan(Math.log(FURTHEST_MAX));
});
