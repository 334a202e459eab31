/**
 * The endpoint that `confam webhooks listen` follows: one for each service, app, mode and machine. It is disabled, so that nothing is sent to its address. It and its
 * secret are kept, so that a receiver can be set up with the secret once.
 */
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Refused } from '../../client/errors.ts';
import type { EndpointBody } from '../../client/webhooks.ts';
import type { Connection } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { type Chosen, configFolder, modeOf, writeSecretFile } from '../terminal/profiles.ts';

const listener = z.object({ endpoint: z.string(), secret: z.string() });
export type Listener = z.infer<typeof listener>;

const file = z.record(z.string(), listener);

const pathOfListeners = (): string => join(configFolder(), 'listeners.json');

/** Nobody can own a name under `.invalid` (RFC 2606). */
const addressHere = (): string => `https://listen.confam.invalid/${encodeURIComponent(hostname())}`;

const nameOf = ({ url, app, key }: Chosen): string => `${new URL(url).origin} ${app} ${modeOf(key)}`;

/** Null if nothing has listened here yet. */
export const knownListener = (chosen: Chosen): Listener | null => readListeners()[nameOf(chosen)] ?? null;

function readListeners(): Record<string, Listener> {
  if (!existsSync(pathOfListeners())) return {};
  try {
    return file.parse(JSON.parse(readFileSync(pathOfListeners(), 'utf8')));
  } catch {
    throw new CommandError(
      'usage',
      `${pathOfListeners()} is damaged.`,
      'Remove it: `confam webhooks listen` writes it anew, with another secret.',
    );
  }
}

/** The known one with these events, or a new one. */
export async function openListener({ client, chosen }: Connection, events: string[]): Promise<Listener> {
  const wanted = events as NonNullable<EndpointBody['events']>;
  const known = knownListener(chosen);
  if (known) {
    try {
      await client.webhooks.change(known.endpoint, { events: wanted });
      return known;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
  }
  const made = await client.webhooks.create({
    url: addressHere(),
    description: `confam webhooks listen on ${hostname()}`,
    events: wanted,
    disabled: true,
  });
  const opened = { endpoint: made.id, secret: made.secret! };
  writeSecretFile(pathOfListeners(), { ...readListeners(), [nameOf(chosen)]: opened });
  return opened;
}
