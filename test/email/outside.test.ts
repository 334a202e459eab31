/** What an app lets go outside: who is asked about its addresses, what the answer says of who was not, and who may change that. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { EmailEntity } from '../../src/checks/email.ts';
import type { LookupResult } from '../../src/checks/provider.ts';
import { openEmailProvider } from '../../src/email/provider.ts';
import { openEmailEngine } from '../../src/engines/email/assess.ts';
import { openDns } from '../../src/engines/email/dns.ts';
import type { Breach } from '../../src/engines/email/email.ts';
import { openLists } from '../../src/engines/email/lists.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { openDnsServer } from '../../src/sandbox/internet/dns-server.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { asOwner } from '../setup/database.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });

const server = await openDnsServer({
  'shop.example': { mx: [[10, 'mx.shop.example']], a: ['8.8.8.8'], txt: ['v=spf1 -all'] },
  'mx.shop.example': { a: ['8.8.4.4'] },
});
const told: string[] = [];
const leak: Breach = { name: 'ExampleLeak', date: '2020-02-29', hasPasswords: true };
const telling = (name: string, found: Breach[]) => ({
  name,
  find: async () => {
    told.push(name);
    return found;
  },
});
const engine = openEmailEngine({
  dns: openDns({ servers: [`127.0.0.1:${server.port}`], timeoutMs: 300, tries: 2, concurrency: 10, cacheMax: 100 }),
  lists: await openLists(),
  probe: {
    ask: async () => {
      told.push('mail host');
      return { deliverable: true, acceptAll: false, reason: 'accepted' };
    },
    close: async () => {},
  },
  registrations: null,
  breaches: [{ ...telling('haveibeenpwned', [leak]), isOutside: true }, telling('corpus', [])],
});
afterAll(async () => {
  await engine.close();
  await server.close();
});

const emails = { engine: async () => engine, isDnsAnswering: async () => true, close: async () => {} };

/** What is asked for an app with these settings. `isAllowed`: CONFAM_EMAIL_OUTSIDE. */
async function lookup(settings: AppSettings, { isAllowed = true, live = true } = {}) {
  told.length = 0;
  const answer = (await openEmailProvider(emails, live, isAllowed).lookup({
    kind: 'email',
    tier: 1,
    identifier: 'ada@shop.example',
    hints: {},
    asker: { appId: 'an app', live, settings },
    reference: 'job',
    signal: new AbortController().signal,
  })) as Extract<LookupResult, { found: true }>;
  return { asked: [...told].sort(), isPartial: answer.isPartial, entity: answer.record as EmailEntity };
}

test('only those are asked that the app allows; what was not asked is unknown, and is no good news', async () => {
  const open = await lookup({});
  expect(open.asked).toEqual(['corpus', 'haveibeenpwned', 'mail host']);
  expect(open.entity).toMatchObject({ deliverability: 'accepted', breach_details: { haveibeenpwned_listed: true }, confidence: 'high' });
  expect(open.entity.signals!.map(({ code }) => code)).toEqual(expect.arrayContaining(['breached', 'mailbox_accepted']));

  const closed = await lookup({ emailBreaches: false, emailMailboxes: false });
  expect(closed.asked).toEqual(['corpus']);
  expect(closed.entity).toMatchObject({
    deliverable: null,
    deliverability: 'off',
    breach_details: { haveibeenpwned_listed: null },
    confidence: 'medium',
  });
  const codes = closed.entity.signals!.map(({ code }) => code);
  for (const code of ['breached', 'mailbox_accepted', 'long_seen']) expect(codes).not.toContain(code);
  expect((await lookup({ emailBreaches: false })).asked).toEqual(['corpus', 'mail host']);
});

test('an app that has not decided goes by the deployment; test keys have an internet of their own', async () => {
  expect((await lookup({}, { isAllowed: false })).asked).toEqual(['corpus']);
  expect((await lookup({ emailBreaches: true }, { isAllowed: false })).asked).toEqual(['corpus', 'haveibeenpwned']);
  expect((await lookup({ emailBreaches: false }, { live: false })).asked).toHaveLength(3);
});

