/** `confam batch`: from a file to its results, by a script and by a person in a terminal, and what may go wrong on the way. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { hasTerminals, openTerminal, type Terminal } from '../setup/terminal.ts';

// A registry that is down leaves its batch running for the time of these tests.
const api = useApi({ CONFAM_JOB_BACKOFF_MS: '60000' });
const folder = mkdtempSync(join(tmpdir(), 'confam-batch-'));
let app: TestApp;
let terminal: Terminal;
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000_000 });
  terminal = openTerminal({ api, app });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of people of the sandbox; the last of them is not on record. */
function customers(name: string, count: number, head = 'customer,National ID Number'): string {
  const path = join(folder, name);
  const rows = Array.from({ length: count - 1 }, (_, i) => `c${i + 1},${40_000_000_000 + i * 7}`);
  writeFileSync(path, [head, ...rows, `c${count},00000000001`, ''].join('\n'));
  return path;
}

const result = (name: string) => join(folder, name);
const batches = async () => (await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data;

test('a script submits a file and has its results at the end', async () => {
  const path = customers('script.csv', 40);
  const args = [
    'batch',
    'submit',
    path,
    '--checks',
    'nin_basic',
    '--map',
    'nin=National ID Number',
    '--map',
    'reference=customer',
    '--yes',
  ];
  const ended = await terminal.run([...args, '--output', result('script-results.csv')]);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(ended.stdout).toMatch(/^nin +National ID Number/m);
  expect(ended.stdout).toMatch(/bat_[0-9a-f]{32} {2}completed/);
  expect(ended.stdout).toMatch(/jobs +40: 39 found, 1 not found, 0 failed, 0 canceled/);
  expect(ended.stdout).toMatch(/^cost +₦[\d,.]+ of at most ₦[\d,.]+$/m);
  expect(ended.stderr).toMatch(/Uploading .* 100\.0 %/);
  const lines = readFileSync(result('script-results.csv'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(41);
  expect(lines[1]).toMatch(/^c1,40000000000,completed,found/);
  // Personal data: for whoever asked for it alone.
  expect(statSync(result('script-results.csv')).mode & 0o077).toBe(0);
  const again = await terminal.run([...args, '--output', result('script-results.csv')]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
  const { stdout } = await terminal.run([...args, '--json', '--watch']);
  const batch = JSON.parse(stdout);
  expect(batch).toMatchObject({ object: 'batch', status: 'completed', counts: { found: 39 } });
  const rows = (await terminal.run(['batch', 'results', batch.id, '--json'])).stdout.trimEnd().split('\n');
  expect(rows).toHaveLength(40);
  expect(JSON.parse(rows[0]!)).toMatchObject({ row: 1, reference: 'c1' });
  const table = await terminal.run(['batch', 'results', batch.id, '--json', '--format', 'csv']);
  expect(table.stdout).toMatch(/^\uFEFF?customer,/);
});

test('a batch that has ended says why jobs failed', async () => {
  const { id } = (await app.csv('checks=nin_basic', 'nin\n40000000000\n40000000007\n')).body.entity;
  await app.ended(`/api/v1/batches/${id}`);
  const uuid = parseId('bat', id)!;
  const { sql } = api.service;
  await sql`update jobs set status = 'failed', outcome = null, error_code = 'provider_failed' where batch_id = ${uuid} and row_number = 2`;
  await sql`update batches set failed = 1, completed = 1, found = 1 where id = ${uuid}`;
  for (const command of ['status', 'watch']) {
    const { stdout } = await terminal.run(['batch', command, id]);
    expect(stdout).toMatch(/^1 failed job:\n {2}1 of nin_basic: The provider was asked and failed; nothing was charged\.$/m);
  }
});

test.each([
  ['rows.ndjson', '{"nin":"40000000007"}\n{"nin":"12"}\n', 'ndjson', 'jsonl'],
  ['rows.json', '[{"nin":"40000000007"},{"nin":"12"}]', 'json', 'jsonl'],
  ['rows.csv', 'nin\n40000000007\n12\n', 'csv', 'csv'],
])('the command that it prints for rows to correct works: %s', async (name, text, format, end) => {
  writeFileSync(result(name), text);
  const submitted = await terminal.run(['batch', 'submit', result(name), '--checks', 'nin_basic', '--yes']);
  const [command = '', id, output] = /confam (batch errors (bat_\w+) --output (\S+))/.exec(submitted.stdout)?.slice(1) ?? [];
  expect([submitted.code, output], submitted.stdout + submitted.stderr).toEqual([0, `to-correct.${end}`]);
  expect((await app.get(`/api/v1/batches/${id}`)).body.entity).toMatchObject({ format });
  const saved = result(`${name}-${output}`);
  const corrected = await terminal.run(command.replace(output!, saved).split(' '));
  expect(corrected, corrected.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(saved, 'utf8')).toMatch(end === 'csv' ? /^\ufeff?nin,confam_row,confam_error\r\n12,/ : /^\{.*"nin":"12"/);
});

describe('nothing is submitted', () => {
  const refused: [name: string, args: () => string[], says: RegExp][] = [
    ['without a terminal and without --yes', () => [customers('asks.csv', 2), '--checks', 'nin_basic'], /no terminal to ask in.*\n--yes/],
    [
      'without checks; those that fit are named',
      () => [customers('fits.csv', 2, 'customer,nin'), '--yes'],
      /--checks says what to check\.\nThese fit its columns:\n(.*\n)*? *nin_basic +nin/,
    ],
    ['with a check that does not exist', () => [customers('check.csv', 2), '--checks', 'nin_bacis', '--yes'], /did you mean nin_basic/],
    [
      'if a column is missing; the flag is named',
      () => [customers('missing.csv', 2, 'customer,telephone'), '--checks', 'email_risk', '--yes'],
      /No column of the file is email.*\nName it:\n +--map email="<column>"(.*\n)*The columns are: customer, telephone/,
    ],
    [
      'if --map names no column',
      () => [customers('wrong.csv', 2), '--checks', 'nin_basic', '--map', 'nin=National IDD', '--yes'],
      /National ID/,
    ],
    ['if --map is no mapping', () => [customers('map.csv', 2), '--checks', 'nin_basic', '--map', 'nin', '--yes'], /Expected input=column/],
    ['if there is no such file', () => [join(folder, 'none.csv'), '--checks', 'nin_basic', '--yes'], /none\.csv: no such file/],
    [
      'of a file whose name says nothing',
      () => [customers('people.dat', 2), '--checks', 'nin_basic', '--yes'],
      /the name does not say what is in it/,
    ],
    [
      'if the results could not be written',
      () => [customers('out.csv', 2), '--checks', 'nin_basic', '--yes', '-o', '/nowhere/at/all.csv'],
      /no such file or folder/,
    ],
  ];
  test.each(refused)('%s', async (_, args, says) => {
    const before = (await batches()).length;
    const ended = await terminal.run(['batch', 'submit', ...args()]);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect((await batches()).length).toBe(before);
  });

  test('of columns that were only guessed, unless somebody names them', async () => {
    const path = customers('guessed.csv', 3, 'customer,numero');
    const ended = await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--yes']);
    expect(ended.code, ended.stdout).toBe(2);
    expect(ended.stderr).toMatch(/numero/);
    const named = await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--map', 'nin=numero', '--yes', '--watch']);
    expect(named, named.stderr).toMatchObject({ code: 0 });
  });

  test('if the wallet does not cover it', async () => {
    const poor = openTerminal({ api, app: await api.createApp({ naira: 100 }) });
    const ended = await poor.run(['batch', 'submit', customers('poor.csv', 9, 'customer,nin'), '--checks', 'nin_basic', '--yes']);
    expect(ended).toMatchObject({ code: 5, stderr: expect.stringMatching(/Needed: ₦1,125\.00\. In the wallet: ₦100\.00\./) });
  });

  test('if a wrong column is only found out while the file is on its way', async () => {
    // Larger than what a preview reads, and than what sockets hold.
    const path = join(folder, 'large.csv');
    writeFileSync(path, `customer,nin\n${'c,4000000000x\n'.repeat(60_000)}`);
    const ended = await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--on-invalid', 'reject', '--yes']);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stderr).toMatch(/must be 11 digits/);
  });
});

test('a name of a file does not command the terminal', async () => {
  const shown = await terminal.run(['batch', 'submit', customers('a\x1b[2Jb.csv', 2, 'customer,nin'), '--checks', 'nin_basic', '--yes']);
  expect(shown, shown.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('a\ufffd[2Jb.csv  ') });
  expect(shown.stdout).not.toContain('\x1b');
});

test('batches are listed, steered, followed and read', async () => {
  const path = join(folder, 'steered.csv');
  writeFileSync(path, 'nin\n70123456789\n12\n00000000004\n');
  const { stdout } = await terminal.run([
    'batch',
    'submit',
    path,
    '--checks',
    'nin_basic',
    '--start',
    'manual',
    '--yes',
    '--json',
    '--reference',
    'steered',
  ]);
  const { id } = JSON.parse(stdout) as { id: string };
  const listed = await terminal.run(['batch', 'list', '--reference', 'steered']);
  expect(listed.stdout).toMatch(/^ID +STATUS/);
  expect(listed.stdout).toContain(`${id}  awaiting_start`);
  const status = await terminal.run(['batch', 'status', id]);
  expect(status.stdout).toContain(`confam batch start ${id}`);
  expect(status.stdout).toMatch(/row 2 {2}nin: must be 11 digits/);
  const errors = await terminal.run(['batch', 'errors', id]);
  expect(errors.stdout).toMatch(/\n12,.*must be 11 digits/);
  // Ctrl-C ends the watching, not the batch, which waits and so cannot end meanwhile.
  const watching = terminal.start(['batch', 'watch', id]);
  await waitFor('the watching', () => watching.stderr().includes('waits to be started'), 20_000);
  watching.child.kill('SIGINT');
  const stopped = await watching.ended();
  expect(stopped).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(new RegExp(`The batch keeps running.*\nFollow it: confam batch watch ${id}`)),
  });
  const started = await terminal.run(['batch', 'start', id, '--json']);
  expect(started.code, started.stderr).toBe(0);
  expect(await terminal.run(['batch', 'watch', id])).toMatchObject({ code: 0 });
  const other = await terminal.run(['batch', 'status', `bat_${'0'.repeat(32)}`]);
  expect(other).toMatchObject({ code: 3, stderr: expect.stringMatching(/no such batch/) });
  const canceled = JSON.parse(
    (await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--start', 'manual', '--yes', '--json'])).stdout,
  ).id;
  expect(await terminal.run(['batch', 'cancel', canceled, '--yes'])).toMatchObject({ code: 0 });
  expect(await terminal.run(['batch', 'watch', canceled])).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('The batch is canceled (requested).'),
  });
  // Nothing of a deleted batch is left to save, correct or retry.
  expect((await app.send('DELETE', `/api/v1/batches/${canceled}`)).status).toBe(202);
  const deleted = await terminal.run(['batch', 'status', canceled]);
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringMatching(/ {2}delet(ing|ed)/) });
  expect(deleted.stdout).not.toContain('confam batch');
});

