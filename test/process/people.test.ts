/** `confam people`: what the operator does about people without the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { byOperator } from '../../src/access/audit/append.ts';
import { createKey, revokeKey, UNRESTRICTED } from '../../src/access/keys.ts';
import { findAccount } from '../../src/access/people/accounts.ts';
import { openPasswords } from '../../src/access/people/passwords.ts';
import { redeemLink } from '../../src/access/people/sign-in.ts';
import { beginTotp } from '../../src/access/people/totp.ts';
import type { Context } from '../../src/foundation/context.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { PASSWORD, tokenIn } from '../setup/browser.ts';
import { useDatabase } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';

const database = useDatabase();
let ctx: Context;
let app: string;
beforeAll(async () => {
  ctx = database.openContext();
  app = showId('app', (await createApp(ctx, 'Bank')).id);
});
afterAll(() => ctx.close());

const people = (...args: string[]) => runConfam(['people', ...args], { ...database.environment, CONFAM_PUBLIC_URL: 'https://bank.test' });
const redeem = (link: string, password?: string) =>
  redeemLink(ctx, openPasswords(ctx), tokenIn(link.trim()), { password }, { network: '198.51.100.1', browser: null, session: null });

/** A key of the app and one of the deployment that work, and two that do not. */
async function makeKeys(personId: string): Promise<{ live: string; admin: string }> {
  const by = { ...byOperator('test'), actor: { kind: 'person' as const, id: showId('per', personId) } };
  const appId = parseId('app', app)!;
  const live = (await createKey(ctx, 'live', appId, { ...UNRESTRICTED, name: 'nightly' }, by))!;
  const admin = (await createKey(ctx, 'admin', null, UNRESTRICTED, by))!;
  const revoked = (await createKey(ctx, 'test', appId, UNRESTRICTED, by))!;
  await revokeKey(ctx, revoked.id, by);
  await createKey(ctx, 'test', appId, { ...UNRESTRICTED, expiresAt: new Date(Date.now() - 1000).toISOString() }, by);
  return { live: showId('key', live.id), admin: showId('key', admin.id) };
}

test('people are invited, listed, let in, disabled and reset', { timeout: 120_000 }, async () => {
  const invited = await people('invite', 'ada@bank.test', '--app', app, '--role', 'owner');
  expect(invited).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:\/\/bank\.test\/console\/invitation#\S+\n$/) });
  expect((await people('list')).stdout).toBe(`ada@bank.test, owner of ${app} (invited)\n`);
  await redeem(invited.stdout, PASSWORD);
  const administrator = await people('invite', 'ops@bank.test', '--administrator');
  await redeem(administrator.stdout, PASSWORD);
  expect((await people('list')).stdout).toBe(`ops@bank.test, administrator\nada@bank.test, owner of ${app}\n`);

  const account = (await findAccount(ctx, 'ada@bank.test'))!;
  await beginTotp(ctx, account.id, account.email);
  await ctx.sql`update people set totp = totp_pending where id = ${account.id}`;
  expect(JSON.parse((await people('list', '--json')).stdout)).toMatchObject([
    { email: 'ops@bank.test', administrator: true },
    { email: 'ada@bank.test', second_factor: true },
  ]);
  await people('reset-second-factors', 'ada@bank.test');
  expect(await redeem((await people('sign-in-link', 'Ada@bank.test')).stdout)).toMatchObject({ personId: account.id });

  const keys = await makeKeys(account.id);
  expect((await people('disable', 'ada@bank.test')).stdout).toBe(
    `Keys that they made and that still work:\n${keys.live}, live key of ${app}, nightly\n${keys.admin}, admin key\n`,
  );
  expect((await people('disable', 'ops@bank.test')).stdout).toBe('');
  await people('enable', 'ops@bank.test');
  expect((await people('list')).stdout).toContain('ada@bank.test, disabled');
  await people('enable', 'ada@bank.test');
  expect((await people('list')).stdout).not.toContain('disabled');
});

test('what cannot be done is one clear line', { timeout: 120_000 }, async () => {
  for (const [code, args, line] of [
    [2, ['invite', 'ada@bank.test', '--app', app, '--role', 'boss'], '--role: expected viewer, operator, approver, owner'],
    [2, ['invite', 'ada@bank.test', '--role', 'viewer'], '--app: expected an app id (app_…), or use --administrator'],
    [2, ['invite', 'ada@bank.test', '--administrator', '--app', app], 'give either --administrator or --app and --role'],
    [2, ['invite', 'ada', '--administrator'], 'expected an e-mail address'],
    [2, ['invite', 'ada\u001b[2J@bank.test', '--administrator'], 'expected an e-mail address'],
    [1, ['invite', 'new@bank.test', '--app', 'app_00000000000000000000000000000000', '--role', 'viewer'], 'There is no such app'],
    [1, ['disable', 'nobody@bank.test'], 'there is no such person'],
  ] as const) {
    expect(await people(...args)).toMatchObject({ code, stdout: '', stderr: `${line}\n` });
  }
});
