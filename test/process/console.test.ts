/** A service whose console cannot be built: it says so, serves the API all the same, and has the console as soon as it can be built. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import { killConfams, makeDataDir, readSandbox, startConfam, untilReady } from '../setup/process.ts';

const copy = makeDataDir('package');
const data = makeDataDir();
afterAll(async () => {
  await killConfams();
  copy.remove();
  data.remove();
});

test('a start without a console says so and answers the API; the console is there once it can be built', { timeout: 120_000 }, async () => {
  const root = packageRoot();
  mkdirSync(join(copy.path, 'src/console'), { recursive: true });
  for (const name of readdirSync(root).filter((one) => !['src', 'dist', '.git', '.data'].includes(one)))
    symlinkSync(join(root, name), join(copy.path, name));
  cpSync(inject('compiled'), join(copy.path, 'dist'), { recursive: true });
  for (const room of readdirSync(join(root, 'src')).filter((one) => one !== 'console'))
    symlinkSync(join(root, 'src', room), join(copy.path, 'src', room));
  writeFileSync(join(copy.path, 'src/console/main.tsx'), 'render(<App>');
  writeFileSync(join(copy.path, 'src/console/style.css'), '');

  const port = await freePort();
  const confam = startConfam(['start'], { CONFAM_DATA_DIR: data.path, PORT: String(port) }, [join(copy.path, 'dist/src/cli.js')]);
  await untilReady(confam, port, 80_000);
  const at = (path: string, headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const page = await at('/console/');
  expect(page.status).toBe(503);
  expect(await page.text()).toMatch(/The console is not built.*The API works/s);
  // Standard output may arrive after the answer.
  await waitFor('the log to say why', () => /main\.tsx:1.*the console is not built/.test(confam.stdout()));
  const { app_id, test_key } = readSandbox(data.path);
  expect((await at('/api/v1/kyc/nin?nin=70123456789', { Authorization: test_key, AppId: app_id })).status).toBe(200);

  cpSync(join(root, 'src/console'), join(copy.path, 'src/console'), { recursive: true });
  const built = await at('/console/');
  expect(built.status).toBe(200);
  const script = /src="(assets\/main-[^"]+\.js)"/.exec(await built.text())![1];
  expect((await at(`/console/${script}`)).status).toBe(200);
  confam.signal('SIGTERM');
  await confam.ended();
});