test('a batch that runs is paused, resumed and canceled', async () => {
  const { id } = (await app.csv('checks=nin_basic', 'nin\n00000000003\n')).body.entity;
  const paused = await terminal.run(['batch', 'pause', id]);
  expect(paused, paused.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(`confam batch resume ${id}`) });
  expect(await terminal.run(['batch', 'resume', id])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`confam batch watch ${id}`),
  });
  expect(await terminal.run(['batch', 'cancel', id, '--yes'])).toMatchObject({ code: 0 });
});

test('a pipe that nobody reads and a full disk end with a sentence', async () => {
  const path = customers('long.csv', 3_000, 'customer,nin');
  const { stdout } = await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--yes', '--watch', '--json']);
  const { id } = JSON.parse(stdout) as { id: string };
  const reading = terminal.start(['batch', 'results', id, '--format', 'jsonl']);
  reading.child.stdout!.once('data', () => reading.child.stdout!.destroy());
  await waitFor('its end', () => reading.child.exitCode !== null);
  expect(reading.child.exitCode).toBe(9);
  expect(reading.stderr()).toMatch(/broken pipe/);
  if (!existsSync('/dev/full')) return;
  const full = await terminal.run(['batch', 'results', id, '--format', 'jsonl'], { into: '/dev/full' });
  expect(full).toMatchObject({ code: 9, stderr: expect.stringMatching(/^The disk is full: .* is incomplete\./) });
});

describe.skipIf(!hasTerminals)('in a terminal', () => {
  test('the quote is shown, and nothing happens without a yes', async () => {
    const path = customers('person.csv', 12, 'customer,nin');
    const before = (await batches()).length;
    const args = ['batch', 'submit', path, '--checks', 'nin_basic'];
    const asked = terminal.start(args, { isTerminal: true });
    await waitFor('the question', () => asked.stdout().includes('[y/N]'), 20_000);
    expect(asked.stdout()).toMatch(/person\.csv.*12 rows/);
    expect(asked.stdout()).toMatch(/nin_basic +12 +₦125\.00/);
    expect(asked.stdout()).toMatch(/Submit 12 rows for at most ₦1,500\.00\?/);
    asked.type('\n');
    expect(await asked.ended()).toMatchObject({ code: 8, stdout: expect.stringContaining('Nothing was submitted.') });
    expect((await batches()).length).toBe(before);
    const agreed = terminal.start([...args, '--watch'], { isTerminal: true });
    await waitFor('the question', () => agreed.stdout().includes('[y/N]'), 20_000);
    agreed.type('y\n');
    const ended = await agreed.ended();
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toMatch(/\[=+ *\].*12 of 12/);
    expect(ended.stdout).toContain('completed');
  });
});
