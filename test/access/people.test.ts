/** The rules of signing in, on a real database. Through an identity provider: `oidc.test.ts`. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import {
  changeRole,
  disablePerson,
  enablePerson,
  findAccount,
  PEOPLE_PER_APP_MAX,
  readAccount,
  readMembers,
  readPeople,
  readRoles,
  removeMember,
} from '../../src/access/people/accounts.ts';
import { newBrowser } from '../../src/access/people/attempts.ts';
import { dropExpiredChallenges } from '../../src/access/people/challenges.ts';
import { inviteAdministrator, inviteToApp, newSignInLink } from '../../src/access/people/links.ts';
import { addPasskey, beginPasskey, challengePasskey, listPasskeys, removePasskey, usePasskey } from '../../src/access/people/passkeys.ts';
import { openPasswords, type Passwords } from '../../src/access/people/passwords.ts';
import { newRecoveryCodes } from '../../src/access/people/recovery-codes.ts';
import {
  csrfToken,
  dropExpiredSessions,
  endSession,
  endSessions,
  findSession,
  isCsrfToken,
  listSessions,
  openSession,
  type Proven,
  readSession,
  rotateSession,
} from '../../src/access/people/sessions.ts';
import { redeemLink, resetSecondFactors, setPassword, signInByPassword } from '../../src/access/people/sign-in.ts';
import { beginTotp, confirmTotp, removeTotp } from '../../src/access/people/totp.ts';
import type { Role } from '../../src/access/roles.ts';
import { openPersonGuard } from '../../src/api/person-guard.ts';
import { passwordBody } from '../../src/contract/people.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import { Authenticator } from '../setup/authenticator.ts';
import { useDatabase, waitFor } from '../setup/database.ts';

const PASSWORD = 'Ọjà-Alẹ́ opens at six';
const PARTY = { origin: 'https://console.bank.test', id: 'console.bank.test' };

const database = useDatabase();
let ctx: Context;
let passwords: Passwords;
beforeAll(() => {
  ctx = database.openContext();
  passwords = openPasswords(ctx);
});
afterAll(() => ctx.close());

let made = 0;
/** Each from a network of their own. */
const somewhere = () => ({ network: `198.51.100.${++made}`, browser: null as string | null });
const newAddress = () => `person-${++made}@bank.test`;
const NOBODY = '00000000-0000-0000-0000-000000000000';
const newApp = async () => (await createApp(ctx, 'Bank')).id;

async function join(role: Role = 'owner', appId?: string, email = newAddress()) {
  const app = appId ?? (await newApp());
  const { personId, token } = await inviteToApp(ctx, { email, appId: app, role });
  await redeemLink(ctx, passwords, token, { password: PASSWORD, name: 'Ada Obi' }, { ...somewhere(), session: null });
  return { id: personId, email, appId: app };
}

const signIn = (email: string, password = PASSWORD, more: { code?: string; recoveryCode?: string } = {}, where = somewhere()) =>
  signInByPassword(ctx, passwords, { email, password, ...more }, where);