test('an answer that lacks something never becomes that of another app', async () => {
  expect((await lookup({ emailBreaches: false, cacheScope: 'deployment', shareCache: true })).isPartial).toBe(true);
  expect((await lookup({ emailBreaches: false, cacheScope: 'deployment' })).isPartial).toBe(false);
  expect((await lookup({ cacheScope: 'deployment', shareCache: true })).isPartial).toBe(false);
});

interface Settings {
  object: string;
  outside: { email_breaches: boolean; email_mailboxes: boolean; shared_cache: boolean };
}

test('an owner decides, over HTTP; letting more out needs an approval where anything does; the operator offers the shared cache', async () => {
  const app = await api.createApp();
  const { browser } = await signedInAs(api, app, 'owner');
  const read = async () => (await app.get<Settings>('/api/v1/settings')).body.entity.outside;
  const change = (outside: object) => browser.send<Settings>('PATCH', '/api/v1/settings', { outside });
  // Nothing goes outside that nobody has said yes to.
  expect(await read()).toEqual({ email_breaches: false, email_mailboxes: false, shared_cache: false });
  expect((await change({ email_mailboxes: true })).body.entity.outside).toEqual({
    email_breaches: false,
    email_mailboxes: true,
    shared_cache: false,
  });
  expect((await change({ shared_cache: true })).status).toBe(403);
  expect((await change({ email_breach: false })).status).toBe(400);
  expect((await change({})).status).toBe(400);

  const offered = await api.createApp({ settings: { cacheScope: 'deployment', approveReveal: true, emailBreaches: true } });
  const owner = await signedInAs(api, offered, 'owner');
  const decide = (outside: object) => owner.browser.send<Settings>('PATCH', '/api/v1/settings', { outside });
  expect((await decide({ shared_cache: false })).body.entity.outside.shared_cache).toBe(false);
  // Said again, not more than now.
  expect((await decide({ email_breaches: true })).status).toBe(200);
  const waiting = await decide({ email_mailboxes: true });
  expect([waiting.status, waiting.body.entity.object]).toEqual([202, 'approval']);
  expect((await decide({ shared_cache: true })).status).toBe(202);
});

test('an app that shares nothing asks for itself, whatever others have asked', async () => {
  const sharing = { cacheScope: 'deployment', shareCache: true } as const;
  const [one, other, alone] = [
    await api.createApp({ settings: sharing }),
    await api.createApp({ settings: sharing }),
    // Offered, and nobody has said yes.
    await api.createApp({ settings: { cacheScope: 'deployment' } }),
  ];
  const ask = async (app: typeof one) => (await app.get('/api/v1/kyc/nin/advance?nin=70123456781')).body.cached;
  expect([await ask(one), await ask(other), await ask(alone), await ask(alone)]).toEqual([false, true, false, true]);
});

test('apps that were there before nothing went outside unasked keep what they had, and what they had said', async () => {
  const migration = readFileSync(join(packageRoot(), 'drizzle/0044_outside.sql'), 'utf8');
  const ids = await Promise.all(
    [{}, { cacheScope: 'deployment' }, { cacheScope: 'deployment', shareCache: false, emailBreaches: false, weight: 2 }].map(
      async (settings) => parseId('app', (await api.createApp({ settings: settings as AppSettings })).app)!,
    ),
  );
  const kept = (isOutside: boolean) =>
    asOwner(api.service.databaseUrl, (sql) =>
      sql.begin(async (tx) => {
        await tx`select set_config('confam.email_outside', ${String(isOutside)}, true)`;
        await tx.unsafe(migration);
        const rows = await tx<
          { settings: AppSettings }[]
        >`select settings from apps where id = any(${ids}::uuid[]) order by array_position(${ids}::uuid[], id)`;
        const settings = rows.map((row) => row.settings);
        throw Object.assign(new Error('rolled back'), { settings });
      }),
    ).catch((error: { settings?: AppSettings[] }) => error.settings ?? Promise.reject(error));
  const said = { cacheScope: 'deployment', shareCache: false, emailBreaches: false, weight: 2 };
  for (const was of [true, false])
    expect(await kept(was)).toEqual([
      { emailBreaches: was, emailMailboxes: was },
      { emailBreaches: was, emailMailboxes: was, cacheScope: 'deployment', shareCache: true },
      { ...said, emailMailboxes: was },
    ]);
});
