/** The flags of `confam people …`. The commands work on a deployment's database (`../people.ts`). */
import type { Command } from 'commander';
import { roles } from '../../access/roles.ts';
import type { InvitationOptions } from '../people.ts';

const work = () => import('../people.ts');

export function addPeopleCommands(people: Command): void {
  people
    .command('invite')
    .description('print a one-time link that invites somebody to an app, or to administer the deployment')
    .argument('<email>')
    .option('--app <id>', 'app_…')
    .option('--role <role>', roles.join(', '))
    .option('--administrator', 'of the deployment, instead of an app')
    .action(async (email: string, options: InvitationOptions) => (await work()).invite(email, options));
  people
    .command('list')
    .description('show everybody who may sign in')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await work()).listPeople(options));
  people
    .command('disable')
    .description('refuse somebody at once; ends their sessions, and lists the keys that they made, which go on working')
    .argument('<email>')
    .action(async (email: string) => (await work()).disable(email));
  people
    .command('enable')
    .description('let somebody in again')
    .argument('<email>')
    .action(async (email: string) => (await work()).enable(email));
  people
    .command('sign-in-link')
    .description('print a link that signs in once, within 15 minutes, in place of the password')
    .argument('<email>')
    .action(async (email: string) => (await work()).printSignInLink(email));
  people
    .command('reset-second-factors')
    .description('for somebody who has lost them: removes authenticator app, passkeys and recovery codes')
    .argument('<email>')
    .action(async (email: string) => (await work()).resetFactors(email));
}
