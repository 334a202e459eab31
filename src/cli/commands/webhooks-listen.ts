/** `confam webhooks listen`: prints the events of the app as they happen and passes them on to a server on this machine, which needs no public address. */
import type { Command } from 'commander';
import { at } from '../../client/paths.ts';
import { WebhookRefused, webhooks } from '../../client/verify.ts';
import { connect, listed, type RemoteOptions, remote, untilInterrupted } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import type { Output } from '../terminal/output.ts';
import { json, plain } from '../terminal/text.ts';
import { type Forwarded, forward, forwardTarget } from './forward.ts';
import { openListener } from './listener.ts';
import { shownAnswer } from './shown-answer.ts';
import { type Heard, openHistory } from './webhooks-history.ts';

interface ListenOptions extends RemoteOptions {
  forwardTo?: string;
  events: string[];
}

/** A reconnection may bring the events of some seconds again. */
const REMEMBERED_MAX = 10_000;

export function addWebhooksListen(command: Command): void {
  remote(command)
    .description('receive the events of the app on this machine')
    .option('-f, --forward-to <url>', 'post each message there, as it is')
    .option('-e, --events <list>', 'only these types (default: all but batch.progress and review.opened)', listed, [])
    .addHelpText(
      'after',
      `
Messages are signed like any webhook, with the secret that is printed: it stays the same from run to run, so that a receiver can verify them.
Events that happen while nobody listens are not shown later; \`confam webhooks resend\` sends again what was received.

Examples:
  $ confam webhooks listen
  $ confam webhooks listen --forward-to http://localhost:3000/confam --events batch.completed,batch.failed
  $ confam webhooks listen --json | jq .data`,
    )
    .action(listen);
}

async function listen(options: ListenOptions): Promise<void> {
  const target = options.forwardTo === undefined ? null : forwardTarget(options.forwardTo);
  const connection = connect(options);
  const { client, chosen, out } = connection;
  const { endpoint, secret } = await openListener(connection, options.events);
  const history = openHistory();
  const stop = untilInterrupted();
  const seen = new Set<string>();
  let isConnected: boolean | null = null;
  const onState = (now: boolean) => {
    if (now === isConnected) return;
    if (!now) out.note('The connection is lost. Trying again …');
    else
      out.note(
        isConnected === null ? `Listening at ${chosen.url} for ${chosen.app}. Signing secret: ${secret}\nCtrl-C ends.` : 'Listening again.',
      );
    isConnected = now;
  };
  for await (const { data } of client.transport.events(at('api/v1/webhooks/endpoints', endpoint, 'events'), stop.signal, onState)) {
    const { headers, body } = JSON.parse(data) as Pick<Heard, 'headers' | 'body'>;
    const id = headers['webhook-id']!;
    if (seen.has(id)) continue;
    if (seen.size === REMEMBERED_MAX) seen.delete(seen.values().next().value!);
    seen.add(id);
    const type = await typeOf(secret, headers, body);
    if (type === null) {
      out.note(`${id}: the signature or the time of the message is wrong; it is left out.`);
      continue;
    }
    const forwarded = target === null ? null : await forward(target, headers, body);
    const heard = { at: new Date().toISOString(), id, type, headers, body, forwardedTo: target, status: forwarded?.status ?? null };
    history.add(heard);
    tell(out, heard, forwarded);
  }
  if (!stop.signal.aborted)
    throw new CommandError(
      'notFound',
      'The endpoint was deleted: there is nothing to listen to.',
      'Run the command again to make another.',
    );
}

/** Null: the message cannot be trusted. */
async function typeOf(secret: string, headers: Record<string, string>, body: string): Promise<string | null> {
  try {
    return (await webhooks.verify(Buffer.from(body), headers, secret)).type;
  } catch (error) {
    if (error instanceof WebhookRefused) return null;
    throw error;
  }
}

function tell(out: Output, { id, type, body }: Heard, forwarded: Forwarded | null): void {
  // One line a message, for programs that read as they come.
  if (out.isJson) return void process.stdout.write(`${json({ id, ...JSON.parse(body), ...(forwarded && { forwarded }) })}\n`);
  const about = plain(String((JSON.parse(body) as { data: { id?: string } }).data.id ?? ''));
  const time = out.paint('soft', new Date().toLocaleTimeString('sv'));
  out.line(
    [
      time,
      out.paint('strong', type.padEnd(18)),
      about.padEnd(36),
      out.paint('soft', id),
      ...(forwarded ? [shownAnswer(out, forwarded)] : []),
    ].join('  '),
  );
}
