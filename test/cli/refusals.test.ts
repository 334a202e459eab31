/** An operator's command checks its command line before it looks for a database. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newId, showId } from '../../src/foundation/ids.ts';
import { runConfam } from '../setup/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-refusals-'));
afterAll(() => rmSync(folder, { recursive: true }));

const app = showId('app', newId());

test.each([
  [['keys', 'create', 'love'], 'kind must be live, test or admin'],
  [['keys', 'create', 'live', '--app', 'app_1'], 'expected an app id (app_…)'],
  [['keys', 'create', 'admin', '--daily-cap', '5000'], '--daily-cap: not for an admin key'],
  [['keys', 'list', 'live'], 'kind must be admin'],
  [['keys', 'rotate', 'admin', 'key_1'], 'expected the id of an admin key (key_…)'],
  [['keys', 'revoke', 'admin'], 'expected the id of an admin key (key_…)'],
  [['apps', 'create', ''], 'the name must have 1 to 100 characters'],
  [['apps', 'suspend', 'app_1'], 'expected an app id (app_…)'],
  [['apps', 'topup', app, '1e3'], 'the amount must be a positive number of naira'],
  [['apps', 'delete', app], 'nothing was deleted: this cannot be undone, so add --yes'],
  [['people', 'invite', 'ada', '--administrator'], 'expected an e-mail address'],
  [['audit', 'export'], 'give either --file or --syslog'],
  [['lists', 'import', 'nowhere', 'file.csv'], 'there is no list nowhere'],
  [['breaches', 'import', 'file.txt', '--name', 'b', '--date', 'May'], '--date: expected YYYY-MM-DD'],
  [['retention', 'plan', '--days', 'many'], '--days: expected a number of days'],
  [['worker', '--families', 'nin,zin'], '--families: unknown zin'],
  [['upstream-sim', '--port', '-1'], '--port: expected a number from 0 to 65535'],
])('confam %j', async (args, reason) => {
  expect(await runConfam(args, { CONFAM_DATA_DIR: folder })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(reason),
  });
  expect(readdirSync(folder)).toEqual([]);
});
