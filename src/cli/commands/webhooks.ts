/** `confam webhooks …`: the group; each command is in a file of its own. */
import type { Command } from 'commander';
import { addWebhookHistory } from './webhooks-history.ts';
import { addWebhooksListen } from './webhooks-listen.ts';
import { addWebhooksTrigger } from './webhooks-trigger.ts';

export function addWebhooksCommands(webhooks: Command): void {
  addWebhooksListen(webhooks.command('listen'));
  addWebhooksTrigger(webhooks.command('trigger'));
  addWebhookHistory(webhooks);
  webhooks.addHelpText(
    'after',
    `
Examples:
  $ confam webhooks listen --forward-to http://localhost:3000/confam      in one terminal
  $ confam webhooks trigger batch.completed                               in another
  $ confam webhooks resend evt_…`,
  );
}
