/** People over HTTP: signing in, sessions, roles, and what other people and other sites may not do. The rules themselves are in test/access/people.test.ts. */
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { disablePerson } from '../../src/access/people/accounts.ts';
import { roles, scopesOf } from '../../src/access/roles.ts';
import { routes } from '../../src/api/routes.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { openClient, useApi } from '../setup/api.ts';
import { Authenticator } from '../setup/authenticator.ts';
import { Browser, PASSWORD, type SessionEntity, signedInAs, tokenIn } from '../setup/browser.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });
const sql = () => api.service.sql;
const uuid = (shown: string) => parseId(shown.slice(0, 3) as 'per' | 'ses', shown)!;

async function owner() {
  const app = await api.createApp();
  return { app, ...(await signedInAs(api, app, 'owner')) };
}

describe('signing in', () => {
  test('an address and a password begin a session whose cookie only this site can use', async () => {
    const { email, app } = await owner();
    const browser = new Browser(api);
    const { status, body } = await browser.signIn(email);
    expect(status).toBe(200);
    expect(body.entity).toMatchObject({
      object: 'session',
      person: { email, name: 'Ada Obi' },
      administrator: false,
      may_change_sign_in: true,
      current_password_required: true,
      apps: [{ id: app.app, role: 'owner' }],
      factors: { password: true, totp: false, passkeys: 0, recovery_codes: 0 },
    });
    const session = browser.set.find((line) => line.startsWith('confam_session='))!;
    expect(session).toMatch(/HttpOnly/i);
    expect(session).toMatch(/SameSite=Strict/i);
    expect(session).not.toMatch(/Secure|Domain=/i);
    expect((await browser.whoAmI()).body.entity.id).toBe(body.entity.id);
  });

  test('a wrong password and an unknown address have one answer', async () => {
    const { email } = await owner();
    const answers = [await new Browser(api).signIn(email, 'wrong'), await new Browser(api).signIn('nobody@bank.test')];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toMatchObject({ code: 'unauthenticated', error: 'The e-mail address or the password is wrong' });
    }
  });

  test('an incomplete sign-in, and one that is not JSON, are refused', async () => {
    const browser = new Browser(api);
    expect((await browser.post('/api/v1/session', { email: 'ada@bank.test' })).status).toBe(400);
    expect((await browser.post('/api/v1/session', { email: 'ada@bank.test', password: 'x', passkey: {} })).status).toBe(400);
    const form = await browser.send('POST', '/api/v1/session', {}, { 'Content-Type': 'text/plain' });
    expect(form.status).toBe(415);
  });

  test('a network that guesses at links has to wait', async () => {
    const [guesser, other] = [new Browser(api), new Browser(api)];
    // More than two minutes allow, in case a new one begins in between.
    const guess = (browser: Browser, path = 'link') => browser.post(`/api/v1/session/${path}`, { token: 'nobody-has-this-one' });
    const answers = await Promise.all(Array.from({ length: 620 }, (_, at) => guess(guesser, at % 2 ? 'link' : 'invitation')));
    expect(answers.some(({ status, body }) => status === 429 && body.code === 'rate_limited')).toBe(true);
    expect((await guess(other)).status).not.toBe(429);
  });

  test('what is sent before signing in is small, and what people ask about themselves is counted', async () => {
    const large = await new Browser(api).post('/api/v1/session', { email: 'ada@bank.test', password: 'x'.repeat(17_000) });
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large']);
    const { browser } = await owner();
    // More than two minutes allow, in case a new one begins in between.
    const answers = await Promise.all(Array.from({ length: 1_220 }, () => browser.whoAmI()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.body).toMatchObject({ code: 'rate_limited', error: expect.stringContaining('600 requests a minute') });
  });

  test('a session that somebody put into the browser before is not the one after signing in', async () => {
    const [mine, attacker] = [await owner(), await owner()];
    const planted = attacker.browser.cookies.get('confam_session')!;
    const browser = new Browser(api);
    browser.cookies.set('confam_session', planted);
    await browser.signIn(mine.email);
    expect(browser.cookies.get('confam_session')).not.toBe(planted);
    expect((await attacker.browser.whoAmI()).body.entity.person.id).toBe(attacker.id);
    const madeUp = new Browser(api);
    madeUp.cookies.set('confam_session', 'a-token-of-my-own');
    await madeUp.signIn(mine.email);
    expect(madeUp.cookies.get('confam_session')).not.toBe('a-token-of-my-own');
  });

  test('guesses from elsewhere do not keep out who has signed in from this browser', async () => {
    const { email, browser } = await owner();
    for (let i = 0; i < 12; i++) await new Browser(api).signIn(email, 'wrong');
    const stranger = await new Browser(api).signIn(email);
    expect(stranger.status).toBe(429);
    expect(Number(stranger.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await browser.signIn(email)).status).toBe(200);
  });

  test('nor who comes by a link and has a second factor; guesses at the factor wait, whatever the link', async () => {
    const { id, email, browser } = await owner();
    const totp = new TOTP({ secret: (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity.secret });
    await browser.post('/api/v1/session/totp/confirm', { code: totp.generate() });
    for (let i = 0; i < 12; i++) await new Browser(api).signIn(email, 'wrong');
    const byLink = async (code: string) => {
      const { link } = (await api.admin.post<{ link: string }>(`/api/v1/admin/people/${id}/sign-in-link`)).body.entity;
      return new Browser(api).post('/api/v1/session/link', { token: tokenIn(link), code });
    };
    expect((await byLink(totp.generate({ timestamp: Date.now() + 30_000 }))).status).toBe(200);
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 11; i++) codes.push((await byLink('000000')).body.code);
    expect(codes).toEqual([...Array(10).fill('unauthenticated'), 'rate_limited']);
  });

  test('a second factor is asked for, and a code works once', async () => {
    const { browser, email } = await owner();
    const begun = await browser.post<{ secret: string; uri: string }>('/api/v1/session/totp');
    const totp = new TOTP({ secret: begun.body.entity.secret });
    expect((await browser.post('/api/v1/session/totp/confirm', { code: '000000' })).status).toBe(400);
    const code = totp.generate();
    const confirmed = await browser.post<{ recovery_codes: string[] }>('/api/v1/session/totp/confirm', { code });
    expect(confirmed.body.entity.recovery_codes).toHaveLength(10);
    const other = new Browser(api);
    const asked = await other.signIn(email);
    expect(asked.status).toBe(401);
    expect(asked.body).toMatchObject({ code: 'second_factor_required', factors: ['code', 'recovery_code'] });
    expect(other.cookies.has('confam_session')).toBe(false);
    expect((await other.signIn(email, PASSWORD, { code })).body.code).toBe('unauthenticated');
    expect((await other.signIn(email, PASSWORD, { recovery_code: confirmed.body.entity.recovery_codes[0] })).status).toBe(200);
    const removed = await browser.send<SessionEntity>('DELETE', '/api/v1/session/totp');
    expect(removed.body.entity.factors.totp).toBe(false);
    expect((await new Browser(api).signIn(email)).status).toBe(200);
  });

  test('a passkey signs in by itself, and is removed', async () => {
    const { browser, id } = await owner();
    const authenticator = new Authenticator('http://localhost:0');
    const creation = await browser.post<{ options: never }>('/api/v1/session/passkeys/options');
    const added = await browser.post('/api/v1/session/passkeys', {
      name: 'Phone',
      passkey: authenticator.create(creation.body.entity.options),
    });
    expect(added.status, added.text).toBe(201);
    const other = new Browser(api);
    const challenge = await other.post<{ options: never }>('/api/v1/session/passkey');
    const passkey = authenticator.get(challenge.body.entity.options);
    const signedIn = await other.post<SessionEntity>('/api/v1/session', { passkey });
    expect(signedIn.body.entity.person.id).toBe(id);
    expect((await new Browser(api).post('/api/v1/session', { passkey })).status).toBe(401);
    expect((await browser.get<{ data: object[] }>('/api/v1/session/passkeys')).body.entity.data).toMatchObject([{ name: 'Phone' }]);
    expect((await browser.send('DELETE', `/api/v1/session/passkeys/${added.body.entity.id}`)).status).toBe(200);
    expect((await browser.send('DELETE', `/api/v1/session/passkeys/${added.body.entity.id}`)).status).toBe(404);
  });

  test('transports that are no list of words are refused', async () => {
    const { browser } = await owner();
    for (const transports of ['usb', [{}], ['x'.repeat(31)], Array(21).fill('usb')]) {
      const creation = await browser.post<{ options: never }>('/api/v1/session/passkeys/options');
      const passkey = new Authenticator('http://localhost:0').create(creation.body.entity.options);
      const refused = await browser.post('/api/v1/session/passkeys', {
        name: 'Phone',
        passkey: { ...passkey, response: { ...passkey.response, transports } },
      });
      expect([refused.status, refused.body.code], refused.text).toEqual([400, 'invalid_request']);
    }
  });

  test('a sign-in link of the operator works once', async () => {
    const { id } = await owner();
    const { body } = await api.admin.post<{ link: string }>(`/api/v1/admin/people/${id}/sign-in-link`);
    const token = tokenIn(body.entity.link);
    const browser = new Browser(api);
    expect((await browser.post<SessionEntity>('/api/v1/session/link', { token })).body.entity.person.id).toBe(id);
    for (const spent of [token, 'made-up']) {
      const refused = await new Browser(api).post('/api/v1/session/link', { token: spent });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ code: 'link_invalid', error: 'The link is not valid; ask for a new one' });
    }
  });

  test('an invitation is looked at without using it: for which app, role and address, and nothing else', async () => {
    const { app, browser } = await owner();
    const { link } = (await browser.post<{ link: string }>('/api/v1/people', { email: 'chi@bank.test', role: 'approver' })).body.entity;
    const token = tokenIn(link);
    const look = (sent: string) => new Browser(api).post('/api/v1/session/invitation', { token: sent });
    const name = (await api.admin.get<{ name: string }>(`/api/v1/admin/apps/${app.app}`)).body.entity.name;
    for (let at = 0; at < 2; at++)
      expect((await look(token)).body.entity).toEqual({
        object: 'invitation',
        email: 'chi@bank.test',
        app: name,
        role: 'approver',
      });
    const accepted = await new Browser(api).post('/api/v1/session/link', { token, password: PASSWORD });
    expect(accepted.status).toBe(200);
    const again = await browser.post<{ link: string }>('/api/v1/people', { email: 'dayo@bank.test', role: 'viewer' });
    await sql()`update person_links set expires_at = now() where kind = 'invitation'`;
    const { id } = await owner();
    const signIn = (await api.admin.post<{ link: string }>(`/api/v1/admin/people/${id}/sign-in-link`)).body.entity.link;
    for (const dead of [token, tokenIn(again.body.entity.link), tokenIn(signIn), 'made-up'])
      expect((await look(dead)).body).toMatchObject({ code: 'link_invalid', error: 'The link is not valid; ask for a new one' });
    const administrator = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'eze@bank.test', administrator: true });
    expect((await look(tokenIn(administrator.body.entity.link))).body.entity).toMatchObject({ app: null, role: null });
  });

  test('nothing that an inviter sees tells whether the address has an account', async () => {
    const { browser } = await owner();
    const [known, disabled] = [await owner(), await owner()];
    await api.service.sql`update people set disabled_at = now() where id = ${uuid(disabled.id)}`;
    /** Everything that an inviter can ask for without creating an account. */
    const seen = async (email: string) => {
      const invite = async () =>
        (await browser.post<{ id: string; link: string }>('/api/v1/people', { email: email.toUpperCase(), role: 'viewer' })).body.entity;
      const first = await invite();
      expect((await browser.send('DELETE', `/api/v1/people/${first.id}`)).status).toBe(200);
      const { id, link } = await invite();
      const token = tokenIn(link);
      const looked = await new Browser(api).post('/api/v1/session/invitation', { token });
      const attempts = [{}, { password: 'short' }, { password: `${email} and more` }];
      const answers = [];
      for (const attempt of attempts) answers.push(await new Browser(api).post('/api/v1/session/link', { token, ...attempt }));
      const { data } = (await browser.get<{ data: { id: string }[] }>('/api/v1/people')).body.entity;
      const { id: _, invited_at: __, ...member } = data.find((one) => one.id === id) as { id: string; invited_at?: string };
      // A version of UUID that has no time in it.
      return JSON.stringify([
        id === first.id,
        id[16],
        looked.body.entity,
        answers.map(({ status, body }) => [status, body.code, body.error]),
        member,
      ]).replaceAll(email, 'EMAIL');
    };
    const unknown = await seen('nobody-yet@bank.test');
    expect(unknown).toContain('"EMAIL"');
    expect(JSON.parse(unknown).slice(0, 2)).toEqual([true, '8']);
    for (const { email } of [known, disabled]) expect(await seen(email)).toBe(unknown);
  });

  test('without a provider there is no OIDC', async () => {
    expect((await new Browser(api).post('/api/v1/session/oidc')).status).toBe(404);
    expect((await new Browser(api).get('/api/v1/session/oidc/callback?code=x&state=y')).status).toBe(404);
  });
});

