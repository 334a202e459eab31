/**
 * Sends a file to the service piece by piece, at the pace of the network. Node's own `http` and not `fetch`: an answer that comes before the end of the file, such
 * as a wrong column, must be heard, and a slow line must not run into a time limit.
 */
import { createReadStream } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused, Unreachable } from '../../client/errors.ts';
import type { Query, Transport } from '../../client/transport.ts';
import { CommandError } from './exits.ts';
import type { LocalFile } from './files.ts';

export interface SendOptions {
  /** Only the beginning of the file. */
  bytesMax?: number;
  /** Lets a request be repeated after a lost connection without creating a second batch. */
  idempotencyKey?: string;
  onSent?(bytes: number): void;
  signal?: AbortSignal;
}

const TRIES = 4;
const FIRST_WAIT_MS = 1_000;
const WAIT_MAX_MS = 30_000;
const PIECE_BYTES = 128 * 1024;

/** The `entity` of the answer. Throws `Refused` and `Unreachable`. Sends again if that may help, with an idempotency key if the request changes something. */
export async function sendFile<Entity>(
  transport: Pick<Transport, 'addressed'>,
  path: string,
  query: Query,
  file: LocalFile,
  options: SendOptions = {},
): Promise<Entity> {
  for (let tried = 1; ; tried++) {
    try {
      return await sendOnce<Entity>(transport.addressed(path, query), file, options);
    } catch (error) {
      const waitMs = tried < TRIES ? waitBefore(error, tried) : null;
      if (waitMs === null || options.signal?.aborted) throw error;
      await sleep(waitMs, undefined, { signal: options.signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** Null: trying again would not help. */
function waitBefore(error: unknown, tried: number): number | null {
  const backoff = FIRST_WAIT_MS * 2 ** (tried - 1) * (0.5 + Math.random() / 2);
  // A connection refused at once usually means a wrong address.
  if (error instanceof Unreachable)
    return /ECONNREFUSED|ENOTFOUND/.test((error.cause as NodeJS.ErrnoException).code ?? '') ? null : backoff;
  if (
    !(error instanceof Refused) ||
    !['overloaded', 'unavailable', 'too_many_in_progress', 'rate_limited', 'idempotency_in_progress'].includes(error.code)
  )
    return null;
  return Math.min(WAIT_MAX_MS, (error.retryAfterSeconds ?? 0) * 1000 || backoff);
}

function sendOnce<Entity>(
  { url, headers }: { url: string; headers: Record<string, string> },
  file: LocalFile,
  { bytesMax = Number.POSITIVE_INFINITY, idempotencyKey, onSent, signal }: SendOptions,
): Promise<Entity> {
  const size = Math.min(file.size, bytesMax);
  return new Promise((resolve, reject) => {
    const source = createReadStream(file.path, { end: size - 1, highWaterMark: PIECE_BYTES });
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': file.type,
        'Content-Length': size,
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(signal && { signal }),
    });
    let sent = 0;
    source.on('data', (piece) => {
      sent += piece.length;
      onSent?.(sent);
    });
    source.on('end', () => {
      if (sent < size) request.destroy(new CommandError('usage', `${file.name} became shorter while it was sent; nothing was submitted.`));
    });
    source.on('error', (error) => request.destroy(error));
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      entityOf<Entity>(response)
        .then(resolve, reject)
        .finally(() => {
          source.destroy();
          request.destroy();
        });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      source.destroy();
      if (isAnswered) return;
      if (signal?.aborted) reject(signal.reason);
      else reject(error instanceof CommandError || error.path !== undefined ? error : new Unreachable(error));
    });
    source.pipe(request);
  });
}

async function entityOf<Entity>(response: IncomingMessage): Promise<Entity> {
  const status = response.statusCode!;
  let text = '';
  try {
    for await (const piece of response.setEncoding('utf8')) text += piece as string;
  } catch (error) {
    // A refusal that is cut off is still a refusal.
    if (status < 400) throw new Unreachable(error);
  }
  const body = parse(text);
  if (status >= 400 || body === null) throw new Refused(status, body ?? {}, response.headers['retry-after'] ?? null);
  return body.entity as Entity;
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
