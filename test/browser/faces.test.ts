/** A face comparison in the console: similarity, threshold, and both pictures side by side for those who may see them. */
import { describe, expect, test } from 'vitest';
import { skipNote } from '../engines/face/faces.ts';
import { useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, visitAs } from '../setup/console.ts';
import { again, base64, canCompare, one } from '../setup/face-pictures.ts';

describe.skipIf(!(canCompare && chromiumIsHere))(chromiumNote(skipNote('a compared face')), () => {
  const api = useApi({ CONFAM_FACE_THREADS: '1' });
  const chromium = useChromium();

  test('stands beside its threshold, its pictures are shown when asked for, and the audit keeps that', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp({ settings: { keepImagesDays: 30 } });
    const input = { selfie_image: base64(one()), photoid_image: base64(again()) };
    const { id } = (await app.job({ check: 'photoid_compare', input })).body.entity;
    const { result } = await app.ended<{ status: string; result: { confidence_score: number } }>(`/api/v1/jobs/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    const faces = page.getByRole('region', { name: 'Faces' });
    await faces.getByText(String(result.confidence_score), { exact: false }).waitFor();
    await faces.getByText('a match at 90 or above').waitFor();
    expect(await faces.getByRole('img').count()).toBe(0);
    const show = faces.getByRole('button', { name: 'Show the pictures' });
    // Only what has been deleted is called so.
    const broken = { status: 500, json: { code: 'internal', error: 'Something broke', meta: { request_id: 'req_1' } } };
    await page.route('**/images/portrait', (route) => route.fulfill(broken), { times: 1 });
    await show.click();
    const dialog = page.getByRole('dialog');
    await sayWhatFor(dialog);
    await dialog.getByRole('button', { name: 'Show them' }).click();
    await dialog.getByRole('alert').getByText('Something broke.').waitFor();
    await dialog.getByRole('button', { name: 'Show them' }).dblclick();
    for (const side of ['selfie', 'portrait']) {
      const picture = faces.getByRole('img', { name: `The ${side}` });
      await picture.waitFor();
      expect(await page.evaluate(`document.querySelector('img[alt="The ${side}"]').naturalWidth`), side).toBeGreaterThan(0);
    }
    await expectAccessible(page, 'pictures side by side');
    const { data } = (await app.get<{ data: { actor: { kind: string }; purpose: string }[] }>('/api/v1/audit?action=image.read')).body
      .entity;
    expect(data.map(({ actor, purpose }) => `${actor.kind} ${purpose}`)).toEqual(['person support', 'person support', 'person support']);
    expectClean();
    await close();
    const viewer = await visitAs(api, chromium, app, 'viewer', `jobs/${id}`);
    await viewer.page.getByRole('heading', { name: 'Vendors asked' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: /Show/ }).count()).toBe(0);
    await viewer.close();
  });

  test('asks for a reason before its pictures, and the pictures can then be shown', async () => {
    const app = await api.createApp({ settings: { keepImagesDays: 30, revealNeedsReason: true } });
    const input = { selfie_image: base64(one()), photoid_image: base64(again()) };
    const { id } = (await app.job({ check: 'photoid_compare', input })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    const show = page.getByRole('button', { name: 'Show the pictures' });
    const dialog = page.getByRole('dialog');
    await show.click();
    await sayWhatFor(dialog);
    await dialog.getByRole('button', { name: 'Show them' }).click();
    await dialog.getByText('This app requires a reason').waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByLabel('Why, in words').fill('A call about the account');
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await show.click();
    await dialog.getByRole('button', { name: 'Show them' }).click();
    await page.getByRole('img', { name: 'The selfie' }).waitFor();
    expectClean();
    await close();
  });
});
