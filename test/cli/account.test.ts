/** `confam jobs`, `wallet`, `usage`, `keys`, `audit` and `reviews`: what they show, and what they change. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';
import { openTerminal, type Terminal } from '../setup/terminal.ts';

const api = useApi();
let app: TestApp;
let terminal: Terminal;
beforeAll(async () => {
  app = await api.createApp();
  terminal = openTerminal({ api, app });
});

const folder = mkdtempSync(join(tmpdir(), 'confam-account-'));
afterAll(() => rmSync(folder, { recursive: true }));

const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await terminal.run([...args, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

test('jobs are listed and shown', async () => {
  const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' }, reference: 'order-7' })).body.entity;
  await app.ended(`/api/v1/jobs/${id}`);
  for (let i = 0; i < 3; i++) await app.job({ check: 'nin_basic', input: { nin: '70123456789' } });
  expect((await json('jobs', 'list', '--limit', '2')).length).toBe(2);
  const listed = await terminal.run(['jobs', 'list', '--reference', 'order-7']);
  expect(listed.stdout).toMatch(new RegExp(`^ID .*\n${id} +nin_basic +completed +found +₦125\\.00 +order-7 `));
  const shown = await terminal.run(['jobs', 'show', id]);
  expect(shown.stdout).toMatch(/^surname +Durojaiye$/m);
  expect(await terminal.run(['jobs', 'list', '--reference', 'none'])).toMatchObject({ code: 0, stdout: 'There is no job.\n' });
});

test('no text of others commands the terminal, neither for people nor as JSON, which keeps it', async () => {
  const reference = 'a\u009b2J\u202eb\u2066\u007f';
  const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' }, reference })).body.entity;
  const obeyed = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  for (const args of [['show', id], ['list']]) {
    expect((await terminal.run(['jobs', ...args])).stdout, args[0]).not.toMatch(obeyed);
    const { stdout } = await terminal.run(['jobs', ...args, '--json']);
    expect(stdout, args[0]).not.toMatch(obeyed);
    expect([JSON.parse(stdout)].flat()[0].reference).toBe(reference);
  }
});

test('the failed rows of a batch are tried again', async () => {
  const { id } = (await app.csv('checks=nin_basic', 'nin\n00000000003\n')).body.entity;
  await app.ended(`/api/v1/batches/${id}`);
  expect((await terminal.run(['batch', 'status', id])).stdout).toMatch(new RegExp(`1 failed(.*\\n)*confam batch retry ${id}`));
  expect(await terminal.run(['batch', 'retry', id])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^bat_\w+ {2}(queued|running)/),
  });
  await app.ended(`/api/v1/batches/${id}`);
});

test('money: balance, entries and usage', async () => {
  const shown = await terminal.run(['wallet']);
  expect((await terminal.run(['wallet', 'show'])).stdout).toBe(shown.stdout);
  expect(shown.stdout).toMatch(/^available +₦[\d,]+\.\d\d$/m);
  const entries = await json('wallet', 'entries', '--kind', 'topup');
  expect(entries).toEqual([expect.objectContaining({ kind: 'topup', amount: 100_000 })]);
  const { id } = (await app.csv('checks=nin_basic&reference=May', `nin\n${[0, 1, 2].map((i) => 40_000_700_000 + i * 7).join('\n')}\n`)).body
    .entity;
  await app.ended(`/api/v1/batches/${id}`);
  expect(await json('wallet', 'entries', '--by', 'batch', '-L', '1')).toEqual([
    expect.objectContaining({ batch: id, reference: 'May', check: 'nin_basic', jobs: 3, price: 125, amount: 375 }),
  ]);
  expect((await terminal.run(['wallet', 'entries', '--by', 'batch'])).stdout).toMatch(
    new RegExp(`^BATCH +REFERENCE +CHECK +JOBS +EACH +AMOUNT +LAST\n${id} +May +nin_basic +3 +₦125\\.00 +₦375\\.00 `),
  );
  expect(await terminal.run(['wallet', 'entries', '--by', 'batch', '--kind', 'hold'])).toMatchObject({ code: 2, stdout: '' });
  expect((await json('usage')).data).toContainEqual(expect.objectContaining({ check: 'nin_basic' }));
  expect((await terminal.run(['usage'])).stdout).toMatch(/^CHECK +CALLS/);
});

test('keys are created, rotated and revoked', async () => {
  const made = await json(
    'keys',
    'create',
    '--name',
    'nightly',
    '--scopes',
    'verify,wallet:read',
    '--checks',
    'nin_basic',
    '--daily-cap',
    '5000',
  );
  expect(made).toMatchObject({ name: 'nightly', scopes: ['verify', 'wallet:read'], checks: ['nin_basic'], daily_cap: 5000, mode: 'test' });
  const other = openTerminal({ api, app: { app: app.app, key: made.key } });
  expect(await other.run(['batch', 'list'])).toMatchObject({ code: 4 });
  // It would be no number, and so no cap.
  expect(await terminal.run(['keys', 'create', '--name', 'capped', '--daily-cap', '₦5,000'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--daily-cap.*Expected an amount in naira, such as 5000/),
  });
  const rotated = await json('keys', 'rotate', made.id, '--overlap', '60');
  expect(rotated.key).not.toBe(made.key);
  const revoked = await terminal.run(['keys', 'revoke', made.id, '--yes']);
  expect(revoked).toMatchObject({ code: 0, stdout: `${made.id} is revoked.\n` });
  expect(await other.run(['whoami'])).toMatchObject({ code: 4 });
  expect((await terminal.run(['keys', 'list'])).stdout).toMatch(new RegExp(`^${made.id} +nightly .* revoked `, 'm'));
  // The operator's way is still there, and works on a database.
  expect(await terminal.run(['keys', 'create', 'live', '--app', app.app])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no database in'),
  });
});

test('the audit of the app is listed', async () => {
  const entries = await json('audit', 'list', '--action', 'key.create');
  expect(entries[0]).toMatchObject({ action: 'key.create', outcome: 'allowed', actor: { kind: 'key' } });
  expect((await terminal.run(['audit', 'list'])).stdout).toMatch(/^AT +ACTION +BY/);
  expect(await terminal.run(['audit', 'list', '--action', 'key.creat'])).toMatchObject({ code: 2 });
});

test('review cases are listed and decided', async () => {
  const reviewing = await api.createApp({ settings: { reviews: { amlLevel: 'LOW' } } });
  const mine = openTerminal({ api, app: reviewing });
  const { id } = (
    await reviewing.job({ check: 'aml_screening', input: { name: 'Balarabewa Musa', date_of_birth: '1968-03-14', country: 'NG' } })
  ).body.entity;
  await reviewing.ended(`/api/v1/jobs/${id}`);
  const listed = JSON.parse((await mine.run(['reviews', 'list', '--json'])).stdout);
  expect(listed).toEqual([expect.objectContaining({ job: id, state: 'open', kind: 'aml' })]);
  expect(await mine.run(['reviews', 'comment', listed[0].id, 'looked at the passport'])).toMatchObject({ code: 0 });
  const decided = await mine.run(['reviews', 'reject', listed[0].id, '--reason', 'the same person']);
  expect(decided, decided.stderr).toMatchObject({ code: 0, stdout: `${listed[0].id} is decided.\n` });
  const another = await reviewing.job({
    check: 'aml_screening',
    input: { name: 'Gleb Voronetzky', date_of_birth: '1971-11-02', country: 'RU' },
  });
  await reviewing.ended(`/api/v1/jobs/${another.body.entity.id}`);
  const [open] = JSON.parse((await mine.run(['reviews', 'list', '--state', 'open', '--json'])).stdout);
  const reason = ['--reason', 'needs a second look'];
  expect(await mine.run(['reviews', 'escalate', open.id, ...reason])).toMatchObject({ code: 0, stdout: `${open.id} is escalated.\n` });
  expect(await mine.run(['reviews', 'approve', open.id, ...reason])).toMatchObject({ code: expect.any(Number) });
  const shown = await mine.run(['reviews', 'show', listed[0].id]);
  expect(shown.stdout).toMatch(/^decision +reject by key_/m);
  expect(shown.stdout).toContain('looked at the passport');
});

test('people are held and released, consents withdrawn, look-ups counted by purpose, and a journal of erasures is repeated', async () => {
  const [person, journal] = ['person.json', 'journal.jsonl'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(person, JSON.stringify([{ type: 'nin', value: '70123456780' }]));
  const hold = await json('privacy', 'hold', person, '--reason', 'Suit 17');
  expect(hold).toMatchObject({ object: 'subject_hold', identifiers: ['nin'], reason: 'Suit 17' });
  expect((await terminal.run(['privacy', 'holds'])).stdout).toMatch(new RegExp(`^ID .*\n${hold.id} +nin +Suit 17 `));
  expect((await terminal.run(['privacy', 'release', hold.id])).stdout).toContain(`${hold.id} is lifted.`);
  const piped = await terminal.run(['privacy', 'hold', '-'], { input: readFileSync(person, 'utf8') });
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hld_\w+ holds the person\./) });
  writeFileSync(person, 'nin 70123456780');
  expect(await terminal.run(['privacy', 'hold', person])).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected JSON') });
  expect((await terminal.run(['privacy', 'withdraw', 'C-17'])).stdout).toMatch(
    /^Withdrawn\. Monitors that ended: 0\. Nothing was found that names this reference/,
  );
  await app.get('/api/v1/kyc/nin?nin=70123456789', {
    Consent: '{"reference":"C-18","purpose":"onboarding","obtained_at":"2025-11-21T09:30:00Z"}',
  });
  await waitFor('the call', async () => (await terminal.run(['privacy', 'purposes'])).stdout.includes('onboarding'));
  writeFileSync(journal, '');
  const { CONFAM_KEYS, CONFAM_INDEX_KEY } = api.service.config;
  const environment = { DATABASE_URL: api.service.databaseUrl, CONFAM_KEYS: CONFAM_KEYS!, CONFAM_INDEX_KEY: CONFAM_INDEX_KEY! };
  const repeated = await runConfam(['erasures', 'repeat', journal], environment);
  expect(repeated, repeated.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Repeated 0 erasures') });
});
