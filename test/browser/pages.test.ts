/** Every page of the console and its states, as axe sees them: light and dark, at 360, 768 and 1280 px. */
import { describe, expect, test } from 'vitest';
import { type JobEntity, useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { PASSWORD } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

interface Screened {
  screening: { hits: object[] };
  directors: { screening: { total_hits: number; hits: object[] } | null }[];
  overall_risk: object;
}

const rows = (count: number): string => `nin\n${Array.from({ length: count }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`;

describe.skipIf(!chromiumIsHere)(chromiumNote('the pages of the console'), () => {
  test('signing in', async () => {
    const { page, expectClean, close } = await chromium.visit(`${siteUrl(api)}/console/`);
    await page.getByLabel('E-mail address').waitFor();
    await expectAccessible(page, 'sign-in');
    expectClean();
    await close();
  });

  test('home, with nothing and with something that runs', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', '');
    await page.getByRole('heading', { name: 'Nothing is running in test mode' }).waitFor();
    await expectAccessible(page, 'home');
    await app.csv('checks=nin_basic&start=manual&reference=waits', rows(3));
    await page.getByRole('link', { name: 'waits' }).waitFor();
    await expectAccessible(page, 'home with a batch');
    expectClean();
    await close();
  });

  test('batches: none, some, one that fails to load, and one batch', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'batches');
    await page.getByRole('heading', { name: 'No batches in test mode yet' }).waitFor();
    await expectAccessible(page, 'no batches');
    const { id } = (await app.csv('checks=nin_basic', `${rows(20)}12\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    await page.getByRole('link', { name: `…${id.slice(-8)}` }).waitFor();
    await expectAccessible(page, 'batches');
    await page.getByRole('link', { name: `…${id.slice(-8)}` }).click();
    await page.getByRole('region', { name: 'Rows of the batch' }).waitFor();
    await expectAccessible(page, 'a batch');
    await page.goto(`${siteUrl(api)}/console/batches/bat_1`);
    await page.getByRole('alert').getByText('There is no such batch').waitFor();
    await expectAccessible(page, 'no such batch');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('LIVE: real people').waitFor();
    // It might have been there.
    expect(new URL(page.url()).pathname).toBe('/console/batches/bat_1');
    await page.getByRole('alert').getByText('There is no such batch').waitFor();
    await expectAccessible(page, 'live mode');
    expectClean();
    await close();
  });

  test('the row of a company: its directors as people, its number as it is; the hits of a screening come first', {
    timeout: LOOKS_MS,
  }, async () => {
    const app = await api.createApp();
    const answered = async (check: string, input: object) => {
      const { id } = (await app.job({ check, input })).body.entity;
      return app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    };
    const company = await answered('cac_advance', { rc_number: 'RC1432074' });
    const [director] = (company.result as { directors: { surname: string }[] }).directors;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', `jobs/${company.id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(dialog);
    await dialog.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('row', { name: /RC number.*RC1432074.*1432074.*Agrees/ }).waitFor();
    await page.getByText('Directors', { exact: false }).first().click();
    await page.locator('dd').getByText(director!.surname, { exact: true }).first().waitFor();
    await page.locator('p').getByText('Trustees').waitFor();
    expect(await page.locator('main pre:visible').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Batches' }).getAttribute('aria-current')).toBe('page');
    await expectAccessible(page, 'the row of a company');
    // The page is read again once the connection is back.
    await page.context().setOffline(true);
    await page.getByText('The connection to Confam is lost.').waitFor();
    await Promise.all([page.waitForResponse(`**/api/v1/jobs/${company.id}`), page.context().setOffline(false)]);
    await page.getByText('Connected again.').waitFor();
    await page.waitForTimeout(300);
    expect(await page.locator('dd').getByText(director!.surname, { exact: true }).count()).toBeGreaterThan(0);
    const screened = await answered('aml_screening', { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' });
    await page.goto(`${siteUrl(api)}/console/jobs/${screened.id}`);
    await page.getByRole('heading', { name: '1 hit on watch lists' }).waitFor();
    expect((await page.getByRole('heading', { level: 2 }).allTextContents()).slice(0, 2)).toEqual([
      '1 hit on watch lists',
      'Submitted and found',
    ]);
    expectClean();
    await close();
  });

  test('the hits of a company and of its people are explained, each with whom it was found for; who could not be screened is said', {
    timeout: LOOKS_MS,
  }, async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'cac_screening', input: { rc_number: '9900055' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    await page.getByRole('heading', { name: '1 hit on watch lists' }).waitFor();
    await page.getByText('Show the job in clear to compare its hits.').waitFor();
    // Nobody on record with a company of the sandbox is listed, so its first director gets a hit here, as shareholder too.
    await page.route(`**/api/v1/jobs/${id}/reveal`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { entity: { result: Screened; cleared: { parties: object[] } } };
      const { result, cleared } = body.entity;
      const hit = { ...result.screening.hits[0]!, list: 'un_sc', name: 'Ruth Okoro', category: 'pep' };
      const [director] = result.directors;
      Object.assign(director!, { firstname: 'Ruth', othername: '', surname: 'Okorro' });
      director!.screening = { total_hits: 120, hits: [hit, { ...hit, name: 'Ruth Okorie' }] };
      result.directors[1]!.screening = null;
      Object.assign(result.overall_risk, { total_hits: 121, not_screened: 1 });
      cleared.parties = [{ at: ['directors.0', 'shareholders.0'], hits: [1], all: false, risk_level: 'HIGH' }];
      await route.fulfill({ response, json: body });
    });
    await page.getByRole('button', { name: 'Show in clear' }).click();
    const dialog = page.getByRole('dialog');
    await sayWhatFor(dialog);
    await dialog.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('heading', { name: '121 hits on watch lists' }).waitFor();
    const hits = page.getByRole('article');
    await hits
      .filter({ hasText: 'OFAC, US Treasury: ' })
      .getByText(/^Found for .+, the company itself$/)
      .waitFor();
    const open = hits.filter({ hasText: 'Ruth Okoro ' });
    await open.getByText('Found for Ruth Okorro, director, shareholder', { exact: true }).waitFor();
    await open.getByText('UN Security Council: ').waitFor();
    await open.getByText('Politically exposed person').waitFor();
    await hits.filter({ hasText: 'Ruth Okorie' }).getByText('Cleared: not a match').waitFor();
    await page.getByText('For Ruth Okorro the 2 best of 120 hits are shown.').waitFor();
    await page.getByText('1 party on record could not be screened.').waitFor();
    await page.getByText('Directors', { exact: false }).first().click();
    await page.getByText('120 hits', { exact: true }).waitFor();
    await page.locator('.state').getByText('Not screened').waitFor();
    expect(await page.locator('main pre').filter({ hasText: 'explanation' }).count()).toBe(0);
    await expectAccessible(page, 'the hits of a company');
    expectClean();
    await close();
  });

  test('keys, people, approvals, audit, screening, privacy and the own account', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp({ naira: 1_000 });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    const open = async (path: string, title: string) => {
      await page.goto(`${siteUrl(api)}/console/${path}`);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    };
    await page.getByRole('button', { name: 'New key' }).click();
    await expectAccessible(page, 'a new key');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('It is shown only once').waitFor();
    await expectAccessible(page, 'the key that was made');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await expectAccessible(page, 'keys');
    await open('people', 'People');
    await page.getByRole('row', { name: /Ada Obi/ }).waitFor();
    await expectAccessible(page, 'people');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await expectAccessible(page, 'an invitation');
    await page.getByRole('button', { name: 'Back' }).click();
    await open('approvals', 'Approvals');
    await page.getByText('Nothing is waiting').waitFor();
    await expectAccessible(page, 'approvals');
    await open('audit', 'Audit');
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await expectAccessible(page, 'an entry of the audit');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expectAccessible(page, 'audit');
    await open('screening', 'Screening');
    await page.getByText('Nobody is monitored').waitFor();
    await expectAccessible(page, 'screening');
    await page.getByText('Watch lists', { exact: true }).click();
    await page
      .getByRole('row', { name: /UN Security Council/ })
      .first()
      .waitFor();
    await expectAccessible(page, 'watch lists');
    await open('privacy', 'Privacy');
    await page.getByRole('button', { name: 'Change the days of rows to correct' }).click();
    await page.getByLabel('Days in live mode').fill('9');
    await expectAccessible(page, 'days that something is kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Rows to correct.*9 days.*instead of 30/ }).waitFor();
    await expectAccessible(page, 'privacy');
    await open('account', 'My account');
    await page.getByRole('row', { name: /This one/ }).waitFor();
    await expectAccessible(page, 'the own account');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    await expectAccessible(page, 'an authenticator app');
    expectClean();
    await close();
  });

  test('the page of a signed link', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const { id } = (await app.csv('checks=nin_basic', rows(3))).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page_url } = (await app.post<{ page_url: string }>(`/api/v1/batches/${id}/links`, { format: 'csv' })).body.entity;
    const { page, expectClean, close } = await chromium.visit(page_url);
    await page.getByRole('button', { name: 'Download' }).waitFor();
    await expectAccessible(page, 'a signed link');
    await page.goto(`${page_url}x`);
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await expectAccessible(page, 'a link that is not valid');
    expectClean();
    await close();
  });

  test('a call after the session has ended answers nothing, and what was entered is there to be sent after signing in again', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'try?check=nin_slip');
    await page.getByRole('button', { name: 'Found', exact: true }).click();
    await api.service.sql`update sessions set seen_at = now() - interval '1 hour'`;
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    expect(await page.getByText('401').count()).toBe(0);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No call yet' }).waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('200 Found').waitFor();
    expectClean();
    await close();
  });

  test('trying a check: its form and an answer', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'try?check=nin_verify');
    await page.getByRole('button', { name: 'A person has to decide' }).click();
    await expectAccessible(page, 'a form with a picture');
    await page.getByRole('combobox', { name: 'Check', exact: true }).selectOption('nin_slip');
    await page.getByRole('button', { name: 'Found', exact: true }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('200 Found').waitFor();
    await expectAccessible(page, 'an answer');
    expectClean();
    await close();
  });
});
