/** A review case in the console, from the list to the decision. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type JobEntity, useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, visitAs } from '../setup/console.ts';
import { addHits } from '../setup/screening.ts';

const api = useApi();
const chromium = useChromium();
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };

/** A case that two people decide, and the first of them looking at it. */
async function caseForTwo() {
  const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH', twoPerson: true } } });
  const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
  await app.ended(`/api/v1/jobs/${job.id}`);
  const { id } = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data[0]!;
  return { app, id, first: await visitAs(api, chromium, app, 'operator', `reviews/${id}`) };
}

async function decide(page: Page, word: string) {
  await page.getByLabel(word).check();
  await page.getByLabel('Reason').fill('The passport is in the file');
  await page.getByRole('button', { name: 'Decide', exact: true }).click();
}

describe.skipIf(!chromiumIsHere)(chromiumNote('reviews in the console'), () => {
  test('a case is taken, commented on and decided with a reason', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED, reference: 'customer-17' })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'reviews');
    await page.getByRole('row', { name: /Screening hits Critical AML screening customer-17/ }).waitFor();
    await expectAccessible(page, 'reviews');
    await page
      .getByRole('row', { name: /Screening hits/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    // What is to be judged stands on the page, masked until it is asked for.
    await page.getByRole('heading', { name: '1 hit on watch lists' }).waitFor();
    await page.getByText('M••• D••• B•••').first().waitFor();
    await page.getByText('OFAC, US Treasury: Specially Designated Nationals').waitFor();
    await expectAccessible(page, 'a review case');
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page.getByText('Listed date of birth').waitFor();
    await page.getByRole('cell', { name: '1968-03-14' }).waitFor();
    await page.getByLabel('Comment').fill('Called the customer');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.getByText('Called the customer').waitFor();
    const reads = (await app.get<{ data: { purpose: string | null }[] }>('/api/v1/audit?action=review.read')).body.entity.data;
    expect(new Set(reads.map(({ purpose }) => purpose))).toEqual(new Set(['review']));
    const seen = (await app.get<{ data: { purpose: string | null }[] }>('/api/v1/audit?action=job.read')).body.entity.data;
    expect(
      seen.map(({ purpose }) => purpose),
      'by the page; before, by the key',
    ).toEqual(['review', null]);
    await page.getByLabel('Reject').check();
    await page.getByLabel('Reason').fill('The birth date is the same');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.getByText('The case is rejected.').waitFor();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('link', { name: 'Open its review case' }).click();
    await page.getByText('by you').waitFor();
    const { data } = (await app.get<{ data: { state: string; decision: string }[] }>('/api/v1/reviews')).body.entity;
    expect(data).toMatchObject([{ state: 'decided', decision: 'reject' }]);
    expectClean();
    await close();
  });

  test('the case of a single call says that its result is not kept, and offers no job', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    expect((await app.post('/api/v1/aml/screening', SANCTIONED)).status).toBe(200);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'reviews');
    await page
      .getByRole('row', { name: /Screening hits/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByText('Not kept').waitFor();
    expect(await page.getByRole('link', { name: 'Open the job' }).count()).toBe(0);
    expectClean();
    await close();
  });

  test('a hit is cleared on the page of its job, once it is shown in clear, and its case is a link away', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${job.id}`);
    await page.getByText('Show the job in clear to compare its hits').waitFor();
    // No vendor was asked.
    await page.getByText('Answer took', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Decide or escalate' }).waitFor();
    expect(await page.getByRole('button', { name: /clear it/ }).count()).toBe(0);
    await page.getByText('None: test mode asks the sandbox.').waitFor();
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    // What the list says about its entry, to compare the customer with.
    const entry = page.getByRole('article').first();
    await entry.getByText('Sanctions', { exact: true }).waitFor();
    await entry.getByText(/^Name: \d+(\.\d)? of 100/).waitFor();
    await entry.getByText('Date of birth: the same day (+4)').waitFor();
    for (const name of [/^Risk level .*Critical$/, /^PEP detected .*No$/, /^Sanctions match .*Yes$/])
      await page.getByRole('row', { name }).waitFor();
    expect(await entry.getByText('Listed date of birth').locator('xpath=following-sibling::dd').textContent()).toBe('1968-03-14');
    await entry.getByText('Listed for').waitFor();
    await entry.getByText(/^OFAC, US Treasury: Specially Designated Nationals and Blocked Persons, entry \d+/).waitFor();
    await page
      .getByRole('button', { name: /clear it/ })
      .first()
      .click();
    await page.getByLabel('Why it is somebody else').fill('Born in another town');
    const until = await page.getByLabel('Until').inputValue();
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(363 * 86_400_000);
    await page.getByRole('button', { name: 'Clear the hit' }).click();
    await page.getByText('Cleared: not a match').waitFor();
    await page.getByText('Ada Obi cleared it').waitFor();
    await page.getByText('1 hit, cleared').waitFor();
    const { data } = (await app.get<{ data: { expires_at: string }[] }>('/api/v1/aml/clearances')).body.entity;
    expect(data).toMatchObject([{ reason: 'Born in another town', cleared_by: 'Ada Obi' }]);
    expect(Date.parse(data[0]!.expires_at)).toBe(Date.parse(`${until}T00:00:00+01:00`));
    await page.getByRole('link', { name: 'Decide or escalate' }).click();
    await page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    // Whoever comes to the job later sees that nobody needs to look again.
    await page.goBack();
    await page.getByText('Cleared: not a match').waitFor();
    await page.getByText('1 hit, cleared').waitFor();
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page.getByText('Ada Obi cleared it').waitFor();
    expect(await entry.getByRole('button', { name: /clear it/ }).count()).toBe(0);
    expectClean();
    await close();
  });

  test('a hit that was cleared is not said to have failed if the page cannot be read again', async () => {
    const app = await api.createApp();
    const input = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    const { id } = (await app.job({ check: 'aml_screening', input })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { page, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(dialog);
    await dialog.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('button', { name: /clear it/ }).click();
    await dialog.getByLabel('Why it is somebody else').fill('Born in another town');
    await page.route(`**/api/v1/jobs/${id}`, (route) => route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Not now' } }));
    await dialog.getByRole('button', { name: 'Clear the hit' }).click();
    await page.getByText('The hit is cleared, but this page could not be refreshed. Reload it.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await app.get<{ data: unknown[] }>('/api/v1/aml/clearances')).body.entity.data).toHaveLength(1);
    await close();
  });

  test('where two people decide, the first proposes, and the case says by name who', async () => {
    const { app, first } = await caseForTwo();
    await first.page.getByRole('button', { name: 'Assign to me' }).click();
    await decide(first.page, 'Approve');
    await first.page.getByText('You would approve.').waitFor();
    await first.page.getByText('Another person must agree before it takes effect.', { exact: true }).waitFor();
    const second = await visitAs(api, chromium, app, 'approver', 'reviews');
    await second.page
      .getByRole('row', { name: /Needs a second person/ })
      .getByRole('link')
      .first()
      .click();
    await second.page.getByText('Ada Obi would approve.').waitFor();
    await decide(second.page, 'Approve');
    await second.page.getByText('The case is approved.').waitFor();
    await second.page.getByText('by you').waitFor();
    for (const { expectClean, close } of [first, second]) {
      expectClean();
      await close();
    }
  });

  test('whoever disagrees with the first decision is told that the case is escalated, and neither of the two is asked again', async () => {
    const { app, id, first } = await caseForTwo();
    await decide(first.page, 'Reject');
    await first.page.getByText('You have already decided: another person must agree. You can still escalate the case.').waitFor();
    expect(await first.page.getByRole('group', { name: 'Decision' }).getByRole('radio').count()).toBe(1);
    await first.page.getByLabel('Escalate').waitFor();
    const second = await visitAs(api, chromium, app, 'approver', `reviews/${id}`);
    await decide(second.page, 'Approve');
    await second.page.getByText('You and the first person disagree: the case is escalated to somebody else.').waitFor();
    await second.page.getByText('You have already decided or escalated this case').waitFor();
    expect(await second.page.getByText('The case is approved.').count()).toBe(0);
    expect(await second.page.getByLabel('Reason').count()).toBe(0);
    for (const { expectClean, close } of [first, second]) {
      expectClean();
      await close();
    }
  });

  test('a tab that decides a case which somebody else has decided shows it as it is now', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { id } = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data[0]!;
    const late = await visitAs(api, chromium, app, 'operator', `reviews/${id}`);
    await late.page.getByRole('heading', { name: 'Decide', exact: true }).waitFor();
    const first = await visitAs(api, chromium, app, 'approver', `reviews/${id}`);
    await decide(first.page, 'Approve');
    await first.page.getByText('The case is approved.').waitFor();
    await decide(late.page, 'Reject');
    await late.page.getByText('The case is shown as it is now.').waitFor();
    await late.page.getByRole('heading', { name: 'Decide', exact: true }).waitFor({ state: 'detached' });
    await late.page.locator('.head .state').getByText('Approved').waitFor();
    await first.close();
    await late.close();
  });

  test('an empty queue says which results open a case, and Monitoring leads to the check that starts a monitor', async () => {
    const silent = await visitAs(api, chromium, await api.createApp(), 'operator', 'reviews');
    await silent.page.getByText('This app opens no cases for screenings. Your administrator can set a level.').waitFor();
    await silent.page.getByRole('link', { name: 'Screening', exact: true }).click();
    await silent.page.getByRole('link', { name: 'Try an AML check' }).click();
    await silent.page.getByRole('form', { name: 'Inputs of aml_screening' }).waitFor();
    silent.expectClean();
    await silent.close();
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH', face: true } } });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'reviews');
    await page.getByText('A case opens when a screening has hits at risk High or above.').waitFor();
    await page.getByText('A case opens when a face is not clearly the same.').waitFor();
    expectClean();
    await close();
  });

  test('Home leads to the monitors that have new hits, and ended ones are a choice away', async () => {
    const app = await api.createApp();
    const names = ['Ngozi Eze', 'Tunde Bello', 'Amaka Obi'];
    for (const name of names)
      await app.ended(`/api/v1/jobs/${(await app.job({ check: 'aml_screening', input: { name, monitor: true } })).body.entity.id}`);
    const monitors = (await app.get<{ data: { id: string; name: string }[] }>('/api/v1/aml/monitors')).body.entity.data;
    const idOf = (name: string) => monitors.find((one) => one.name === name)!.id;
    for (const name of ['Tunde Bello', 'Amaka Obi']) await addHits(api.service, parseId('app', app.app)!, idOf(name), 2);
    await app.send('DELETE', `/api/v1/aml/monitors/${idOf('Amaka Obi')}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', '');
    await page.getByRole('link', { name: '1 monitor', exact: true }).click();
    await page.getByRole('row', { name: /Tunde Bello.*Active.*2 new hits/ }).waitFor();
    await expectAccessible(page, 'monitors with new hits');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Ended');
    await page.getByRole('row', { name: /Deleted.*Ended.*2 new hits/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('All');
    await page.getByRole('row', { name: /Ngozi Eze.*Active.*None/ }).waitFor();
    expectClean();
    await close();
  });

  test('a monitor is ended and a clearance is revoked, after a question', async () => {
    const app = await api.createApp();
    const job = (await app.job({ check: 'aml_screening', input: { ...SANCTIONED, monitor: true } })).body.entity;
    const { result } = await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`);
    const { list, source_id } = (result!.hits as { list: string; source_id: string }[])[0]!;
    const cleared = { job: job.id, list, source_id, reason: 'Another town', cleared_by: 'Ada Obi' };
    expect((await app.post('/api/v1/aml/clearances', cleared)).status).toBe(201);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'screening');
    const monitor = page.getByRole('row', { name: /Musa Danjumare Balarabewa/ });
    await monitor.getByText('Active').waitFor();
    await monitor.getByRole('button', { name: /^End/ }).click();
    await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.getByText('The monitor has ended.').waitFor();
    await page.getByRole('row', { name: /Deleted.*Ended/ }).waitFor();
    await page.getByText('Cleared hits', { exact: true }).click();
    await page
      .getByRole('row', { name: new RegExp(`Entry ${source_id} OFAC, US Treasury: .*Another town.*Ada Obi`) })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('The hit counts again.').waitFor();
    await page.getByText('No hit is cleared').waitFor();
    expectClean();
    await close();
  });

  test('where a reason is demanded, a row is shown in clear only with one; its report is saved as PDF', async () => {
    const app = await api.createApp({ settings: { revealNeedsReason: true } });
    const job = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${job.id}`);
    await page.getByRole('button', { name: 'Show in clear' }).click();
    const dialog = page.getByRole('dialog');
    await sayWhatFor(dialog, 'Screening');
    const reason = dialog.getByRole('textbox', { name: 'Why, in words' });
    await dialog.locator('input[name=reason][required]').waitFor();
    await dialog.getByRole('button', { name: 'Show in clear' }).click();
    // The browser asks for it.
    await dialog.waitFor();
    await reason.fill('The branch asks');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: SANCTIONED.name }).first().waitFor();
    const entries = (await app.get<{ data: { action: string }[] }>('/api/v1/audit?action=job.reveal')).body.entity.data;
    expect(entries.length).toBe(1);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PDF' }).click();
    // What it was seen for is proposed.
    await dialog.getByRole('button', { name: 'Save the file' }).click();
    expect((await saved).suggestedFilename()).toBe(`${job.id}.pdf`);
    const reports = (await app.get<{ data: { purpose: string }[] }>('/api/v1/audit?action=report.read')).body.entity.data;
    expect(reports.map(({ purpose }) => purpose)).toEqual(['screening']);
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
