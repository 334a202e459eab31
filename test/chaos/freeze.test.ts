/**
 * A deployment in which a process is stopped (SIGSTOP), as by a debugger, a suspended virtual machine or a hanging disk: it keeps its connections
 * and its locks. The others continue as if it were not there, and when it wakes it changes nothing that was done meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/foundation/context.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { sweepExpired } from '../../src/pipeline/sweep.ts';
import { backends, useDatabase, waitFor } from '../setup/database.ts';
import { type Confam, expectExactBooks, killConfams, loadFactor, makeApp, ninRows, startConfam, untilReady } from '../setup/process.ts';

const SECONDS = Number(process.env.FREEZE_SECONDS ?? 10);
/** Limits: the longest other call, and the 99th percentile over a whole minute; the longest halt of bulk work; the longest time until there is a new leader. */
const CALL_MAX_MS = 3_000;
const CALL_P99_MS = 1_000;
const STANDSTILL_MS = 10_000;
const TAKE_OVER_MS = 5_000;
const SETTINGS = { CONFAM_SANDBOX_LATENCY_MS: '20', CONFAM_LEASE_MS: '5000', CONFAM_LOG_LEVEL: 'info' };

type App = Awaited<ReturnType<typeof makeApp>>;

const leadsNow = (one: Confam): boolean =>
  one.stdout().lastIndexOf('"msg":"this dispatcher leads"') > one.stdout().lastIndexOf('"msg":"another dispatcher leads"');

