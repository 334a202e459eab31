/** Who may sign in, for `commands/people.ts`. It acts as the operator, so it can invite administrators and let in somebody who has lost their second factor. */
import { byOperator, record } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type WorkingKey, workingKeysMadeBy } from '../access/keys.ts';
import { type AnyPerson, disablePerson, enablePerson, findAccount, readPeople } from '../access/people/accounts.ts';
import { consoleUrl, inviteAdministrator, inviteToApp, linkUrl, newSignInLink } from '../access/people/links.ts';
import { resetSecondFactors } from '../access/people/sign-in.ts';
import { type Role, roles } from '../access/roles.ts';
import { address } from '../contract/people.ts';
import { ConfigError } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { explain, withDatabase } from './database.ts';
import { json, plain } from './terminal/text.ts';
import { UsageError } from './usage-error.ts';

const PAGE = 500;

const byCli = byOperator('cli');

export interface InvitationOptions {
  app?: string;
  role?: string;
  administrator?: boolean;
}

export async function invite(email: string, options: InvitationOptions): Promise<void> {
  const send = invitation(email, options);
  await withDatabase(async (ctx) => {
    const { token } = await send(ctx).catch(explain);
    console.log(linkUrl(consoleUrl(ctx.config), 'invitation', token));
  });
}

/** Throws `UsageError` unless the options name an app and a role, or ask for an administrator. */
function invitation(email: string, { app, role, administrator }: InvitationOptions): (ctx: Context) => Promise<{ token: string }> {
  if (!address.safeParse(email).success) throw new UsageError('expected an e-mail address');
  if (administrator) {
    if (app !== undefined || role !== undefined) throw new UsageError('give either --administrator or --app and --role');
    return (ctx) => inviteAdministrator(ctx, email, byCli);
  }
  const appId = parseId('app', app ?? '');
  if (!appId) throw new UsageError('--app: expected an app id (app_…), or use --administrator');
  if (!roles.includes(role as Role)) throw new UsageError(`--role: expected ${roles.join(', ')}`);
  return (ctx) => inviteToApp(ctx, { email, appId, role: role as Role }, byCli);
}

export const listPeople = (options: { json?: boolean }): Promise<void> =>
  withDatabase(async (ctx) => {
    const people = await everybody(ctx);
    await ctx.sql.begin((tx) => record(tx, byCli, { appId: DEPLOYMENT, live: null, action: 'people.read', object: null }));
    if (options.json) console.log(json(people.map(shown), 2));
    else for (const person of people) console.log(plain(asLine(person)));
  });

/** Keys that they made go on working, so it names them. */
export const disable = (email: string): Promise<void> =>
  withPerson(email, async (ctx, id) => {
    await disablePerson(ctx, id, byCli);
    const keys = await workingKeysMadeBy(ctx, id);
    if (keys.length > 0) console.log(['Keys that they made and that still work:', ...keys.map(keyLine)].join('\n'));
  });

export const enable = (email: string): Promise<void> => withPerson(email, async (ctx, id) => void (await enablePerson(ctx, id, byCli)));

export const printSignInLink = (email: string): Promise<void> =>
  withPerson(email, async (ctx, id) => {
    console.log(linkUrl(consoleUrl(ctx.config), 'sign_in', await newSignInLink(ctx, id, byCli)));
  });

export const resetFactors = (email: string): Promise<void> =>
  withPerson(email, (ctx, id) => ctx.sql.begin((tx) => resetSecondFactors(tx, id, byCli)));

const withPerson = (email: string, act: (ctx: Context, id: string) => Promise<void>): Promise<void> =>
  withDatabase(async (ctx) => {
    const account = await findAccount(ctx, email);
    if (!account) throw new ConfigError('there is no such person');
    await act(ctx, account.id);
  });

async function everybody(ctx: Context): Promise<AnyPerson[]> {
  const people: AnyPerson[] = [];
  for (let before: AnyPerson | null = null; ; before = people.at(-1)!) {
    const page: AnyPerson[] = await readPeople(ctx, { before, limit: PAGE });
    people.push(...page);
    if (page.length < PAGE) return people;
  }
}

const shown = ({ id, email, name, administrator, disabledAt, hasSecondFactor, apps }: AnyPerson) => ({
  id: showId('per', id),
  email,
  name,
  administrator,
  disabled: disabledAt !== null,
  second_factor: hasSecondFactor,
  apps: apps.map((app) => ({ id: showId('app', app.id), role: app.role, accepted: app.acceptedAt !== null })),
});

function asLine(person: AnyPerson): string {
  const { email, administrator, disabled, second_factor, apps } = shown(person);
  const is = [...(administrator ? ['administrator'] : []), ...(disabled ? ['disabled'] : []), ...(second_factor ? ['second factor'] : [])];
  const may = apps.map(({ id, role, accepted }) => `${role} of ${id}${accepted ? '' : ' (invited)'}`);
  return [email, ...is, ...may].join(', ');
}

const keyLine = ({ id, kind, name, appId }: WorkingKey): string =>
  [showId('key', id), appId === null ? 'admin key' : `${kind} key of ${showId('app', appId)}`, ...(name === null ? [] : [name])].join(', ');