describe('sessions', () => {
  test('a change needs the CSRF token of this session', async () => {
    const [{ browser }, other] = [await owner(), await owner()];
    for (const token of ['', 'wrong', other.browser.csrf]) {
      const refused = await browser.send('PATCH', '/api/v1/session', { name: 'Eve' }, { 'X-CSRF-Token': token });
      expect(refused.status).toBe(403);
    }
    expect((await browser.send<SessionEntity>('PATCH', '/api/v1/session', { name: 'Bisi Ade' })).body.entity.person.name).toBe('Bisi Ade');
    const app = await browser.send('POST', '/api/v1/people', { email: 'x@bank.test', role: 'viewer' }, { 'X-CSRF-Token': 'wrong' });
    expect(app.status).toBe(403);
  });

  test('a name that is blank or hides something is refused, wherever it is given', async () => {
    const { browser } = await owner();
    const { link } = (await browser.post<{ link: string }>('/api/v1/people', { email: 'unnamed@bank.test', role: 'viewer' })).body.entity;
    const hidden = ['Ada\nObi', 'Ada\u2028Obi', 'Ada \u202eibO', 'Ada\u2066', 'A\u200bda', '\u3164', '\u2800', 'Ada\u0000'];
    for (const name of ['', ' ', '\u00a0\n', ...hidden]) {
      const answers = [
        await browser.send('PATCH', '/api/v1/session', { name }),
        await new Browser(api).post('/api/v1/session/link', { token: tokenIn(link), password: PASSWORD, name }),
      ];
      for (const { status, body } of answers) {
        expect([name, status]).toEqual([name, 400]);
        expect(body.details).toMatchObject([{ path: 'name' }]);
      }
    }
    for (const [name, kept] of [
      [' Ọlá Ní-Ṣọlá O’Neill ', 'Ọlá Ní-Ṣọlá O’Neill'],
      ['عائشة محمد', 'عائشة محمد'],
    ])
      expect((await browser.send<SessionEntity>('PATCH', '/api/v1/session', { name })).body.entity.person.name).toBe(kept);
  });

  test('idle for half an hour, or twelve hours old, it has ended', async () => {
    for (const age of [
      { seen: '31 minutes', made: '31 minutes' },
      { seen: '0 minutes', made: '721 minutes' },
    ]) {
      const { browser, id } = await owner();
      expect((await browser.whoAmI()).status).toBe(200);
      await sql()`update sessions set seen_at = now() - ${age.seen}::interval, created_at = now() - ${age.made}::interval where person_id = ${uuid(id)}`;
      expect((await browser.whoAmI()).status).toBe(401);
    }
  });

  test('what an unattended page reads does not keep it alive; what its person does, does', async () => {
    const { browser, id } = await owner();
    const seen = async (): Promise<boolean> => {
      const [row] = await sql()<
        { isSeen: boolean }[]
      >`select seen_at > now() - interval '1 minute' as is_seen from sessions where person_id = ${uuid(id)}`;
      return row!.isSeen;
    };
    const unattended = { 'Confam-Unattended': 'true' };
    await sql()`update sessions set seen_at = now() - interval '29 minutes' where person_id = ${uuid(id)}`;
    for (const path of ['/api/v1/session', '/api/v1/people']) expect((await browser.get(path, unattended)).status).toBe(200);
    expect(await seen()).toBe(false);
    expect((await browser.send('PATCH', '/api/v1/session', { name: 'Bisi Ade' }, unattended)).status).toBe(200);
    expect(await seen()).toBe(true);
    await sql()`update sessions set seen_at = now() - interval '29 minutes' where person_id = ${uuid(id)}`;
    expect((await browser.get('/api/v1/people')).status).toBe(200);
    expect(await seen()).toBe(true);
  });

  test('its token is replaced after a quarter of an hour, on any path', async () => {
    const { browser, id } = await owner();
    const before = browser.cookies.get('confam_session')!;
    for (const path of ['/api/v1/session', '/api/v1/people']) {
      await sql()`update sessions set rotated_at = now() - interval '16 minutes' where person_id = ${uuid(id)}`;
      const token = browser.cookies.get('confam_session');
      expect((await browser.get(path)).status).toBe(200);
      expect(browser.cookies.get('confam_session')).not.toBe(token);
    }
    const stolen = new Browser(api);
    stolen.cookies.set('confam_session', before);
    expect((await stolen.whoAmI()).status).toBe(401);
    expect((await browser.whoAmI()).status).toBe(200);
  });

  test('its token is replaced by a request that is refused, too', async () => {
    const { browser, id } = await owner();
    const { app } = browser;
    const refused: [string, () => Promise<{ status: number }>, number][] = [
      ['a role', () => browser.get('/api/v1/admin/apps'), 403],
      ['another app', () => browser.get('/api/v1/wallet', { AppId: `app_${'0'.repeat(32)}` }), 403],
      ['a wrong link', () => browser.post('/api/v1/session/link', { token: 'x'.repeat(43) }), 403],
      ['a mistake', () => browser.get('/api/v1/people?nonsense=1'), 400],
    ];
    for (const [name, ask, status] of refused) {
      browser.app = app;
      await sql()`update sessions set rotated_at = now() - interval '16 minutes' where person_id = ${uuid(id)}`;
      const token = browser.cookies.get('confam_session');
      expect([name, (await ask()).status]).toEqual([name, status]);
      expect(browser.cookies.get('confam_session'), name).not.toBe(token);
      expect((await browser.whoAmI()).status).toBe(200);
    }
  });

  const changePassword = (browser: Browser, password: string, current?: string) =>
    browser.send<SessionEntity>('PUT', '/api/v1/session/password', { password, current_password: current });

  test('changing the password requires the current one, and ends the other sessions', async () => {
    const { email } = await owner();
    const [browser, other] = [new Browser(api), new Browser(api)];
    for (const one of [browser, other]) expect((await one.signIn(email)).status).toBe(200);
    for (const wrong of [undefined, '', 'not the current one', 'another long password']) {
      const refused = await changePassword(browser, 'another long password', wrong);
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
      expect(refused.body.details).toMatchObject([{ path: 'current_password' }]);
    }
    expect((await other.whoAmI()).status).toBe(200);
    expect((await changePassword(browser, 'another long password', PASSWORD)).status).toBe(200);
    expect([(await browser.whoAmI()).status, (await other.whoAmI()).status]).toEqual([200, 401]);
    expect((await new Browser(api).signIn(email)).status).toBe(401);
    expect((await new Browser(api).signIn(email, 'another long password')).status).toBe(200);
  });

  test('a second factor or another password gives the session a new token; whoever knows the one before has none', async () => {
    const { browser } = await owner();
    const copied = () => {
      const thief = new Browser(api);
      for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
      return thief;
    };
    const changes = [
      async () => {
        const totp = new TOTP({ secret: (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity.secret });
        return browser.post('/api/v1/session/totp/confirm', { code: totp.generate() });
      },
      async () => {
        const { options } = (await browser.post<{ options: never }>('/api/v1/session/passkeys/options')).body.entity;
        const passkey = new Authenticator('http://localhost:0').create(options);
        return browser.post('/api/v1/session/passkeys', { name: 'Phone', passkey });
      },
      () => changePassword(browser, 'another long password', PASSWORD),
    ];
    for (const change of changes) {
      const thief = copied();
      expect((await thief.whoAmI()).status).toBe(200);
      expect((await change()).status).toBeLessThan(300);
      expect([(await browser.whoAmI()).status, (await thief.whoAmI()).status]).toEqual([200, 401]);
    }
  });

  test('guesses at the current password have to wait', async () => {
    const { email } = await owner();
    const browser = new Browser(api);
    await browser.signIn(email);
    const answers: (string | undefined)[] = [];
    for (let i = 0; i < 12; i++) answers.push((await changePassword(browser, 'another long password', `guess number ${i}`)).body.code);
    expect(answers.slice(0, 10)).toEqual(Array(10).fill('invalid_request'));
    expect(answers.at(-1)).toBe('rate_limited');
    expect((await changePassword(browser, 'another long password', PASSWORD)).body.code).toBe('rate_limited');
  });

  test('new recovery codes end the other sessions', async () => {
    const { browser, email } = await owner();
    const totp = new TOTP({ secret: (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity.secret });
    const { recovery_codes: codes } = (
      await browser.post<{ recovery_codes: string[] }>('/api/v1/session/totp/confirm', { code: totp.generate() })
    ).body.entity;
    const other = new Browser(api);
    expect((await other.signIn(email, PASSWORD, { recovery_code: codes[0] })).status).toBe(200);
    expect((await browser.post('/api/v1/session/recovery-codes')).status).toBe(200);
    expect([(await browser.whoAmI()).status, (await other.whoAmI()).status]).toEqual([200, 401]);
  });

  test('whoever has forgotten the password sets a new one after a one-time link', async () => {
    const { id, email } = await owner();
    const { body } = await api.admin.post<{ link: string }>(`/api/v1/admin/people/${id}/sign-in-link`);
    const browser = new Browser(api);
    const entered = await browser.post<SessionEntity>('/api/v1/session/link', { token: tokenIn(body.entity.link) });
    expect(entered.body.entity).toMatchObject({ current_password_required: false, factors: { password: true } });
    expect((await changePassword(browser, 'another long password')).status).toBe(200);
    expect((await new Browser(api).signIn(email, 'another long password')).status).toBe(200);
  });

  test('changing how one signs in needs a recent sign-in', async () => {
    const { browser, id } = await owner();
    await sql()`update sessions set created_at = now() - interval '16 minutes' where person_id = ${uuid(id)}`;
    const stale: [string, string, object?][] = [
      ['PUT', '/api/v1/session/password', { password: PASSWORD }],
      ['POST', '/api/v1/session/totp'],
      ['POST', '/api/v1/session/totp/confirm', { code: '123456' }],
      ['DELETE', '/api/v1/session/totp'],
      ['POST', '/api/v1/session/recovery-codes'],
      ['POST', '/api/v1/session/passkeys/options'],
      ['POST', '/api/v1/session/passkeys', {}],
      ['DELETE', '/api/v1/session/passkeys/pky_1'],
    ];
    for (const [method, path, body] of stale) expect((await browser.send(method, path, body)).body.code, path).toBe('sign_in_again');
  });

  test('they are listed and ended; nobody ends another’s', async () => {
    const [{ browser, email }, stranger] = [await owner(), await owner()];
    const second = new Browser(api);
    await second.signIn(email);
    const listed = await browser.get<{ data: { id: string; current: boolean; browser: string }[] }>('/api/v1/sessions');
    expect(listed.body.entity.data).toHaveLength(2);
    expect(listed.body.entity.data.filter(({ current }) => current)).toHaveLength(1);
    const other = listed.body.entity.data.find(({ current }) => !current)!;
    expect(other.browser).toBe('Test browser');
    expect((await stranger.browser.send('DELETE', `/api/v1/sessions/${other.id}`)).status).toBe(404);
    expect((await browser.send('DELETE', `/api/v1/sessions/${other.id}`)).status).toBe(200);
    expect((await second.whoAmI()).status).toBe(401);
    await second.signIn(email);
    await browser.send('DELETE', '/api/v1/sessions');
    expect((await second.whoAmI()).status).toBe(401);
    const cookie = browser.cookies.get('confam_session')!;
    const left = await browser.send('DELETE', '/api/v1/session');
    expect([left.status, left.headers.get('clear-site-data')]).toEqual([200, '"cache", "storage"']);
    expect(browser.cookies.has('confam_session')).toBe(false);
    browser.cookies.set('confam_session', cookie);
    expect((await browser.whoAmI()).status).toBe(401);
  });
});

describe('the people of an app', () => {
  test('an owner invites, changes and removes; the person’s session loses the app at once', async () => {
    const { browser, app } = await owner();
    const invited = await browser.post<{ id: string; link: string }>('/api/v1/people', { email: 'new@bank.test', role: 'viewer' });
    expect(invited.status).toBe(201);
    const { id, link } = invited.body.entity;
    const theirs = new Browser(api);
    await theirs.post('/api/v1/session/link', { token: tokenIn(link), password: PASSWORD });
    theirs.app = app.app;
    expect((await theirs.get('/api/v1/people')).status).toBe(403);
    expect((await browser.send('PATCH', `/api/v1/people/${id}`, { role: 'owner' })).body.entity).toMatchObject({
      role: 'owner',
      status: 'active',
    });
    expect((await theirs.get('/api/v1/people')).status).toBe(200);
    expect((await browser.send('DELETE', `/api/v1/people/${id}`)).status).toBe(200);
    // Nothing is left to sign in for, so the person is gone too.
    expect((await theirs.get('/api/v1/people')).status).toBe(401);
    expect((await theirs.signIn('new@bank.test')).status).toBe(401);
  });

  test('only the role that may do so sees people; keys do', async () => {
    const app = await api.createApp();
    for (const role of roles) {
      const { browser } = await signedInAs(api, app, role);
      expect((await browser.get('/api/v1/people')).status, role).toBe(role === 'owner' ? 200 : 403);
    }
    expect((await app.get('/api/v1/people')).status).toBe(200);
  });

  test('each role may do what a route of an app asks for, and no more', async () => {
    const app = await api.createApp();
    const ofApps = routes.filter(({ who }) => who === 'app' || who === 'test');
    for (const role of roles) {
      const { browser } = await signedInAs(api, app, role);
      const may = scopesOf(role);
      for (const { method, path, scope, reveals } of ofApps) {
        // A parameter that no resource has, and no body: refused by every handler, after the role was looked at.
        const { status, body } = await browser.send(method.toUpperCase(), `${path.replaceAll(/:[^/]+/g, 'none')}?role_walk=1`);
        const isRefused = status === 403 && body.error === 'Your role in this app does not allow this';
        expect(isRefused, `${role}: ${method} ${path}`).toBe(!may.has(scope!) || (reveals && !may.has('reveal')));
      }
    }
  });

  test('an Idempotency-Key is one person’s: nobody else gets the answer', async () => {
    const { browser, app } = await owner();
    const { browser: other } = await signedInAs(api, app, 'owner');
    const invite = (who: Browser) =>
      who.post<{ link: string }>('/api/v1/people', { email: 'twice@bank.test', role: 'viewer' }, { 'Idempotency-Key': 'invite-1' });
    const [first, again, theirs] = [await invite(browser), await invite(browser), await invite(other)];
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.entity.link).toBe(first.body.entity.link);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
    expect(theirs.text).not.toContain(tokenIn(first.body.entity.link));
  });

  test('a viewer ends no links', async () => {
    const app = await api.createApp();
    const made = await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`);
    await app.ended(`/api/v1/batches/${made.body.entity.id}`);
    const link = await app.post<{ id: string }>(`/api/v1/batches/${made.body.entity.id}/links`, {});
    expect(link.status, link.text).toBe(201);
    const path = `/api/v1/links/${link.body.entity.id}/revoke`;
    expect((await (await signedInAs(api, app, 'viewer')).browser.post(path)).status).toBe(403);
    expect((await (await signedInAs(api, app, 'operator')).browser.post(path)).status).toBe(200);
  });

  test('a person acts in the mode that the request names, test unless it says live', async () => {
    const { browser, app } = await owner();
    const available = async (mode: Record<string, string>) =>
      (await browser.get<{ available: number }>('/api/v1/wallet', mode)).body.entity.available;
    expect(await available({})).toBe(100_000);
    expect(await available({ 'Confam-Mode': 'live' })).toBe(0);
    expect((await browser.get('/api/v1/wallet', { 'Confam-Mode': 'both' })).status).toBe(400);
    expect((await browser.get('/api/v1/kyc/nin/advance?nin=70123456789')).status).toBe(200);
    expect((await app.wallet()).available).toBeLessThan(100_000);
  });

  test('another app’s people are neither seen nor changed', async () => {
    const [one, other] = [await owner(), await owner()];
    const listed = await one.browser.get<{ data: { id: string }[] }>('/api/v1/people');
    expect(listed.body.entity.data.map(({ id }) => id)).toEqual([one.id]);
    expect((await one.browser.send('PATCH', `/api/v1/people/${other.id}`, { role: 'viewer' })).status).toBe(404);
    expect((await one.browser.send('DELETE', `/api/v1/people/${other.id}`)).status).toBe(404);
    one.browser.app = other.app.app;
    expect((await one.browser.get('/api/v1/people')).status).toBe(403);
    one.browser.app = 'app_00000000000000000000000000000000';
    expect((await one.browser.get('/api/v1/people')).status).toBe(403);
    one.browser.app = '';
    expect((await one.browser.get('/api/v1/people')).status).toBe(401);
  });

  test('streams and waits end within a second of the session, of the role, and of belonging to the app; no other does', async () => {
    const { app, browser: staying } = await owner();
    const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    const [leaving, removed, disabled] = [
      await signedInAs(api, app, 'viewer'),
      await signedInAs(api, app, 'operator'),
      await signedInAs(api, app, 'viewer'),
    ];
    const listening = async ({ cookies }: Browser) => {
      const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const reader = (await fetch(`${api.url}/api/v1/batches/${id}/events`, { headers: { Cookie, AppId: app.app } })).body!.getReader();
      await reader.read();
      const end = (async () => {
        for (;;) if ((await reader.read()).done) return 'ended';
      })().catch(() => 'cut');
      return { reader, end };
    };
    const streams = await Promise.all([leaving, removed, disabled].map(({ browser }) => listening(browser)));
    const other = await listening(staying);
    const polls = [leaving, removed].map(({ browser }) => browser.get(`/api/v1/batches/${id}?wait=30`));
    // The polls have begun.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const began = performance.now();
    await leaving.browser.send('DELETE', '/api/v1/session');
    await staying.send('DELETE', `/api/v1/people/${removed.id}`);
    await disablePerson(api.service, uuid(disabled.id));
    expect(await Promise.all(streams.map(({ end }) => end))).toEqual(['cut', 'cut', 'cut']);
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([401, 401]);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await Promise.race([other.end, staying.get('/api/v1/wallet').then(({ status }) => status)])).toBe(200);
    await other.reader.cancel();
  });

  test('a wait ends with its key too', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    const made = (await app.post<{ id: string; key: string }>('/api/v1/keys', {})).body.entity;
    const poll = openClient(api.url, app.app, made.key).get(`/api/v1/batches/${id}?wait=30`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await app.post(`/api/v1/keys/${made.id}/revoke`);
    expect((await poll).status).toBe(401);
  });

  test('the last owner stays', async () => {
    const { browser, id } = await owner();
    expect((await browser.send('PATCH', `/api/v1/people/${id}`, { role: 'viewer' })).status).toBe(409);
    expect((await browser.send('DELETE', `/api/v1/people/${id}`)).status).toBe(409);
  });

  test('a suspended app is closed to its people too', async () => {
    const { browser, app } = await owner();
    await api.admin.post(`/api/v1/admin/apps/${app.app}/suspend`);
    expect((await browser.get('/api/v1/people')).body.code).toBe('app_suspended');
  });
});

describe('the deployment', () => {
  test('no page of another host reads with an administrator’s cookie, and leaves an entry in their name', async () => {
    const invited = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'sibling@bank.test', administrator: true });
    const browser = new Browser(api);
    expect((await browser.post('/api/v1/session/link', { token: tokenIn(invited.body.entity.link), password: PASSWORD })).status).toBe(200);
    const from = (site: string, mode: string) =>
      browser.get('/api/v1/admin/audit?limit=1', { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode });
    for (const site of ['same-site', 'cross-site'])
      for (const mode of ['no-cors', 'navigate', 'cors'])
        expect((await from(site, mode)).body, `${site} ${mode}`).toMatchObject({ code: 'forbidden' });
    expect((await from('same-origin', 'navigate')).status).toBe(200);
    expect((await from('none', 'navigate')).status).toBe(200);
    const read = (
      await api.admin.get<{ data: { actor: { kind: string } }[] }>('/api/v1/admin/audit?app=deployment&action=audit.read&outcome=allowed')
    ).body;
    expect(read.entity.data.filter(({ actor }) => actor.kind === 'person')).toHaveLength(2);
  });

  test('an administrator acts as the operator; an owner does not', async () => {
    const { browser: ordinary } = await owner();
    expect((await ordinary.get('/api/v1/admin/people')).status).toBe(403);
    const invited = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'admin@bank.test', administrator: true });
    const browser = new Browser(api);
    await browser.post('/api/v1/session/link', { token: tokenIn(invited.body.entity.link), password: PASSWORD });
    const people = await browser.get<{ data: object[]; has_more: boolean }>('/api/v1/admin/people?limit=1');
    expect(people.body.entity).toMatchObject({ has_more: true, data: [{ email: 'admin@bank.test', administrator: true }] });
    expect((await browser.post('/api/v1/admin/apps', { name: 'New' }, { 'X-CSRF-Token': 'wrong' })).status).toBe(403);
    expect((await browser.post('/api/v1/admin/apps', { name: 'New' })).status).toBe(201);
  });

  test('disabling somebody ends their sessions at once', async () => {
    const { browser, id, email } = await owner();
    expect(
      (
        await api.admin.send('PATCH', `/api/v1/admin/people/${id}`, {
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ disabled: true }),
        })
      ).body.entity,
    ).toMatchObject({ status: 'disabled' });
    expect((await browser.whoAmI()).status).toBe(401);
    expect((await browser.signIn(email)).status).toBe(401);
    expect((await api.admin.post(`/api/v1/admin/people/${id}/sign-in-link`)).status).toBe(404);
  });

  test('an invitation of somebody who has an account is accepted while signed in', async () => {
    const [person, other] = [await owner(), await api.createApp()];
    const { body } = await api.admin.post<{ link: string }>('/api/v1/admin/people', {
      email: person.email,
      app: other.app,
      role: 'viewer',
    });
    const token = tokenIn(body.entity.link);
    expect((await new Browser(api).post('/api/v1/session/link', { token, password: 'mine from now on!' })).status).toBe(401);
    expect((await person.browser.post('/api/v1/session/link', { token }, { 'X-CSRF-Token': 'wrong' })).status).toBe(403);
    const accepted = await person.browser.post<SessionEntity>('/api/v1/session/link', { token });
    expect(accepted.body.entity.apps).toHaveLength(2);
  });
});

describe('a second factor can be demanded', () => {
  const addTotp = async (browser: Browser) => {
    const { secret } = (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity;
    return browser.post('/api/v1/session/totp/confirm', { code: new TOTP({ secret }).generate() });
  };

  test('by an app: without one nothing of the app is open, and the session says so', async () => {
    const { browser, app } = await owner();
    const path = '/api/v1/wallet';
    expect((await browser.get(path)).status).toBe(200);
    expect((await browser.send('PATCH', '/api/v1/settings', { second_factor_required: true })).status).toBe(200);
    const refused = await browser.get(path);
    expect([refused.status, refused.body.code]).toEqual([403, 'second_factor_setup_required']);
    const apps = async () => (await browser.whoAmI()).body.entity.apps as unknown as { second_factor_setup_required: boolean }[];
    expect(await apps()).toMatchObject([{ second_factor_setup_required: true }]);
    expect((await addTotp(browser)).status).toBe(200);
    expect(await apps()).toMatchObject([{ second_factor_setup_required: false }]);
    expect((await browser.get(path)).status).toBe(200);
    // Keys have no factors.
    expect((await app.get(path)).status).toBe(200);
  });
});

describe('where the deployment demands a second factor', () => {
  const strict = useApi({ CONFAM_REQUIRE_SECOND_FACTOR: 'true', CONFAM_TRUSTED_PROXIES: '127.0.0.1' });

  test('people of apps and administrators may set one up and nothing else; a passkey is enough', async () => {
    const app = await strict.createApp();
    const { browser } = await signedInAs(strict, app, 'owner');
    const invited = await strict.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'root@bank.test', administrator: true });
    const root = new Browser(strict);
    await root.post('/api/v1/session/link', { token: tokenIn(invited.body.entity.link), password: PASSWORD });
    const asked = [
      [browser, '/api/v1/people'],
      [browser, '/api/v1/batches'],
      [root, '/api/v1/admin/apps'],
    ] as const;
    for (const [who, path] of asked) expect((await who.get(path)).body.code, path).toBe('second_factor_setup_required');
    expect((await browser.get('/api/v1/sessions')).status).toBe(200);
    for (const who of [browser, root]) {
      const authenticator = new Authenticator('http://localhost:0');
      const creation = await who.post<{ options: never }>('/api/v1/session/passkeys/options');
      const added = await who.post('/api/v1/session/passkeys', {
        name: 'Phone',
        passkey: authenticator.create(creation.body.entity.options),
      });
      expect(added.status, added.text).toBe(201);
      const challenge = await who.post<{ options: never }>('/api/v1/session/passkey');
      const signedIn = await who.post('/api/v1/session', { passkey: authenticator.get(challenge.body.entity.options) });
      expect(signedIn.status, signedIn.text).toBe(200);
    }
    for (const [who, path] of asked) expect((await who.get(path)).status, path).toBe(200);
  });
});