describe.each(backends())('a deployment with its queue on %s', (backend) => {
  const database = useDatabase(backend);
  let sql: postgres.Sql;
  let ctx: Context;
  let apps: App[];
  let ports: number[];
  let apis: Confam[];
  let workers: Confam[];
  let dispatchers: Confam[];

  beforeAll(async () => {
    sql = postgres(database.url, { max: 2, onnotice: () => {} });
    ctx = database.openContext();
    apps = [await makeApp(database), await makeApp(database)];
    ports = [await freePort(), await freePort()];
    const environment = (port: number) => ({ ...database.environment, ...SETTINGS, PORT: String(port) });
    apis = ports.map((port) => startConfam(['api'], environment(port)));
    workers = [0, 1].map(() => startConfam(['worker', '--families', 'nin,bvn'], environment(0)));
    dispatchers = [0, 1].map(() => startConfam(['dispatcher'], environment(0)));
    for (const [i, api] of apis.entries()) await untilReady(api, ports[i]!);
    await waitFor('all to start', () => [...workers, ...dispatchers].every((one) => one.stdout().includes('"started"')), 60_000);
  }, 120_000);
  afterAll(async () => {
    await killConfams();
    await sql?.end();
    await ctx?.close();
  });

  const all = () => [...apis, ...workers, ...dispatchers];
  const ask = (port: number, app: App, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { Authorization: app.testKey, AppId: app.appId, ...(init.body ? { 'Content-Type': 'text/csv' } : {}) },
    });
  let row = 0;
  const upload = async (port: number, app: App, rows: number, signal?: AbortSignal) => {
    row += rows;
    const answer = await ask(port, app, '/api/v1/batches?checks=nin_advance', {
      method: 'POST',
      body: ninRows(rows, 40_000_000_000 + row * 7).csv,
      ...(signal && { signal }),
    });
    await answer.text();
    return answer.status;
  };
  const ended = async () => Number((await sql`select coalesce(sum(completed + failed), 0)::int as n from batches`)[0]!.n);
  const token = async () => Number((await sql`select token from leads where name = 'dispatcher'`)[0]!.token);

  /** Stops `victim` in the middle of all kinds of work and observes the others until it wakes. */
  async function freeze(what: string, victim: Confam, whileFrozen: () => Promise<void> = async () => {}): Promise<void> {
    let over = false;
    const leave = new AbortController();
    const callMs: number[] = [];
    const refused: number[] = [];
    const callers = apps.map(async (app, i) => {
      for (let n = 0; !over; n++) {
        const began = performance.now();
        const { status } = await ask(ports[1]!, app, `/api/v1/kyc/nin/advance?nin=${52_000_000_000 + i * 1_000_000_000 + row * 31 + n}`);
        callMs.push(performance.now() - began);
        if (status !== 200) refused.push(status);
        await sleep(30);
      }
    });
    // Small uploads at both APIs, so that one is always about to hold its money. Small, because all of them must end before the next test.
    const uploaders = apps.flatMap((app) =>
      [0, 1].map(async (api) => {
        while (!over) {
          const status = await upload(ports[api]!, app, 20, leave.signal).catch(() => null);
          if (status !== null && status !== 202) refused.push(status);
          await sleep(50);
        }
      }),
    );
    await upload(ports[1]!, apps[0]!, 8_000);
    const before = await ended();
    await waitFor('all kinds of work', async () => callMs.length > 10 && (await ended()) > before + 500);

    victim.signal('SIGSTOP');
    const stoppedAt = performance.now();
    callMs.length = 0;
    const aside = whileFrozen();
    let progress = await ended();
    let progressAt = stoppedAt;
    let standstillMs = 0;
    while (performance.now() - stoppedAt < SECONDS * 1_000) {
      await sleep(100);
      const now = await ended();
      if (now > progress) progressAt = performance.now();
      progress = now;
      standstillMs = Math.max(standstillMs, performance.now() - progressAt);
      // There must always be work left.
      const [left] = await sql<{ n: number }[]>`select coalesce(sum(queued), 0)::int as n from batches`;
      if (left!.n < 2_000) await upload(ports[1]!, apps[0]!, 4_000);
    }
    await aside;
    const sorted = callMs.toSorted((a, b) => a - b);
    const p99 = Math.round(sorted[Math.floor(sorted.length * 0.99)]!);
    victim.signal('SIGCONT');
    over = true;
    leave.abort();
    await Promise.all([...callers, ...uploaders]);
    console.log(
      `${backend}: ${what} stopped for ${SECONDS} s: ${sorted.length} calls, p50 ${Math.round(sorted[sorted.length >> 1]!)} ms, p99 ${p99} ms, max ${Math.round(sorted.at(-1)!)} ms; bulk stood still for ${Math.round(standstillMs)} ms at most`,
    );
    expect(refused.filter((status) => status !== 503)).toEqual([]);
    expect(sorted.at(-1)).toBeLessThan(CALL_MAX_MS * loadFactor());
    // In less than a minute, a single wait for a lock of the frozen process is more than one per cent.
    if (SECONDS >= 60) expect(p99).toBeLessThan(CALL_P99_MS * loadFactor());
    expect(standstillMs).toBeLessThan(STANDSTILL_MS);
    expect(victim.isRunning(), victim.stderr()).toBe(true);
    await waitFor(
      'every batch to end',
      async () => (await sql`select 1 from batches where status <> 'completed' limit 1`).length === 0,
      60_000 * loadFactor(),
    ).catch(async (error) => {
      console.log(
        [...(await sql`select id, status, jobs, queued, leased, completed, failed from batches where status <> 'completed'`)],
        [...(await sql`select * from lanes where open`)],
        [...(await sql`select id, family, leased_until, begun_at, finished_at, now() from chunks where finished_at is null`)],
        [...(await sql`select *, now() from leads`)],
        [
          ...(await sql`select batch_id, status, attempt, failures, count(*) from jobs where status in ('queued', 'leased') group by 1, 2, 3, 4`),
        ],
        [...(await sql`select batch_id, count(*), min(run_after), max(run_after) from waiting_jobs group by 1`)],
        all().map((one) =>
          one
            .stdout()
            .split('\n')
            .filter((line) => !line.includes('"chunk"') && !line.includes('"request"'))
            .slice(-15),
        ),
      );
      throw error;
    });
    // What the frozen process held for its calls is released when the holds expire and a sweeper sees it, once a minute; this test waits for neither.
    await waitFor('holds to be released', async () => {
      await sql`update holds set expires_at = now() - interval '1 second' where expires_at is not null and released_at is null`;
      await sweepExpired(ctx);
      return (await sql`select 1 from holds where released_at is null limit 1`).length === 0;
    });
    await expectExactBooks(database.url);
    expect([...(await sql`select 1 from jobs where error_code = 'internal'`)]).toEqual([]);
  }

  test('a stopped API delays nobody’s calls and uploads', () => freeze('an API', apis[0]!), 600_000 + 4_000 * SECONDS);

  test(
    'a stopped worker delays no calls, and the other one continues the work',
    () => freeze('a worker', workers[0]!),
    600_000 + 4_000 * SECONDS,
  );

  test(
    'a stopped leader is replaced within seconds, and leads no more when it wakes',
    async () => {
      // On a loaded machine the lead may have moved before.
      const leader = await waitFor('one to lead', () => dispatchers.find(leadsNow));
      const other = dispatchers.find((one) => one !== leader)!;
      let before = 0;
      await freeze('the leading dispatcher', leader, async () => {
        before = await token();
        const began = performance.now();
        await waitFor('the other to lead', () => leadsNow(other), TAKE_OVER_MS * loadFactor());
        console.log(`${backend}: the other dispatcher led after ${Math.round(performance.now() - began)} ms`);
      });
      expect(await token()).toBe(before + 1);
      await waitFor('the old one to notice', () => !leadsNow(leader));
    },
    600_000 + 4_000 * SECONDS,
  );
});
