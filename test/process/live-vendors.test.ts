/** docs/live-vendors.md as written: a simulated vendor, the file that names it, and a service whose live keys it answers. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { blocksOf, makePrograms } from '../setup/pages.ts';
import { processesMentioning, runConfam } from '../setup/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-live-'));
// Where Postgres, as another user, can reach it.
chmodSync(folder, 0o711);
mkdirSync(join(folder, '.data'), { mode: 0o711 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Both terminals of the page, in one shell; what runs until Ctrl-C runs beside it, and is ended as by Ctrl-C. */
const scriptOf = (simulator: string, service: string): string => `
${simulator.replace(/^(npm run confam -- upstream-sim .*)$/m, '$1 > sim.log &')}
trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT
until grep -q ready sim.log; do sleep 0.1; done
${service.replace(/^npm start$/m, 'npm start > start.log 2>&1 &')}
until curl -sf "$BASE/readyz" > ready.json; do kill -0 $! || { cat start.log; exit 1; }; sleep 0.2; done
key() { node -p "require('./.data/sandbox.json').$1"; }
curl -s -H "Authorization: $(key live_key)" -H "AppId: $(key app_id)" "$BASE/api/v1/kyc/nin?nin=70123456789"
curl -s -H "Authorization: $(key admin_key)" "$BASE/api/v1/admin/providers"
`;

test('the page, pasted into a shell: the vendor answers the live key, and its cost is shown', async () => {
  const [simulator, service, ...others] = blocksOf('docs/live-vendors.md').filter(({ language }) => language === 'sh');
  expect(others).toEqual([]);
  const [vendor, port] = [await freePort(), await freePort()];
  const script = scriptOf(simulator!.code, service!.code).replaceAll('8090', `${vendor}`);
  const { HOME } = process.env as Record<'HOME', string>;
  const env = {
    PATH: `${makePrograms(folder)}:${process.env.PATH}`,
    HOME,
    PORT: `${port}`,
    BASE: `http://127.0.0.1:${port}`,
    CONFAM_FACE_MODELS: '/nowhere',
  };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, timeout: 80_000 });
  expect(stdout).toMatch(/^sim: .*\bnin\b.*; 50 requests a second, \d+ in flight\nnin: sim\n/m);
  expect(stdout).toContain('"surname":"Durojaiye"');
  expect(stdout).toMatch(/"name":"sim".*80/s);
  expect(processesMentioning(folder)).toEqual([]);
}, 90_000);

test('upstreams check names what is wrong with the file', async () => {
  const path = join(folder, 'wrong.json');
  writeFileSync(path, '{"providers": {"sim": {"adapter": "natve"}}, "records": {"nin": ["sim"]}}');
  const cases: [args: string[], code: number, says: RegExp][] = [
    [[path], 1, /natve|adapter/],
    [[join(folder, 'none.json')], 1, /^CONFAM_UPSTREAMS: .*none\.json cannot be read \(ENOENT\)/],
    [[], 2, /give a file, or set CONFAM_UPSTREAMS/],
  ];
  for (const [args, exit, says] of cases) {
    const { code, stderr } = await runConfam(['upstreams', 'check', ...args]);
    expect([args, code]).toEqual([args, exit]);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});
