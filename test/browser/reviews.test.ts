/** A review case in the console, from the list to the decision. */
import { describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };

describe.skipIf(!chromiumIsHere)(chromiumNote('reviews in the console'), () => {
  test('a case is taken, commented on and decided with a reason', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'reviews');
    await page.getByRole('row', { name: /Screening hits/ }).waitFor();
    await expectAccessible(page, 'reviews');
    await page
      .getByRole('row', { name: /Screening hits/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    await expectAccessible(page, 'a review case');
    await page.getByLabel('Comment').fill('Called the customer');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.getByText('Called the customer').waitFor();
    await page.getByLabel('Reject').check();
    await page.getByLabel('Reason').fill('The birth date is the same');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.getByText('The case is rejected.').waitFor();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor({ state: 'detached' });
    const { data } = (await app.get<{ data: { state: string; decision: string }[] }>('/api/v1/reviews')).body.entity;
    expect(data).toMatchObject([{ state: 'decided', decision: 'reject' }]);
    expectClean();
    await close();
  });

  test('a hit is cleared on the page of its job, once it is shown in clear, and its case is a link away', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${job.id}`);
    await page.getByText('Show the row in clear to compare its hits').waitFor();
    await page.getByRole('link', { name: 'Decide or escalate' }).waitFor();
    expect(await page.getByRole('button', { name: /clear it/ }).count()).toBe(0);
    await page.getByText('None: test mode asks the sandbox.').waitFor();
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page
      .getByRole('button', { name: /clear it/ })
      .first()
      .click();
    await page.getByLabel('Why it is somebody else').fill('Born in another town');
    await page.getByRole('button', { name: 'Clear the hit' }).click();
    await page.getByText('Cleared: somebody else').waitFor();
    const { data } = (await app.get<{ data: { reason: string; cleared_by: string }[] }>('/api/v1/aml/clearances')).body.entity;
    expect(data).toMatchObject([{ reason: 'Born in another town', cleared_by: 'Ada Obi' }]);
    await page.getByRole('link', { name: 'Decide or escalate' }).click();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('a viewer is not offered it', async () => {
    const { page, close } = await visitAs(api, chromium, await api.createApp(), 'viewer', 'batches');
    await page.getByRole('link', { name: 'Batches' }).waitFor();
    expect(await page.getByRole('link', { name: 'Review', exact: true }).count()).toBe(0);
    await close();
  });
});
