/** `confam people …`: who may sign in. It acts as the operator, so it can invite administrators and let in somebody who has lost their second factor. */
import type { Command } from 'commander';
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

export function addPeopleCommands(people: Command): void {
  people
    .command('invite')
    .description('print a one-time link that invites somebody to an app, or to administer the deployment')
    .argument('<email>')
    .option('--app <id>', 'app_…')
    .option('--role <role>', roles.join(', '))
    .option('--administrator', 'of the deployment, instead of an app')
    .action((email: string, options: { app?: string; role?: string; administrator?: boolean }) =>
      withDatabase(async (ctx) => {
        const { token } = await invite(ctx, email, options).catch(explain);
        console.log(linkUrl(consoleUrl(ctx.config), 'invitation', token));
      }),
    );
  people
    .command('list')
    .description('show everybody who may sign in')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) =>
      withDatabase(async (ctx) => {
        const people = await everybody(ctx);
        await ctx.sql.begin((tx) => record(tx, byCli, { appId: DEPLOYMENT, live: null, action: 'people.read', object: null }));
        if (options.json) console.log(json(people.map(shown), 2));
        else for (const person of people) console.log(plain(asLine(person)));
      }),
    );
  const acts = (name: string, description: string, act: (ctx: Context, id: string) => Promise<void>) =>
    people
      .command(name)
      .description(description)
      .argument('<email>')
      .action((email: string) =>
        withDatabase(async (ctx) => {
          const account = await findAccount(ctx, email);
          if (!account) throw new ConfigError('there is no such person');
          await act(ctx, account.id);
        }),
      );
  acts(
    'disable',
    'refuse somebody at once; ends their sessions, and lists the keys that they made, which go on working',
    async (ctx, id) => {
      await disablePerson(ctx, id, byCli);
      const keys = await workingKeysMadeBy(ctx, id);
      if (keys.length > 0) console.log(['Keys that they made and that still work:', ...keys.map(keyLine)].join('\n'));
    },
  );
  acts('enable', 'let somebody in again', async (ctx, id) => void (await enablePerson(ctx, id, byCli)));
  acts('sign-in-link', 'print a link that signs in once, within 15 minutes, in place of the password', async (ctx, id) => {
    console.log(linkUrl(consoleUrl(ctx.config), 'sign_in', await newSignInLink(ctx, id, byCli)));
  });
  acts('reset-second-factors', 'for somebody who has lost them: removes authenticator app, passkeys and recovery codes', (ctx, id) =>
    ctx.sql.begin((tx) => resetSecondFactors(tx, id, byCli)),
  );
}

async function everybody(ctx: Context): Promise<AnyPerson[]> {
  const people: AnyPerson[] = [];
  for (let before: AnyPerson | null = null; ; before = people.at(-1)!) {
    const page: AnyPerson[] = await readPeople(ctx, { before, limit: PAGE });
    people.push(...page);
    if (page.length < PAGE) return people;
  }
}

async function invite(ctx: Context, email: string, { app, role, administrator }: { app?: string; role?: string; administrator?: boolean }) {
  if (!address.safeParse(email).success) throw new UsageError('expected an e-mail address');
  if (administrator) {
    if (app !== undefined || role !== undefined) throw new UsageError('give either --administrator or --app and --role');
    return inviteAdministrator(ctx, email, byCli);
  }
  const appId = parseId('app', app ?? '');
  if (!appId) throw new UsageError('--app: expected an app id (app_…), or use --administrator');
  if (!roles.includes(role as Role)) throw new UsageError(`--role: expected ${roles.join(', ')}`);
  return inviteToApp(ctx, { email, appId, role: role as Role }, byCli);
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
