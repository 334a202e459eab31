/** `confam webhooks`: events reach a server on this machine without a public address, signed, once, and again on request. */

import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/webhooks.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { canMakeSmallDisks, fillDisk, makeSmallDisk } from '../setup/small-disk.ts';
import { openTerminal, type Terminal } from '../setup/terminal.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' });
let app: TestApp;
let terminal: Terminal;
beforeAll(async () => {
  app = await api.createApp();
  terminal = openTerminal({ api, app });
});

test('what is triggered is heard, verified by the receiver, kept, and sent again', async () => {
  let secret = '';
  let status = 204;
  const received: { id: string; type: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { type } = new Webhook(secret).verify(body, request.headers as Record<string, string>) as { type: string };
    received.push({ id: String(request.headers['webhook-id']), type });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/confam`;
  try {
    const listening = terminal.start(['webhooks', 'listen', '--forward-to', url, '--events', 'batch.completed,batch.canceled,job.failed']);
    await waitFor('a connection', () => /Signing secret: (whsec_\S+)/.exec(listening.stderr()), 20_000);
    secret = /Signing secret: (whsec_\S+)/.exec(listening.stderr())![1]!;
    for (const event of ['batch.completed', 'batch.canceled', 'job.failed']) {
      const triggered = await terminal.run(['webhooks', 'trigger', event]);
      expect(triggered, triggered.stderr).toMatchObject({ code: 0 });
    }
    await waitFor('three messages', () => received.length === 3, 20_000);
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(['batch.completed', 'batch.canceled', 'job.failed']));
    expect(listening.stdout()).toMatch(/batch\.completed +bat_\S+ +evt_\S+ +→ 204 \(\d+ ms\)/);
    // The service recorded no delivery: nothing was sent to an address.
    const { data } = (await app.get<{ data: { id: string; disabled: boolean }[] }>('/api/v1/webhooks/endpoints')).body.entity;
    expect(data).toEqual([expect.objectContaining({ disabled: true, disabled_reason: 'requested' })]);
    expect((await app.get<{ data: unknown[] }>(`/api/v1/webhooks/endpoints/${data[0]!.id}/deliveries`)).body.entity.data).toEqual([]);

    const [first] = received;
    const resent = await terminal.run(['webhooks', 'resend', first!.id]);
    expect(resent, resent.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/→ 204/) });
    expect(received.filter(({ id }) => id === first!.id)).toHaveLength(2);
    status = 500;
    expect(await terminal.run(['webhooks', 'resend', first!.id])).toMatchObject({ code: 1, stderr: 'The server did not accept it.\n' });
    expect(JSON.parse((await terminal.run(['webhooks', 'history', '--json'])).stdout)).toHaveLength(3);
    for (const file of ['webhooks.jsonl', 'listeners.json']) expect(statSync(join(terminal.folder, file)).mode & 0o777).toBe(0o600);

    listening.child.kill('SIGINT');
    expect(await listening.ended()).toMatchObject({ code: 0 });
    // The next run has the same secret, so that receivers need not be told.
    const again = terminal.start(['webhooks', 'listen', '--json']);
    await waitFor('a connection', () => again.stderr().includes(secret), 20_000);
    await terminal.run(['webhooks', 'trigger', 'job.completed']);
    await waitFor('the event', () => again.stdout().includes('\n'), 20_000);
    expect(JSON.parse(again.stdout().split('\n')[0]!)).toMatchObject({ type: 'job.completed', data: { outcome: 'found' } });
    again.child.kill('SIGINT');
    await again.ended();
    expect(readFileSync(join(terminal.folder, 'webhooks.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(4);
  } finally {
    server.close();
  }
});

test('every event of the catalogue is triggered, and received by whoever asks for it', async () => {
  const naira = 100_000;
  // The first app falls below its threshold with the first three rows; the second one starts nothing without an approval.
  const settings = [{ lowBalance: naira - 300, reviews: { amlLevel: 'LOW' as const } }, { approveStartAboveKobo: 0 }];
  const [open, watchful] = await Promise.all(
    settings.map(async (own) => openTerminal({ api, app: await api.createApp({ naira, settings: own }) })),
  );
  const trigger = async (at: Terminal, event: string) => {
    const { code, stderr } = await at.run(['webhooks', 'trigger', event]);
    expect([event, code, stderr]).toEqual([event, 0, '']);
  };
  const listening = [open!, watchful!].map((at) => at.start(['webhooks', 'listen', '--json', '--events', eventTypes.join(',')]));
  for (const one of listening) await waitFor('a connection', () => one.stderr().includes('whsec_'), 20_000);
  await trigger(open!, 'wallet.low_balance');
  const approvals = eventTypes.filter((type) => type.startsWith('approval.'));
  const others = eventTypes.filter((type) => !approvals.includes(type) && type !== 'wallet.low_balance');
  const inLanes = [others.filter((_, i) => i % 2 === 0), others.filter((_, i) => i % 2 === 1)];
  await Promise.all([
    ...inLanes.map(async (events) => {
      for (const event of events) await trigger(open!, event);
    }),
    (async () => {
      await trigger(watchful!, 'approval.requested');
      // A decision by nobody: its time runs out.
      const deciding = watchful!.start(['webhooks', 'trigger', 'approval.decided']);
      await waitFor('the question', () => deciding.stderr().includes('must decide apr_'), 20_000);
      await asOwner(api.service.databaseUrl, (sql) => sql`update approvals set expires_at = now()`);
      expect(await deciding.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/apr_\w+ is expired/) });
    })(),
  ]);
  const heard = () => listening.flatMap((one) => [...one.stdout().matchAll(/"type":\s*"([\w.]+)"/g)].map((match) => match[1]!));
  await waitFor('every event', () => eventTypes.every((type) => heard().includes(type)), 20_000).catch(() => {
    expect(eventTypes.filter((type) => !heard().includes(type))).toEqual([]);
  });
  for (const one of listening) one.child.kill('SIGINT');
  for (const one of listening) await one.ended();
}, 120_000);

test('listening ends with a sentence: a wrong key, no service, a wrong type, a wrong address', async () => {
  const cases: [args: string[], code: number, says: RegExp, env?: Record<string, string>][] = [
    [[], 4, /key is wrong.*\n`confam whoami`/, { CONFAM_KEY: 'cf_test_nonsense' }],
    [[], 6, /^The service cannot be reached at 127\.0\.0\.1:18 \(ECONNREFUSED\)\./, { CONFAM_URL: 'http://127.0.0.1:18' }],
    [['--events', 'batch.finished'], 2, /batch\.(completed|failed)/],
    [['--forward-to', 'http://'], 2, /is not an address such as http:\/\/localhost:3000\/confam/],
  ];
  for (const [args, code, says, env] of cases) {
    const ended = await terminal.run(['webhooks', 'listen', ...args], { env });
    expect(ended, ended.stderr).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  }
});

test('a reader that has gone ends the listening, and so does a full disk', async () => {
  const other = await api.createApp();
  const canFill = canMakeSmallDisks();
  const disk = canFill ? makeSmallDisk('256k') : null;
  const here = openTerminal({ api, app: other });
  const piped = here.start(['webhooks', 'listen']);
  piped.child.stdout!.once('data', () => piped.child.stdout!.destroy());
  const filled = disk && here.start(['webhooks', 'listen'], { env: { CONFAM_CONFIG_DIR: disk.path } });
  try {
    for (const one of [piped, filled]) if (one) await waitFor('a connection', () => one.stderr().includes('whsec_'), 20_000);
    if (disk) fillDisk(disk);
    const trigger = async () => expect(await here.run(['webhooks', 'trigger', 'batch.completed'])).toMatchObject({ code: 0 });
    await trigger();
    await waitFor('the first message', () => piped.child.stdout!.destroyed, 20_000);
    await trigger();
    await waitFor('the ends', () => piped.child.exitCode !== null && (filled === null || filled.child.exitCode !== null), 20_000);
    expect([piped.child.exitCode, piped.stderr()]).toEqual([9, expect.stringMatching(/^The output ends here: .*broken pipe/m)]);
    if (!filled) return console.log('SKIPPED: only root can make a small disk');
    expect([filled.child.exitCode, filled.stderr()]).toEqual([
      9,
      expect.stringMatching(/^The disk is full: .*webhooks\.jsonl could not be written\./m),
    ]);
  } finally {
    for (const one of [piped, filled]) one?.child.kill('SIGKILL');
    await waitFor('the ends', () => filled === null || filled.child.exitCode !== null || filled.child.signalCode !== null);
    disk?.remove();
  }
}, 60_000);

test('an event that needs a setting of the app says which', async () => {
  const cases = { 'wallet.low_balance': 'lowBalance', 'review.opened': 'reviews.amlLevel', 'approval.requested': 'approveStartAboveKobo' };
  for (const [event, setting] of Object.entries(cases))
    expect(await terminal.run(['webhooks', 'trigger', event])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`\`${setting}\``),
    });
});

test('nothing is triggered with a live key, or that does not exist', async () => {
  const live = openTerminal({ api, app: { app: app.app, key: app.live.key } });
  expect(await live.run(['webhooks', 'trigger', 'batch.completed'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/test key only/),
  });
  expect(await terminal.run(['webhooks', 'trigger', 'batch.complete'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Allowed choices are .*batch\.completed/),
  });
  expect(await terminal.run(['webhooks', 'resend', 'evt_none'])).toMatchObject({ code: 3 });
});
