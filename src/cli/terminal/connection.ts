/** What every command that talks to the service has in common: its flags, and the client and output that they lead to. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Client, openClient } from '../../client/client.ts';
import { exits } from './exits.ts';
import { COMMON_OPTIONS } from './help.ts';
import { type Output, openOutput } from './output.ts';
import { type Chosen, chooseProfile } from './profiles.ts';
import { duration } from './text.ts';

export interface RemoteOptions {
  json?: boolean;
  profile?: string;
}

export interface Connection {
  client: Client;
  chosen: Chosen;
  out: Output;
}

/** Adds `--json` and `--profile`. */
export const remote = (command: Command): Command =>
  command
    .addOption(new Option('--json', 'JSON for programs').helpGroup(COMMON_OPTIONS))
    .addOption(new Option('--profile <name>', 'whose key to use (`confam login`)').helpGroup(COMMON_OPTIONS));

/** After the first attempt. */
const RETRIES = 2;
/** Time allowed until an answer begins. Files and streams may then take any time. */
const TIMEOUT_MS = 60_000;
/** Shorter pauses go unnoticed. */
const SHOWN_MS = 1_000;

export function connect(options: RemoteOptions): Connection {
  const out = openOutput(options);
  const chosen = chooseProfile(options.profile);
  const { url, key, app } = chosen;
  const client = openClient({
    baseUrl: url,
    caller: () => ({ key, app }),
    retries: RETRIES,
    timeoutMs: TIMEOUT_MS,
    log: ({ retryInMs }) => {
      if (retryInMs !== null && retryInMs > SHOWN_MS) out.note(`The service is busy. Trying again in ${duration(retryInMs / 1000)} …`);
    },
  });
  return { client, chosen, out };
}

/** The first `limit` items of a list. */
export async function take<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === limit) break;
  }
  return taken;
}

const LIMIT_DEFAULT = 30;
const PAGE_MAX = 100;

export interface ListOptions extends RemoteOptions {
  limit: number;
}

/** Adds `--limit` as well. */
export const listing = (command: Command): Command =>
  remote(command).option('-L, --limit <number>', 'how many at most, newest first', wholeNumber, LIMIT_DEFAULT);

/** Items a page for a list of at most `limit`. */
export const pageSize = ({ limit }: ListOptions): number => Math.min(limit, PAGE_MAX);

function wholeFrom(text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) throw new InvalidArgumentError(`Expected a whole number, ${least} or more.`);
  return Number(text);
}

export const wholeNumber = (text: string): number => wholeFrom(text, 1);
export const seconds = (text: string): number => wholeFrom(text, 0);

/** `a,b`, and several times. */
export const listed = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean),
];

/** Clean-up after Ctrl-C may take this long. */
const LEAVE_MS = 3_000;

/** Aborted by Ctrl-C; the second one ends the process at once. */
export function untilInterrupted(): AbortController {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    controller.abort();
    setTimeout(() => process.exit(exits.interrupted.code), LEAVE_MS).unref();
  });
  return controller;
}
