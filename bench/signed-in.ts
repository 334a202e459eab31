/** People who are signed in to the console: their cookies, and browsers that have them. */
import type { Browser, BrowserContext } from 'playwright-core';
import { showId } from '../src/foundation/ids.ts';
import type { App, Confam } from './harness.ts';
import type { Headers } from './load.ts';

/** Cookies of an owner of the app. */
export async function signIn({ baseUrl, environment }: Confam, app: App): Promise<string> {
  const post = async (path: string, body: unknown, headers: Headers = {}) => {
    const answer = await fetch(`${baseUrl}/api/v1/${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const person = { email: `owner-of-${app.id}@bench.test`, app: showId('app', app.id), role: 'owner' };
  const invited = await post('admin/people', person, { Authorization: environment.CONFAM_ADMIN_KEY! });
  const { entity } = (await invited.json()) as { entity: { link: string } };
  const accepted = await post('session/link', { token: entity.link.split('#')[1], password: 'Forty long corridors', name: 'Ada Obi' });
  return accepted.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** A profile with nothing in its cache but these cookies. */
export async function newContext(browser: Browser, { baseUrl }: Confam, cookie: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const cookies = cookie.split('; ').map((one) => one.split('=') as [string, string]);
  await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: baseUrl })));
  return context;
}
