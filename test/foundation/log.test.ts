/** The form of log lines, as collectors read it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';

const program = `
  import { openLog } from './src/foundation/log.ts';
  const log = openLog('info', false);
  log.info({ request: 'req_1' }, 'two\\nlines {"level":60}');
  log.error({ err: Object.assign(new Error('value 12345678901 is bad'), { severity: 'ERROR', code: '22P02' }) }, 'failed');`;

const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
  cwd: join(packageRoot()),
  encoding: 'utf8',
});
const lines = stdout.trimEnd().split('\n');

test('a line is one JSON object, whatever its text contains, and nothing is written elsewhere', () => {
  expect(stderr).toBe('');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 30, request: 'req_1', msg: 'two\nlines {"level":60}' });
});

test('times are milliseconds of UTC', () => {
  for (const line of lines) expect(Math.abs(Date.now() - (JSON.parse(line) as { time: number }).time)).toBeLessThan(60_000);
});

test('an error from the database is logged without its message', () => {
  expect(JSON.parse(lines[1]!)).toMatchObject({ msg: 'failed', err: { code: '22P02' } });
  expect(lines[1]).not.toContain('12345678901');
});
