/** The flags of `confam apps …`. The commands work on a deployment's database (`../apps.ts`). */
import type { Command } from 'commander';
import type { DeletionOptions } from '../apps.ts';
import { appId } from './operands.ts';

const work = () => import('../apps.ts');

export function addAppsCommands(apps: Command): void {
  apps
    .command('create')
    .description('make an app; prints its id and the secret of its webhooks')
    .argument('<name>')
    .action(async (name: string) => (await work()).makeApp(name));
  apps
    .command('topup')
    .description('record a payment; with CONFAM_APPROVALS=top_up it waits for a second administrator')
    .argument('<app>', 'app_…', appId)
    .argument('<naira>', 'amount')
    .option('--test', 'play money')
    .action(async (app: string, naira: string, options: { test?: boolean }) => (await work()).recordPayment(app, naira, options));
  addOffboarding(apps);
}

/** An app that leaves: suspend, export, delete. docs/privacy.md gives the order. */
function addOffboarding(apps: Command): void {
  apps
    .command('suspend')
    .description('refuse the requests of an app, and stop its work and webhooks')
    .argument('<app>', 'app_…', appId)
    .action(async (app: string) => (await work()).suspend(app));
  apps
    .command('resume')
    .description('let a suspended app go on')
    .argument('<app>', 'app_…', appId)
    .action(async (app: string) => (await work()).resume(app));
  apps
    .command('export')
    .description('write everything that a suspended app holds, in clear, as JSON Lines')
    .argument('<app>', 'app_…', appId)
    .argument('<file>', 'the file to write, which must not exist')
    .action(async (app: string, path: string) => (await work()).exportTo(app, path));
  apps
    .command('delete')
    .description('delete a suspended app with all its data; with CONFAM_APPROVALS=app_deletion it waits for a second administrator')
    .argument('<app>', 'app_…', appId)
    .option('--refunded', 'what the live wallet had was paid back')
    .option('--written-off', 'what the live wallet had is written off')
    .option('--cancel-work', 'cancel batches and jobs that have not ended')
    .option('--yes', 'do it')
    .action(async (app: string, options: DeletionOptions) => (await work()).remove(app, options));
  apps
    .command('certificate')
    .description('print the signed certificate of the deletion of an app')
    .argument('<app>', 'app_…', appId)
    .action(async (app: string) => (await work()).printCertificate(app));
}
