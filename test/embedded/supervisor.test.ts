/** When the supervisor gives a server up, when it keeps trying, and how it stops. The servers are stand-ins: `sleep`, ended by the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { launch } from '../../src/embedded/launch.ts';
import type { Server } from '../../src/embedded/server.ts';
import { supervise } from '../../src/embedded/supervisor.ts';
import { waitFor } from '../setup/database.ts';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })));

/** Each test has its own, because they run side by side: most of each is waiting. */
function makeServer(): Server {
  const pgdata = mkdtempSync(join(tmpdir(), 'confam-supervised-'));
  folders.push(pgdata);
  return { binaries: { postgres: 'postgres', initdb: 'initdb', pgCtl: 'pg_ctl', major: '18' }, pgdata, account: null };
}

const ATTEMPTS_MAX = 3;
const standIn = (): ChildProcess => spawn('sleep', ['600']);

/** A server that has just been killed, and cannot be started while `isBroken`. */
function kill(isDiskFull: () => boolean) {
  const server = makeServer();
  const seen = { attempts: 0, isBroken: true, log: [] as string[] };
  const first = standIn();
  const supervised = supervise(
    server,
    first,
    async ({ spawned }) => {
      seen.attempts++;
      if (seen.isBroken) throw new Error('no space for its lock file');
      spawned(standIn());
    },
    (line) => seen.log.push(line),
    async () => isDiskFull(),
  );
  first.kill('SIGKILL');
  return { seen, supervised, server };
}

test.concurrent('keeps trying while the disk is full, and says so once', async () => {
  const { seen, supervised, server } = kill(() => true);
  await waitFor('more attempts than it has otherwise', () => seen.attempts > ATTEMPTS_MAX, 20_000);
  expect(supervised.isRunning()).toBe(false);
  seen.isBroken = false;
  await waitFor('the server to run', () => supervised.isRunning());
  expect(seen.log).toEqual([
    'Postgres ended unexpectedly (SIGKILL); starting it again.',
    `The disk of ${server.pgdata} is full. Postgres is started again every 2 s until there is room.`,
    'Postgres is running again; committed data is safe.',
  ]);
  await supervised.stop();
});

test.concurrent('counts attempts again once there is room', async () => {
  let isFull = true;
  const { seen, supervised } = kill(() => isFull);
  await waitFor('an attempt', () => seen.attempts > 0);
  isFull = false;
  expect((await supervised.lost).message).toContain('could not be started again in 3 attempts. no space for its lock file');
  expect(seen.attempts).toBe(1 + ATTEMPTS_MAX);
  await supervised.stop();
});

test.concurrent('can be stopped while it waits for room', async () => {
  const { seen, supervised } = kill(() => true);
  await waitFor('an attempt', () => seen.attempts > 0);
  await supervised.stop();
  const { attempts } = seen;
  expect(await Promise.race([supervised.lost, 'not given up'])).toBe('not given up');
  expect(seen.attempts).toBe(attempts);
});

test.concurrent('a server that is being started again when it is stopped does not come up afterwards', async () => {
  const server = makeServer();
  const { pgdata, binaries } = server;
  const [lingering, postmasterPid] = [join(pgdata, 'lingering'), join(pgdata, 'postmaster.pid')];
  // Refuses to start while the backends of the killed server linger, as Postgres does.
  const program = `#!/bin/sh
echo >> ${pgdata}/starts
if [ -e ${lingering} ]; then echo 'FATAL:  pre-existing shared memory block is still in use'; exit 1; fi
printf "$$\\n\\n\\n\\n\\n\\n\\nready\\n" > ${postmasterPid}
exec sleep 600
`;
  binaries.postgres = join(pgdata, 'postgres');
  writeFileSync(binaries.postgres, program, { mode: 0o755 });
  writeFileSync(lingering, '');
  const launching = { server, settings: {}, logPath: join(pgdata, 'log'), log: () => {} };
  const first = standIn();
  const supervised = supervise(
    server,
    first,
    async (again) => void (await launch(launching, { port: 5432, ...again })),
    () => {},
    async () => false,
  );
  first.kill('SIGKILL');
  await waitFor('a start', () => existsSync(join(pgdata, 'starts')));
  const stopped = supervised.stop();
  rmSync(lingering);
  await stopped;
  const isUp = existsSync(postmasterPid);
  if (isUp) process.kill(Number.parseInt(readFileSync(postmasterPid, 'utf8'), 10));
  expect(isUp).toBe(false);
});
