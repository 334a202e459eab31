/** `confam webhooks history` and `resend`: what `listen` has received is kept in a file on this machine, and can be sent again with a new signature. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import { connect, type RemoteOptions, remote, wholeNumber } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { type Column, openOutput } from '../terminal/output.ts';
import { configFolder } from '../terminal/profiles.ts';
import { forward, forwardTarget } from './forward.ts';
import { knownListener } from './listener.ts';
import { shownAnswer } from './shown-answer.ts';

/** A message that `listen` received. */
export interface Heard {
  at: string;
  id: string;
  type: string;
  headers: Record<string, string>;
  body: string;
  forwardedTo: string | null;
  /** What the server there answered. */
  status: number | null;
}

const KEPT_MAX = 1_000;

const pathOfHistory = (): string => join(configFolder(), 'webhooks.jsonl');

function readHistory(): Heard[] {
  if (!existsSync(pathOfHistory())) return [];
  const lines = readFileSync(pathOfHistory(), 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Heard];
    } catch {
      // A line that was cut off when the process was killed.
      return [];
    }
  });
}

/** The newest messages stay; older ones are dropped when listening begins. */
export function openHistory(): { add(heard: Heard): void } {
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 });
  const kept = readHistory().slice(-KEPT_MAX);
  writeFileSync(pathOfHistory(), kept.map((heard) => `${JSON.stringify(heard)}\n`).join(''), { mode: 0o600 });
  return {
    add(heard) {
      try {
        appendFileSync(pathOfHistory(), `${JSON.stringify(heard)}\n`, { mode: 0o600 });
      } catch (error) {
        // A full disk does not say which file it was.
        throw Object.assign(error as Error, { path: pathOfHistory() });
      }
    },
  };
}

const columns: Column<Heard>[] = [
  { title: 'AT', of: ({ at }) => new Date(at).toLocaleString('sv') },
  { title: 'ID', of: ({ id }) => id },
  { title: 'TYPE', of: ({ type }) => type },
  { title: 'FORWARDED TO', of: ({ forwardedTo }) => forwardedTo ?? '' },
  { title: 'ANSWER', of: ({ forwardedTo, status }) => (forwardedTo === null ? '' : String(status ?? 'none')) },
];

export function addWebhookHistory(webhooks: Command): void {
  webhooks
    .command('history')
    .description('what `listen` has received on this machine, newest first')
    .option('--json', 'JSON for programs')
    .option('-L, --limit <number>', 'how many at most', wholeNumber, 30)
    .action(({ limit, ...options }: { limit: number; json?: boolean }) => {
      openOutput(options).list(readHistory().slice(-limit).reverse(), columns, 'Nothing received yet: run `confam webhooks listen`.');
    });
  remote(webhooks.command('resend').argument('<id>', 'evt_…'))
    .description('forward a message from the history again, with a new signature')
    .option('-f, --forward-to <url>', 'where to (default: where it went the first time)')
    .action(async (id: string, { forwardTo, ...options }: RemoteOptions & { forwardTo?: string }) => {
      const heard = readHistory().findLast((one) => one.id === id);
      if (!heard)
        throw new CommandError('notFound', `${id} is not in the history of this machine.`, '`confam webhooks history` shows what is.');
      const target = forwardTo === undefined ? heard.forwardedTo : forwardTarget(forwardTo);
      if (target === null)
        throw new CommandError('usage', 'It was not forwarded the first time.', 'Say where to: --forward-to http://localhost:3000/confam');
      const { chosen, out } = connect(options);
      const listener = knownListener(chosen);
      if (!listener)
        throw new CommandError('notFound', 'The secret that signs it is not on this machine.', 'Run `confam webhooks listen` first.');
      const forwarded = await forward(target, signedAnew(heard, listener.secret), heard.body);
      out.answer({ id, forwarded_to: target, ...forwarded }, () =>
        out.line(`${heard.type}  ${id}  ${target}  ${shownAnswer(out, forwarded)}`),
      );
      if (forwarded.status === null || forwarded.status >= 300) throw new CommandError('failed', 'The server did not accept it.');
    });
}

/** Receivers refuse old timestamps. The id stays: by it they recognize an event that they know. */
function signedAnew({ id, headers, body }: Heard, secret: string): Record<string, string> {
  const now = new Date();
  return {
    ...headers,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
}
