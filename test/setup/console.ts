/** A person in the console, in a real browser: signed in by a link, on an app of their own. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { inviteAdministrator, linkUrl, newSignInLink } from '../../src/access/people/links.ts';
import type { Role } from '../../src/access/roles.ts';
import { parseId } from '../../src/foundation/ids.ts';
import type { TestApi, TestApp } from './api.ts';
import { PASSWORD, signedInAs } from './browser.ts';
import type { useChromium, Visit } from './chromium.ts';

export const siteUrl = (api: TestApi): string => api.url.replace('127.0.0.1', 'localhost');

/** Opens `path` of the console. `email` and PASSWORD sign the same person in again. */
export async function visitAs(
  api: TestApi,
  chromium: ReturnType<typeof useChromium>,
  app: TestApp,
  role: Role,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit & { email: string }> {
  const { id, email } = await signedInAs(api, app, role);
  const link = linkUrl(siteUrl(api), 'sign_in', await newSignInLink(api.service, parseId('per', id)!));
  const visit = await chromium.visit(link, options);
  // On a phone, signing out is in the menu.
  await visit.page.locator('.shell').waitFor();
  await visit.page.goto(`${siteUrl(api)}/console/${path}`);
  return { ...visit, email };
}

/** On the page of an upload: only this check, whatever the file made the console propose. */
export async function checkOnly(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('heading', { name: 'What to check' }).waitFor();
  const checked = page.locator('.checks input:checked');
  // What is proposed comes with the first answer.
  await page.waitForTimeout(300);
  for (let left = await checked.count(); left > 0; left = await checked.count()) await checked.first().click();
  const wanted = page.getByRole('checkbox', { name });
  if (!(await wanted.isVisible())) await page.getByText('Other checks').click();
  await wanted.check();
}

/** Chooses a file, from the disk or as it is here. */
export const choose = (page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('input[type=file]').setInputFiles(file);

/** Says in a form what personal data is read for; the tab proposes it again. */
export const sayWhatFor = (within: Page | Locator, purpose = 'A customer’s question') =>
  within.getByLabel('What for').selectOption({ label: purpose });

let administrators = 0;

/** An administrator of the deployment, invited by the command line, who belongs to no app, at `path` of the console. */
export async function visitAsAdministrator(api: TestApi, chromium: ReturnType<typeof useChromium>, path: string): Promise<Visit> {
  const email = `administrator-${++administrators}@bank.test`;
  const { token } = await inviteAdministrator(api.service, email);
  const visit = await chromium.visit(`${siteUrl(api)}/console/invitation#${token}`);
  await visit.page.getByLabel('Your name').fill('Tunde Bello');
  await visit.page.getByLabel('Password').fill(PASSWORD);
  await visit.page.getByRole('button', { name: 'Join' }).click();
  await visit.page.getByRole('link', { name: 'Apps' }).waitFor();
  await visit.page.goto(`${siteUrl(api)}/console/${path}`);
  return visit;
}