const clock = async () => (await ctx.sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::bigint as ms`)[0]!.ms;

async function withTotp(person: { id: string; email: string }) {
  const { secret } = await beginTotp(ctx, person.id, person.email);
  const totp = new TOTP({ secret });
  const code = async (steps = 0) => totp.generate({ timestamp: (await clock()) + steps * 30_000 });
  // The step before the present one, so that the present one is still unused.
  expect(await confirmTotp(ctx, person.id, await code(-1))).toBe(true);
  return code;
}

/** Until a statement waits for the lock of another transaction. */
const untilItWaits = () =>
  waitFor('the lock', async () => {
    const waiting = await ctx.sql`
      select 1 from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`;
    return waiting.length > 0;
  });

describe('passwords', () => {
  test('an address and its password sign in, however the address is written', async () => {
    const { id, email } = await join();
    expect(await signIn(` ${email.toUpperCase()}`)).toMatchObject({ personId: id, email, method: 'password' });
  });

  test('an unknown address, a wrong password, no password and a disabled person get one answer', async () => {
    const { id, email } = await join();
    const refusals = [await signIn(email, 'wrong').catch(String), await signIn(newAddress()).catch(String)];
    const { email: invited } = { email: newAddress() };
    await inviteToApp(ctx, { email: invited, appId: await newApp(), role: 'viewer' });
    refusals.push(await signIn(invited).catch(String));
    await disablePerson(ctx, id);
    refusals.push(await signIn(email).catch(String));
    expect(new Set(refusals)).toEqual(new Set(['ApiError: The e-mail address or the password is wrong']));
  });

  test('an unknown address takes as long as a wrong password', async () => {
    const { email } = await join();
    const timed = async (address: string) => {
      const began = process.cpuUsage();
      await signIn(address, 'wrong').catch(() => {});
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    await timed(newAddress());
    const [unknown, known]: [number[], number[]] = [[], []];
    for (let i = 0; i < 9; i++) {
      unknown.push(await timed(newAddress()));
      known.push(await timed(email));
    }
    // In time of the processor, whatever else the machine does. The quickest of each: other work of this process only adds.
    const ratio = Math.min(...unknown) / Math.min(...known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  test('of many at once a hundred wait, and the rest are refused at once', async () => {
    const own = openPasswords(ctx);
    const tried = await Promise.allSettled(Array.from({ length: 120 }, () => own.matches(NOBODY, null, 'whatever it was')));
    const refused = tried.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    expect(new Set(refused)).toEqual(new Set(['overloaded']));
    expect(refused.length).toBeGreaterThanOrEqual(18);
    expect(refused.length).toBeLessThanOrEqual(20);
    expect(await own.matches(NOBODY, null, 'whatever it was')).toBe(false);
  });

  test('what the database holds shows neither the password nor the address nor the name', async () => {
    const { id, email } = await join();
    const [row] = await ctx.sql`select password, email, name from people where id = ${id}`;
    for (const value of Object.values(row!)) {
      const text = Buffer.from(value as Buffer).toString('latin1');
      expect(text).not.toContain('argon2');
      expect(text).not.toContain(email);
      expect(text).not.toContain('Ada');
    }
  });

  test('a password must not contain the address; a local part of up to three characters may be in it', async () => {
    const flaw = (password: string, email: string) => passwords.flaw(password, email);
    expect(await flaw('a lantern at the gate', 'a@bank.example')).toBeNull();
    expect(await flaw('adas lantern is lit', 'ada@bank.example')).toBeNull();
    expect(await flaw('my A@Bank.Example key', 'a@bank.example')).toContain('your address');
    expect(await flaw('Bisi sings at dawn', 'bisi@bank.example')).toContain('your address');
    const email = newAddress();
    const { token } = await inviteToApp(ctx, { email, appId: await newApp(), role: 'viewer' });
    const answer = { password: `${email.split('@')[0]}-123456` };
    await expect(redeemLink(ctx, passwords, token, answer, { ...somewhere(), session: null })).rejects.toThrow('must not contain');
  });
});

describe('too many failures', () => {
  const fail = async (email: string, times: number, where: () => ReturnType<typeof somewhere>) => {
    const codes: string[] = [];
    for (let i = 0; i < times; i++) codes.push(await signIn(email, 'wrong', {}, where()).catch((error) => error.code));
    return codes;
  };

  test('guesses at one person from many networks have to wait', async () => {
    const { email } = await join();
    const codes = await fail(email, 11, somewhere);
    expect(codes.slice(0, 10)).toEqual(Array(10).fill('unauthenticated'));
    expect(codes[10]).toBe('rate_limited');
    await expect(signIn(email)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': expect.stringMatching(/^[12]$/) },
    });
  });

  test('guesses at an unknown address have to wait just the same', async () => {
    expect((await fail(newAddress(), 11, somewhere))[10]).toBe('rate_limited');
  });

  test('a stranger who guesses cannot keep out somebody who has signed in from a browser before', async () => {
    const { email } = await join();
    await fail(email, 12, somewhere);
    const known = { network: '203.0.113.9', browser: newBrowser(ctx, email) };
    expect(await signIn(email, PASSWORD, {}, known)).toMatchObject({ method: 'password' });
  });

  test('nor can one behind the same proxy', async () => {
    const { email } = await join();
    const proxy = { network: '203.0.113.10', browser: null };
    for (let i = 0; i < 21; i++) await signIn(newAddress(), 'wrong', {}, proxy).catch(() => {});
    await expect(signIn(newAddress(), 'wrong', {}, proxy)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await signIn(email, PASSWORD, {}, { ...proxy, browser: newBrowser(ctx, email) })).toMatchObject({ method: 'password' });
  });

  test('a known browser that guesses has to wait too, and is known for its own address only', async () => {
    const [{ email }, other] = [await join(), await join()];
    const browser = newBrowser(ctx, email);
    expect((await fail(email, 11, () => ({ ...somewhere(), browser })))[10]).toBe('rate_limited');
    expect((await fail(other.email, 11, () => ({ ...somewhere(), browser })))[10]).toBe('rate_limited');
    await expect(signIn(other.email)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('many guesses at once are counted', async () => {
    const { email } = await join();
    const codes = await Promise.all(
      Array.from({ length: 30 }, () => signIn(email, 'wrong', {}, somewhere()).catch((error) => error.code as string)),
    );
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(10);
  });

  test('signing in is not held against anybody, and waiting ends', async () => {
    const { email } = await join();
    const where = somewhere();
    for (let i = 0; i < 25; i++) await signIn(email, PASSWORD, {}, where);
    expect((await fail(email, 11, somewhere))[10]).toBe('rate_limited');
    await ctx.sql`update sign_in_failures set wait_until = now() - interval '1 second' where wait_until is not null`;
    expect(await signIn(email)).toMatchObject({ method: 'password' });
  });
});

describe('second factors', () => {
  test('a code of the authenticator app is needed, and works once', async () => {
    const person = await join();
    const code = await withTotp(person);
    await expect(signIn(person.email)).rejects.toMatchObject({ code: 'second_factor_required', extra: { factors: ['code'] } });
    const now = await code();
    expect(await signIn(person.email, PASSWORD, { code: now })).toMatchObject({ method: 'password+totp' });
    await expect(signIn(person.email, PASSWORD, { code: now })).rejects.toThrow('wrong, or was used');
    await expect(signIn(person.email, PASSWORD, { code: await code(-1) })).rejects.toThrow('wrong, or was used');
    await expect(signIn(person.email, PASSWORD, { code: await code(40) })).rejects.toThrow('wrong, or was used');
  });

  test('one of two requests with the same code gets in', async () => {
    const person = await join();
    const code = await (await withTotp(person))();
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => signIn(person.email, PASSWORD, { code })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a secret is not in use until a code of it is shown', async () => {
    const person = await join();
    const { secret, uri } = await beginTotp(ctx, person.id, person.email);
    expect(uri).toContain(secret);
    expect(await confirmTotp(ctx, person.id, '000000')).toBe(false);
    await signIn(person.email);
  });

  test('a recovery code works once, with dashes or without', async () => {
    const person = await join();
    await withTotp(person);
    const codes = await newRecoveryCodes(ctx, person.id);
    expect(codes).toHaveLength(10);
    const [one, two] = codes as [string, string];
    expect(await signIn(person.email, PASSWORD, { recoveryCode: one.toLowerCase() })).toMatchObject({ method: 'password+recovery_code' });
    await expect(signIn(person.email, PASSWORD, { recoveryCode: one })).rejects.toThrow('wrong, or was used');
    await signIn(person.email, PASSWORD, { recoveryCode: two.replaceAll('-', '') });
    await newRecoveryCodes(ctx, person.id);
    await expect(signIn(person.email, PASSWORD, { recoveryCode: codes[2]! })).rejects.toThrow('wrong, or was used');
  });

  test('codes that are guessed have to wait', async () => {
    const person = await join();
    await withTotp(person);
    for (let i = 0; i < 10; i++) await signIn(person.email, PASSWORD, { code: '000000' }).catch(() => {});
    await expect(signIn(person.email, PASSWORD, { code: '000000' })).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('somebody who has lost all of them can be reset, which ends their sessions', async () => {
    const person = await join();
    await withTotp(person);
    const { token } = await openSession(ctx, { personId: person.id, method: 'password+totp' }, { address: '', browser: '' });
    await ctx.sql.begin((tx) => resetSecondFactors(tx, person.id));
    await signIn(person.email);
    expect(await readSession(ctx, token)).toBeNull();
  });

  test('removing the authenticator app leaves the password alone', async () => {
    const person = await join();
    await withTotp(person);
    await removeTotp(ctx, person.id);
    expect(await signIn(person.email)).toMatchObject({ method: 'password' });
  });
});

describe('passkeys', () => {
  const enrol = async (person: { id: string; email: string }, authenticator = new Authenticator(PARTY.origin)) => {
    const options = await beginPasskey(ctx, PARTY, person);
    return { authenticator, id: await addPasskey(ctx, PARTY, person.id, { name: 'phone', response: authenticator.create(options) }) };
  };

  test('a passkey signs in, and each challenge is answered once', async () => {
    const person = await join();
    const { authenticator, id } = await enrol(person);
    expect(await listPasskeys(ctx, person.id)).toMatchObject([{ id, name: 'phone', usedAt: null }]);
    const answer = authenticator.get(await challengePasskey(ctx, PARTY));
    expect((await usePasskey(ctx, PARTY, answer))!.personId).toBe(person.id);
    expect(await usePasskey(ctx, PARTY, answer)).toBeNull();
    await expect(signIn(person.email)).rejects.toMatchObject({ extra: { factors: ['passkey'] } });
  });

  test('an answer from another site, to a challenge of ours or to none, is refused', async () => {
    const person = await join();
    const { authenticator } = await enrol(person);
    const elsewhere = new Authenticator('https://console.bank.example');
    expect((await enrol(person, elsewhere)).id).toBeNull();
    const options = await challengePasskey(ctx, PARTY);
    expect(await usePasskey(ctx, PARTY, authenticator.get({ ...options, rpId: 'other.test' }))).toBeNull();
    expect(await usePasskey(ctx, PARTY, authenticator.get({ ...options, challenge: 'bm9uZQ' }))).toBeNull();
  });

  test('an expired challenge is refused', async () => {
    const { authenticator } = await enrol(await join());
    const options = await challengePasskey(ctx, PARTY);
    await ctx.sql`update sign_in_challenges set expires_at = now() - interval '1 second'`;
    expect(await usePasskey(ctx, PARTY, authenticator.get(options))).toBeNull();
    await dropExpiredChallenges(ctx);
    expect(await ctx.sql`select 1 from sign_in_challenges`).toHaveLength(0);
  });

  test('one that another person began cannot be enrolled, and one that counts backwards cannot sign in', async () => {
    const [person, other] = [await join(), await join()];
    const authenticator = new Authenticator(PARTY.origin);
    const options = await beginPasskey(ctx, PARTY, person);
    expect(await addPasskey(ctx, PARTY, other.id, { name: 'phone', response: authenticator.create(options) })).toBeNull();
    const { authenticator: mine, id } = await enrol(person);
    await ctx.sql`update passkeys set counter = 1000 where id = ${id}`;
    expect(await usePasskey(ctx, PARTY, mine.get(await challengePasskey(ctx, PARTY)))).toBeNull();
  });

  test('a sign-in by password alone that was on its way does not outlast the adding of a passkey', async () => {
    const person = await join();
    const authenticator = new Authenticator(PARTY.origin);
    const created = authenticator.create(await beginPasskey(ctx, PARTY, person));
    let added: Promise<string | null> | undefined;
    await ctx.sql.begin(async (tx) => {
      // As `openSession` does, once it has found no second factor.
      await tx`select 1 from people where id = ${person.id} for no key update`;
      await tx`
        insert into sessions (id, person_id, hash, method, about)
        values (${newId()}, ${person.id}, ${Buffer.from('on its way')}, 'password', ${Buffer.from('')})`;
      added = addPasskey(ctx, PARTY, person.id, { name: 'phone', response: created });
      await untilItWaits();
    });
    expect(await added).not.toBeNull();
    expect(await ctx.sql`select 1 from sessions where person_id = ${person.id}`).toHaveLength(0);
  });

  test('a removed passkey, and that of a disabled person, no longer work', async () => {
    const [person, other] = [await join(), await join()];
    const { authenticator, id } = await enrol(person);
    expect(await removePasskey(ctx, other.id, id!)).toBe(false);
    await disablePerson(ctx, person.id);
    expect(await usePasskey(ctx, PARTY, authenticator.get(await challengePasskey(ctx, PARTY)))).toBeNull();
    await enablePerson(ctx, person.id);
    // They would be a way past the next factor.
    await newRecoveryCodes(ctx, person.id);
    expect(await removePasskey(ctx, person.id, id!)).toBe(true);
    expect(await usePasskey(ctx, PARTY, authenticator.get(await challengePasskey(ctx, PARTY)))).toBeNull();
    expect((await readAccount(ctx, person.id))!.recoveryCodes).toBe(0);
  });
});

describe('links', () => {
  const redeem = (token: string, answer = {}, personId: string | null = null) =>
    redeemLink(ctx, passwords, token, answer, { ...somewhere(), session: personId === null ? null : { personId, method: 'password' } });

  test('a sign-in link works once, for a quarter of an hour, and only the newest', async () => {
    const { id } = await join();
    const first = await newSignInLink(ctx, id);
    const second = await newSignInLink(ctx, id);
    await expect(redeem(first)).rejects.toThrow('not valid');
    expect(await redeem(second)).toMatchObject({ personId: id, method: 'link' });
    await expect(redeem(second)).rejects.toThrow('not valid');
    const late = await newSignInLink(ctx, id);
    const [{ minutes } = { minutes: 0 }] = await ctx.sql<
      { minutes: number }[]
    >`select round(extract(epoch from expires_at - now()) / 60)::int as minutes from person_links where person_id = ${id}`;
    expect(minutes).toBe(15);
    await ctx.sql`update person_links set expires_at = now() where person_id = ${id}`;
    await expect(redeem(late)).rejects.toMatchObject({ code: 'link_invalid', message: 'The link is not valid; ask for a new one' });
    await expect(redeem('made up')).rejects.toMatchObject({ code: 'link_invalid', message: 'The link is not valid; ask for a new one' });
  });

  test('one of many who open a link at once gets in', async () => {
    const { id } = await join();
    const token = await newSignInLink(ctx, id);
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => redeem(token)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a link does not stand in for the second factor', async () => {
    const person = await join();
    const code = await withTotp(person);
    const token = await newSignInLink(ctx, person.id);
    await expect(redeem(token)).rejects.toMatchObject({ code: 'second_factor_required' });
    expect(await redeem(token, { code: await code() })).toMatchObject({ method: 'link+totp' });
  });

  test('an invitation needs a password, and then the app is the person’s', async () => {
    const [email, appId] = [newAddress(), await newApp()];
    const { personId, token } = await inviteToApp(ctx, { email, appId, role: 'operator' });
    expect(await readRoles(ctx, personId)).toEqual([]);
    await expect(redeem(token)).rejects.toMatchObject({ code: 'invalid_request' });
    await redeem(token, { password: PASSWORD, name: 'Bisi Ade' });
    expect(await readRoles(ctx, personId)).toMatchObject([{ appId, role: 'operator' }]);
    expect(await readMembers(ctx, appId)).toMatchObject([{ id: personId, email, name: 'Bisi Ade', hasSecondFactor: false }]);
  });

  test('an invitation never signs in to an account that exists: whoever invites sees the link', async () => {
    const [victim, appId] = [await join(), await newApp()];
    const { token } = await inviteToApp(ctx, { email: victim.email, appId, role: 'viewer' });
    await expect(redeem(token, { password: 'another password!' })).rejects.toMatchObject({ code: 'unauthenticated' });
    const other = await join();
    await expect(redeem(token, {}, other.id)).rejects.toMatchObject({ code: 'link_invalid' });
    expect(await redeem(token, {}, victim.id)).toBe('accepted');
    await signIn(victim.email);
    expect(await readRoles(ctx, victim.id)).toHaveLength(2);
  });

  test('somebody who came by a link chooses a password before they accept, which ends whatever an earlier inviter could use', async () => {
    // The first inviter opens the account for an address that is not theirs.
    const account = await join();
    const earlier = await signIn(account.email);
    const { id: old } = await openSession(ctx, earlier, { address: '198.51.100.1', browser: 'Other' });
    const { token } = await inviteToApp(ctx, { email: account.email, appId: await newApp(), role: 'owner' });
    const byLink = await redeem(await newSignInLink(ctx, account.id));
    if (byLink === 'accepted') throw new Error('it signed nobody in');
    const session = await openSession(ctx, byLink, { address: '198.51.100.2', browser: 'Theirs' });
    const accept = async () => {
      const now = (await readSession(ctx, session.token))!;
      return redeemLink(ctx, passwords, token, {}, { ...somewhere(), session: now });
    };
    await expect(accept()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('choose a new password') });
    expect(await readRoles(ctx, account.id)).toHaveLength(1);
    const found = (await readAccount(ctx, account.id))!;
    const chosen = { password: 'one that nobody else knows', current: undefined };
    await setPassword(ctx, passwords, { account: found, session: (await readSession(ctx, session.token))! }, chosen, somewhere());
    expect(await accept()).toBe('accepted');
    await expect(signIn(account.email)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await listSessions(ctx, account.id)).map(({ id }) => id)).not.toContain(old);
    // Nobody can use an account that has no password.
    const bare = await join();
    await ctx.sql`update people set password = null where id = ${bare.id}`;
    const more = await inviteToApp(ctx, { email: bare.email, appId: await newApp(), role: 'viewer' });
    const accepted = redeemLink(ctx, passwords, more.token, {}, { ...somewhere(), session: { personId: bare.id, method: 'link' } });
    expect(await accepted).toBe('accepted');
  });

  test('a second invitation replaces the first, and a withdrawn one is not valid', async () => {
    const [email, appId] = [newAddress(), await newApp()];
    const first = await inviteToApp(ctx, { email, appId, role: 'viewer' });
    const second = await inviteToApp(ctx, { email, appId, role: 'owner' });
    await expect(redeem(first.token, { password: PASSWORD })).rejects.toMatchObject({ code: 'link_invalid' });
    expect(await removeMember(ctx, { appId, personId: second.personId })).toBe(true);
    await expect(redeem(second.token, { password: PASSWORD })).rejects.toMatchObject({ code: 'link_invalid' });
    expect(await findAccount(ctx, email)).toBeNull();
  });

  test('an administrator is one once the invitation is accepted', async () => {
    const { personId, token } = await inviteAdministrator(ctx, newAddress());
    expect(await readPeople(ctx, { id: personId, limit: 1 })).toMatchObject([{ administrator: false }]);
    await redeem(token, { password: PASSWORD });
    expect(await readPeople(ctx, { id: personId, limit: 1 })).toMatchObject([{ administrator: true }]);
  });
});

describe('people of an app', () => {
  test('an invited person shows nothing but the invited address', async () => {
    const [known, appId] = [await join(), await newApp()];
    await withTotp(known);
    await inviteToApp(ctx, { email: known.email, appId, role: 'viewer' });
    expect(await readMembers(ctx, appId)).toMatchObject([{ name: null, hasSecondFactor: false, acceptedAt: null }]);
  });

  test('an app keeps an owner, even if two of them remove each other', async () => {
    const owner = await join('owner');
    await expect(changeRole(ctx, { appId: owner.appId, personId: owner.id, role: 'viewer' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(removeMember(ctx, { appId: owner.appId, personId: owner.id })).rejects.toMatchObject({ code: 'conflict' });
    const second = await join('owner', owner.appId);
    const both = await Promise.allSettled([
      removeMember(ctx, { appId: owner.appId, personId: owner.id }),
      removeMember(ctx, { appId: owner.appId, personId: second.id }),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readMembers(ctx, owner.appId)).toHaveLength(1);
  });

  test('a disabled owner is not the one that an app keeps, and may be removed', async () => {
    const owner = await join('owner');
    const second = await join('owner', owner.appId);
    await disablePerson(ctx, second.id);
    await expect(changeRole(ctx, { appId: owner.appId, personId: owner.id, role: 'viewer' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(removeMember(ctx, { appId: owner.appId, personId: owner.id })).rejects.toMatchObject({ code: 'conflict' });
    expect(await removeMember(ctx, { appId: owner.appId, personId: second.id })).toBe(true);
    await disablePerson(ctx, owner.id);
    await expect(removeMember(ctx, { appId: owner.appId, personId: owner.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a person who belongs to the app already is not invited again', async () => {
    const { email, appId } = await join();
    const invite = (address: string) => inviteToApp(ctx, { email: address, appId, role: 'viewer' });
    const refused = (message: string) => ({ code: 'conflict', message });
    await expect(invite(email)).rejects.toMatchObject(refused('The person already belongs to this app'));
    for (let at = 1; at < PEOPLE_PER_APP_MAX; at++) await invite(`${at}-${email}`);
    await expect(invite(email)).rejects.toMatchObject(refused('The person already belongs to this app'));
    await expect(invite(`new-${email}`)).rejects.toMatchObject(refused(`The app already has ${PEOPLE_PER_APP_MAX} people`));
  });

  test('invitations at the same time do not make more people than the list shows', async () => {
    const { email, appId } = await join();
    const invite = (address: string) => inviteToApp(ctx, { email: address, appId, role: 'owner' });
    await Promise.all(Array.from({ length: PEOPLE_PER_APP_MAX - 3 }, (_, at) => invite(`${at}-${email}`)));
    const last = await Promise.allSettled(Array.from({ length: 12 }, (_, at) => invite(`last-${at}-${email}`)));
    expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const [counted] = await ctx.sql<{ people: number }[]>`select count(*)::int as people from app_people where app_id = ${appId}`;
    expect(counted!.people).toBe(PEOPLE_PER_APP_MAX);
    expect(await readMembers(ctx, appId)).toHaveLength(PEOPLE_PER_APP_MAX);
  });

  test('an invitation opens no account that exists, whatever it has to sign in with', async () => {
    const accounts: [string, (id: string) => Promise<unknown>][] = [
      ['belongs to an app', async () => {}],
      [
        'administers the deployment',
        (id) =>
          ctx.sql`with left_apps as (delete from app_people where person_id = ${id}) update people set administrator = true where id = ${id}`,
      ],
      [
        'has an authenticator app',
        (id) =>
          ctx.sql`with left_apps as (delete from app_people where person_id = ${id}) update people set totp = ${Buffer.from('x')} where id = ${id}`,
      ],
    ];
    for (const [name, change] of accounts) {
      const victim = await join();
      await ctx.sql`update people set password = null where id = ${victim.id}`;
      await change(victim.id);
      const { token } = await inviteToApp(ctx, { email: victim.email, appId: await newApp(), role: 'viewer' });
      const taken = redeemLink(ctx, passwords, token, { password: PASSWORD }, { ...somewhere(), session: null });
      await expect(taken, name).rejects.toMatchObject({ code: 'unauthenticated' });
      expect(await redeemLink(ctx, passwords, token, {}, { ...somewhere(), session: { personId: victim.id, method: 'password' } })).toBe(
        'accepted',
      );
    }
  });

  test('somebody who is being invited elsewhere is not deleted with their last membership', async () => {
    const person = await join('viewer');
    const appId = await newApp();
    let removed: Promise<boolean> | undefined;
    const invited = await ctx.sql.begin(async (tx) => {
      await tx`insert into app_people (app_id, person_id, role) values (${appId}, ${person.id}, 'viewer')`;
      removed = removeMember(ctx, { appId: person.appId, personId: person.id });
      await untilItWaits();
      return true;
    });
    expect([invited, await removed]).toEqual([true, true]);
    expect(await ctx.sql`select 1 from app_people where app_id = ${appId} and person_id = ${person.id}`).toHaveLength(1);
  });

  test('a person of another app is neither changed nor removed', async () => {
    const [one, other] = [await join(), await join()];
    expect(await changeRole(ctx, { appId: one.appId, personId: other.id, role: 'owner' })).toBeNull();
    expect(await removeMember(ctx, { appId: one.appId, personId: other.id })).toBe(false);
    expect(await readRoles(ctx, other.id)).toHaveLength(1);
  });
});

describe('sessions', () => {
  const begin = async (personId: string) =>
    openSession(ctx, { personId, method: 'password' }, { address: '198.51.100.1', browser: 'Firefox' });

  test('a session ends after half an hour without a request and after twelve hours at the latest', async () => {
    const { id: personId } = await join();
    for (const column of [ctx.sql`seen_at = now() - interval '31 minutes'`, ctx.sql`created_at = now() - interval '12 hours 1 minute'`]) {
      const { id, token } = await begin(personId);
      expect(await readSession(ctx, token)).toMatchObject({ id, personId, isFresh: true, isDue: false });
      await ctx.sql`update sessions set ${column} where id = ${id}`;
      expect(await readSession(ctx, token)).toBeNull();
      expect(await listSessions(ctx, personId)).toEqual([]);
      await dropExpiredSessions(ctx);
      expect(await ctx.sql`select 1 from sessions where id = ${id}`).toHaveLength(0);
    }
  });

  test('a sign-in that was on its way when the way to sign in changed begins none', async () => {
    const changes: [string, (person: Awaited<ReturnType<typeof join>>) => Promise<unknown>][] = [
      ['an authenticator app', withTotp],
      ['another password', ({ id }) => ctx.sql`update people set password = ${Buffer.from('another')} where id = ${id}`],
      ['no password', ({ id }) => ctx.sql`update people set password = null where id = ${id}`],
      ['disabled', ({ id }) => disablePerson(ctx, id)],
    ];
    for (const [name, change] of changes) {
      const person = await join();
      const checked = await signIn(person.email);
      await change(person);
      await expect(openSession(ctx, checked, { address: '', browser: '' }), name).rejects.toMatchObject({ code: 'unauthenticated' });
      expect(await listSessions(ctx, person.id)).toEqual([]);
    }
  });

  test('nor does one whose code, secret or passkey has been replaced or removed since', async () => {
    const person = await join();
    const code = await withTotp(person);
    const codes = await newRecoveryCodes(ctx, person.id);
    const byCode = (at: number) => signIn(person.email, PASSWORD, { recoveryCode: codes[at]! });
    const opened = (checked: Proven) => openSession(ctx, checked, { address: '', browser: '' });
    const [used, alsoUsed] = [await byCode(0), await byCode(1)];
    expect(await opened(used)).toMatchObject({ token: expect.any(String) });
    await newRecoveryCodes(ctx, person.id);
    await expect(opened(alsoUsed)).rejects.toMatchObject({ code: 'unauthenticated' });

    const byTotp = await signIn(person.email, PASSWORD, { code: await code() });
    await withTotp(person);
    await expect(opened(byTotp)).rejects.toMatchObject({ code: 'unauthenticated' });

    const authenticator = new Authenticator(PARTY.origin);
    const created = authenticator.create(await beginPasskey(ctx, PARTY, person));
    const id = await addPasskey(ctx, PARTY, person.id, { name: 'phone', response: created });
    const shown = (await usePasskey(ctx, PARTY, authenticator.get(await challengePasskey(ctx, PARTY))))!;
    await removePasskey(ctx, person.id, id!);
    await expect(opened({ ...shown, method: 'passkey' })).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await listSessions(ctx, person.id)).toEqual([]);
  });

  test('a change of the sign-in that was on its way in a session does not outlast what ended the session', async () => {
    const person = await join();
    const account = (await findAccount(ctx, person.email))!;
    const [own, stolen] = [await begin(person.id), await begin(person.id)];
    const { secret } = await beginTotp(ctx, person.id, person.email);
    const code = new TOTP({ secret }).generate({ timestamp: await clock() });
    const authenticator = new Authenticator(PARTY.origin);
    const created = authenticator.create(await beginPasskey(ctx, PARTY, person));
    const current = (await readSession(ctx, own.token))!;
    await setPassword(ctx, passwords, { account, session: current }, { password: 'another long sentence', current: PASSWORD }, somewhere());
    const by = bySystem('setup');
    const theirs = { id: stolen.id, method: 'password' as const };
    const late = [
      () => setPassword(ctx, passwords, { account, session: theirs }, { password: 'a sentence of theirs', current: PASSWORD }, somewhere()),
      () => addPasskey(ctx, PARTY, person.id, { name: 'theirs', response: created }, { by, session: stolen.id }),
      () => confirmTotp(ctx, person.id, code, by, stolen.id),
      () => newRecoveryCodes(ctx, person.id, by, stolen.id),
      () => removeTotp(ctx, person.id, by, stolen.id),
      () => removePasskey(ctx, person.id, newId(), by, stolen.id),
    ];
    for (const change of late) await expect(change()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await readSession(ctx, own.token)).toMatchObject({ hasFactor: false });
    expect(await signIn(person.email, 'another long sentence')).toMatchObject({ personId: person.id });
  });

  test('a second factor counts as shown in the session in which it was set up, and ends the others', async () => {
    const person = await join();
    const [own, other] = [await begin(person.id), await begin(person.id)];
    const { secret } = await beginTotp(ctx, person.id, person.email);
    const code = new TOTP({ secret }).generate({ timestamp: await clock() });
    expect(await confirmTotp(ctx, person.id, code, bySystem('setup'), own.id)).toBe(true);
    expect(await readSession(ctx, own.token)).toMatchObject({ hasFactor: true, hasEnrolled: true });
    expect(await readSession(ctx, other.token)).toBeNull();
  });

  test('sending a long body restarts the idle time, once a minute, and revives nothing', async () => {
    const { id: personId } = await join();
    const { id } = await openSession(ctx, { personId, method: 'password' }, { address: '198.51.100.1', browser: 'Test' });
    const session = (await findSession(ctx, id))!;
    const idle = (minutes: number) =>
      ctx.sql`update sessions set seen_at = now() - make_interval(mins => ${minutes}::int) where id = ${id}`;
    const isSeen = async () =>
      (await ctx.sql`select 1 from sessions where id = ${id} and seen_at > now() - interval '1 minute'`).length > 0;
    const clock = vi.spyOn(performance, 'now');
    try {
      clock.mockReturnValue(0);
      const sending = openPersonGuard(ctx).sending(session);
      await idle(29);
      clock.mockReturnValue(59_000);
      sending();
      await sleep(50);
      expect(await isSeen()).toBe(false);
      clock.mockReturnValue(60_000);
      sending();
      await waitFor('the use', isSeen);
      await idle(31);
      clock.mockReturnValue(180_000);
      sending();
      await sleep(50);
      expect(await findSession(ctx, id)).toBeNull();
    } finally {
      clock.mockRestore();
    }
  });

  test('a request keeps it alive', async () => {
    const { id, token } = await begin((await join()).id);
    await ctx.sql`update sessions set seen_at = now() - interval '29 minutes' where id = ${id}`;
    await readSession(ctx, token);
    const [row] = await ctx.sql`select seen_at > now() - interval '1 minute' as is_seen from sessions where id = ${id}`;
    expect(row).toMatchObject({ isSeen: true });
  });

  test('the token is replaced after a quarter of an hour; the old one works a minute longer', async () => {
    const { id, token } = await begin((await join()).id);
    await ctx.sql`update sessions set rotated_at = now() - interval '16 minutes', created_at = now() - interval '16 minutes' where id = ${id}`;
    expect(await readSession(ctx, token)).toMatchObject({ isDue: true, isFresh: false });
    const all = await Promise.all([rotateSession(ctx, token), rotateSession(ctx, token)]);
    const next = all.find((made) => made !== null)!;
    expect(all.filter((made) => made !== null)).toHaveLength(1);
    expect(await readSession(ctx, token)).toMatchObject({ id, isDue: false });
    expect(await readSession(ctx, next)).toMatchObject({ id });
    await ctx.sql`update sessions set rotated_at = now() - interval '61 seconds' where id = ${id}`;
    expect(await readSession(ctx, token)).toBeNull();
    expect(await readSession(ctx, next)).toMatchObject({ id });
  });

  test('sessions are listed, ended one by one, and all others at once', async () => {
    const [person, other] = [await join(), await join()];
    const [one, two, three] = [await begin(person.id), await begin(person.id), await begin(person.id)];
    expect(await listSessions(ctx, person.id)).toHaveLength(3);
    expect((await listSessions(ctx, person.id))[0]).toMatchObject({ address: '198.51.100.1', browser: 'Firefox', method: 'password' });
    expect(await endSession(ctx, other.id, one.id)).toBe(false);
    expect(await endSession(ctx, person.id, one.id)).toBe(true);
    await ctx.sql.begin((tx) => endSessions(tx, person.id, bySystem('test'), two.id));
    expect([await readSession(ctx, one.token), await readSession(ctx, three.token)]).toEqual([null, null]);
    expect(await readSession(ctx, two.token)).not.toBeNull();
  });

  test('disabling a person ends their sessions at once', async () => {
    const { id } = await join();
    const { token } = await begin(id);
    await disablePerson(ctx, id);
    expect(await readSession(ctx, token)).toBeNull();
  });

  test('each session has a CSRF token of its own', async () => {
    const { id } = await join();
    const [one, two] = [await begin(id), await begin(id)];
    expect(isCsrfToken(ctx, one.id, csrfToken(ctx, one.id))).toBe(true);
    expect(isCsrfToken(ctx, one.id, csrfToken(ctx, two.id))).toBe(false);
    expect(isCsrfToken(ctx, one.id, '')).toBe(false);
  });
});

describe('secrets', () => {
  test('12 to 256 characters make a password, whatever they are, and none is changed or dropped', async () => {
    const accepts = (password: string) => passwordBody.safeParse({ password }).success;
    expect([11, 12, 64, 256, 257].map((length) => accepts('ọ'.repeat(length)))).toEqual([false, true, true, true, false]);
    for (const password of ['only small letters', '  spaces around  ', '0918 2736 4554', 'Ẹ́bùn 🙂🙂🙂🙂🙂🙂']) {
      expect(passwordBody.parse({ password })).toEqual({ password });
      expect(await passwords.flaw(password, 'ada@bank.test'), password).toBeNull();
    }
    const id = NOBODY;
    const stored = await passwords.seal(id, '  spaces around  ');
    expect(await passwords.matches(id, stored, '  spaces around  ')).toBe(true);
    for (const other of ['spaces around', '  Spaces around  ', '  spaces around '])
      expect(await passwords.matches(id, stored, other)).toBe(false);
  });

  test('a password is kept as argon2id at OWASP’s cost, encrypted', async () => {
    const stored = await passwords.seal(NOBODY, PASSWORD);
    expect(stored.includes('argon2')).toBe(false);
    expect(await ctx.cipher.open(stored, 'password', NOBODY)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('recovery codes are random, and only keyed hashes of them are kept', async () => {
    const person = await join();
    const codes = [...(await newRecoveryCodes(ctx, person.id)), ...(await newRecoveryCodes(ctx, person.id))];
    expect(new Set(codes.flatMap((code) => code.split('-'))).size).toBe(codes.length * 4);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    const kept = await ctx.sql<{ hash: Buffer }[]>`select hash from recovery_codes where person_id = ${person.id}`;
    const unkeyed = codes.map((code) => createHash('sha256').update(code.replaceAll('-', '')).digest('hex'));
    expect(kept.map(({ hash }) => hash.length)).toEqual(Array(10).fill(32));
    for (const { hash } of kept) expect(unkeyed).not.toContain(hash.toString('hex'));
  });

  test('secrets of authenticator apps are random and have 160 bits', async () => {
    const person = await join();
    const secrets = [await beginTotp(ctx, person.id, person.email), await beginTotp(ctx, person.id, person.email)].map(
      ({ secret }) => secret,
    );
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  test('tokens of sessions have 256 random bits; the database holds only their hashes, and no other token is accepted', async () => {
    const person = await join();
    const { token } = await openSession(ctx, { personId: person.id, method: 'password+totp' }, { address: '', browser: '' });
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const [kept] = await ctx.sql<{ row: string }[]>`select s::text as row from sessions s where person_id = ${person.id}`;
    expect(kept!.row).toContain(createHash('sha256').update(token).digest('hex'));
    expect(await readSession(ctx, token)).toMatchObject({ personId: person.id });
    const altered = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    expect(await readSession(ctx, altered)).toBeNull();
  });
});

describe('passwords that others have chosen', () => {
  const refused = async (password: string, theirs = passwords) => theirs.flaw(password, 'ada@bank.test');

  test('common ones are refused, repeated and dressed up as well; others are not', async () => {
    for (const password of ['123456789012', 'passwordpassword', 'Football2024!', 'qwertyqwerty', '!!iloveyou!!99', 'TRUSTNO1trustno1'])
      expect(await refused(password), password).toMatch(/most common/);
    for (const password of [
      '1234567890!!!!',
      '1234567890123',
      '0123456789012',
      '12345678901234',
      '9876543210987',
      '#5678901!!!!',
      '*#!@11111111',
      '$$147258369$$',
    ])
      expect(await refused(password), password).toMatch(/most common/);
    for (const password of [
      PASSWORD,
      'a long sentence only I know',
      'correct horse battery',
      'footballs at seven',
      '!!??##%%&&12345',
      '7305518264901',
      '123456789013',
    ])
      expect(await refused(password), password).toBeNull();
  });

  test('breached ones are found in the file, wherever they are in it, and nothing else is', async () => {
    const folder = mkdtempSync(`${tmpdir()}/confam-breached-`);
    const hash = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();
    const known = Array.from({ length: 501 }, (_, i) => `breached elsewhere ${i}`);
    const sorted = known.map(hash).sort();
    for (const [name, lines] of [
      ['crlf', `${sorted.map((one, i) => `${one}:${i ** 3}`).join('\r\n')}\r\n`],
      ['bare', sorted.join('\n')],
    ] as const) {
      const path = `${folder}/${name}`;
      writeFileSync(path, lines);
      const strict = openPasswords({ cipher: ctx.cipher, config: { ...ctx.config, CONFAM_BREACHED_PASSWORDS: path } });
      for (const password of known) expect(await refused(password, strict), password).toMatch(/breach/);
      for (let i = 0; i < 200; i++) expect(await refused(`known to nobody else ${i}`, strict)).toBeNull();
    }
    const gone = openPasswords({ cipher: ctx.cipher, config: { ...ctx.config, CONFAM_BREACHED_PASSWORDS: `${folder}/missing` } });
    await expect(refused(PASSWORD, gone)).rejects.toThrow('ENOENT');
    rmSync(folder, { recursive: true });
  });
});
