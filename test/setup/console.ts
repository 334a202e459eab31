/** A person in the console, in a real browser: signed in by a link, on an app of their own. */
import { linkUrl, newSignInLink } from '../../src/access/people/links.ts';
import type { Role } from '../../src/access/roles.ts';
import { parseId } from '../../src/foundation/ids.ts';
import type { TestApi, TestApp } from './api.ts';
import { signedInAs } from './browser.ts';
import type { useChromium, Visit } from './chromium.ts';

export const siteUrl = (api: TestApi): string => api.url.replace('127.0.0.1', 'localhost');

/** Opens `path` of the console. `email` and PASSWORD sign the same person in again. */
export async function visitAs(
  api: TestApi,
  chromium: ReturnType<typeof useChromium>,
  app: TestApp,
  role: Role,
  path: string,
): Promise<Visit & { email: string }> {
  const { id, email } = await signedInAs(api, app, role);
  const link = linkUrl(siteUrl(api), 'sign_in', await newSignInLink(api.service, parseId('per', id)!));
  const visit = await chromium.visit(link);
  await visit.page.getByRole('button', { name: 'Sign out' }).waitFor();
  await visit.page.goto(`${siteUrl(api)}/console/${path}`);
  return { ...visit, email };
}
