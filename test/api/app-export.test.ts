/** An app's export is cut off within a second of its reader losing the right to it, and for no other reason. */
import { beforeAll, expect, test } from 'vitest';
import { createKey } from '../../src/access/keys.ts';
import { disablePerson } from '../../src/access/people/accounts.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { Browser, PASSWORD, tokenIn } from '../setup/browser.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });

let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
  const appId = parseId('app', app.app)!;
  // Far more than the sockets hold, so that the export lasts as long as its reader takes.
  await api.service.sql`insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, note)
    select ${appId}, false, 'topup', 'topups', 'available', 1, repeat('x', 2000) from generate_series(1, 20000)`;
  await api.service.sql`update wallets set available_kobo = available_kobo + 20000 where app_id = ${appId} and not live`;
  await api.admin.post(`/api/v1/admin/apps/${app.app}/suspend`);
});

/** An export of which one piece has been read. */
async function begun(headers: Record<string, string>) {
  const answer = await fetch(`${api.url}/api/v1/admin/apps/${app.app}/export`, { headers });
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  /** Reads the rest. */
  const rest = async (): Promise<string> => {
    let last = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return last.trimEnd().split('\n').at(-1)!;
      last = (last + Buffer.from(value).toString()).slice(-4_000);
    }
  };
  return { rest, cancel: () => reader.cancel() };
}

/** Longer than it takes to notice that a right has ended. */
const notice = () => new Promise((resolve) => setTimeout(resolve, 1_500));

async function administrator(email: string) {
  const browser = new Browser(api);
  const invited = await api.admin.post<{ id: string; link: string }>('/api/v1/admin/people', { email, administrator: true });
  await browser.post('/api/v1/session/link', { token: tokenIn(invited.body.entity.link), password: PASSWORD, name: 'Bisi Ade' });
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { browser, Cookie, id: parseId('per', invited.body.entity.id)! };
}

const END = /^{"object":"end","lines":\d+}$/;

test('an administrator and an admin key read it to its end, however slowly', async () => {
  const { Cookie } = await administrator('slow@bank.test');
  const { key } = (await createKey(api.service, 'admin', null))!;
  const exports = [await begun({ Cookie }), await begun({ Authorization: key })];
  await notice();
  for (const { rest } of exports) expect(await rest()).toMatch(END);
});

test('it ends with the admin key', async () => {
  const [one, other] = [(await createKey(api.service, 'admin', null))!, (await createKey(api.service, 'admin', null))!];
  const [cut, goesOn] = [await begun({ Authorization: one.key }), await begun({ Authorization: other.key })];
  await api.admin.post(`/api/v1/admin/keys/${showId('key', one.id)}/revoke`);
  await notice();
  await expect(cut.rest()).rejects.toThrow();
  expect(await goesOn.rest()).toMatch(END);
});

test('it ends with the session, and with the account of an administrator', async () => {
  const [leaving, disabled] = [await administrator('leaving@bank.test'), await administrator('disabled@bank.test')];
  const cut = [await begun({ Cookie: leaving.Cookie }), await begun({ Cookie: disabled.Cookie })];
  await leaving.browser.send('DELETE', '/api/v1/session');
  await disablePerson(api.service, disabled.id);
  await notice();
  for (const { rest } of cut) await expect(rest()).rejects.toThrow();
});
