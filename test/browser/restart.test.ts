/** The service dies in the middle of a batch that is being watched, and starts again. */
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { waitFor } from '../setup/database.ts';
import { type Confam, client, killConfams, makeDataDir, readSandbox, startConfam, untilReady } from '../setup/process.ts';

const chromium = useChromium();
const data = makeDataDir();
afterAll(async () => {
  await killConfams();
  data.remove();
});

const ROWS = 6_000;
const csv = `nin\n${Array.from({ length: ROWS }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`;

describe.skipIf(!chromiumIsHere)(chromiumNote('the console while the service restarts'), () => {
  test('says that the connection is lost, goes on by itself and reaches the end of the batch', { timeout: 120_000 }, async () => {
    const port = await freePort();
    const start = () =>
      startConfam(['start'], { CONFAM_DATA_DIR: data.path, PORT: String(port), CONFAM_SANDBOX_LATENCY_MS: '400', CONFAM_LEASE_MS: '5000' });
    let confam: Confam = start();
    await untilReady(confam, port, 60_000);
    const link = await waitFor('the link to sign in', () => /http:\/\/localhost\S+sign-in#\S+/.exec(confam.stdout())?.[0]);
    const { page, close } = await chromium.visit(link);
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    const { app_id, test_key } = readSandbox(data.path);
    const app = client(`http://127.0.0.1:${port}`, test_key, app_id);
    const id = await app.upload(csv, 'checks=nin_basic&reference=watched');
    await page.getByRole('link', { name: 'watched' }).click();
    const bar = page.getByRole('progressbar', { name: 'Checks that are done' });
    const percent = async () => Number(await bar.getAttribute('aria-valuenow'));
    await waitFor('the batch to be under way', async () => (await percent()) >= 3, 30_000);
    await confam.kill();
    await page.getByText('The connection to Confam is lost.').waitFor();
    const reached = await percent();
    expect(reached).toBeLessThan(100);
    // What was there stays in view meanwhile.
    await page.getByRole('heading', { name: 'watched' }).waitFor();
    // A page that was not opened before cannot be loaded now. It says so, and appears once the service is back.
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByText('Confam cannot be reached.').waitFor();
    confam = start();
    await untilReady(confam, port, 60_000);
    await page.getByText('Connected again.').waitFor();
    await page.getByRole('heading', { name: 'Money' }).waitFor();
    await page.goBack();
    await page.getByText('Connected again.').waitFor({ state: 'detached' });
    await page.locator('.head .state').getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await percent()).toBe(100);
    expect(await app.batch(id)).toMatchObject({ status: 'completed', counts: { found: ROWS } });
    await close();
    await confam.kill();
  });
});
