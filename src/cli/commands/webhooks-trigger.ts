/** `confam webhooks trigger`: causes a real event, by doing work in the sandbox that leads to it. */
import { Argument, type Command } from 'commander';
import { connect, type RemoteOptions, remote } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { modeOf } from '../terminal/profiles.ts';
import { causes, events } from './webhooks-causes.ts';

export function addWebhooksTrigger(command: Command): void {
  remote(command.addArgument(new Argument('<event>').choices(events)))
    .description('cause an event in the sandbox (test keys only)')
    .addHelpText(
      'after',
      `
The event goes to \`confam webhooks listen\`, and to the endpoints of the app that want it. The work costs play money. Some events need a setting of the
app; the command says which.

Example:
  $ confam webhooks trigger batch.completed`,
    )
    .action(async (event: string, options: RemoteOptions) => {
      const connection = connect(options);
      if (modeOf(connection.chosen.key) !== 'test')
        throw new CommandError(
          'denied',
          'Events are triggered with a test key only: a live key would ask about people.',
          'Choose another profile: --profile',
        );
      const caused = await causes[event as keyof typeof causes](connection.client, connection.out.note);
      connection.out.answer({ event, id: caused.id, status: caused.status }, () =>
        connection.out.line(`${event}: ${caused.id} is ${caused.status}.`),
      );
    });
}
