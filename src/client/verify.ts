/**
 * Verifies webhooks (Standard Webhooks 1.0.0; docs/webhooks.md) on the receiver's side, with WebCrypto alone. It remembers nothing: a message may come twice,
 * with the same `webhook-id`.
 */
import type { EventType } from '../contract/webhooks.ts';

/** A message whose signature is right. New types and members may be added. */
export interface WebhookEvent {
  type: EventType | 'endpoint.test' | (string & {});
  /** When the event happened. */
  timestamp: string;
  data: Record<string, unknown>;
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the sender's clock and yours may differ, and how old a message may be. Default 300. */
  toleranceSeconds?: number;
}

export type WebhookFault =
  | 'body_is_not_bytes'
  | 'no_secret'
  | 'bad_secret'
  | 'missing_header'
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'bad_body';

/** The message cannot be trusted, or the call is wrong: answer 400 and do nothing. */
export class WebhookRefused extends Error {
  readonly code: WebhookFault;
  constructor(code: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookRefused';
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;
/** During a rotation there are two. Each costs a verification. */
const SIGNATURES_MAX = 8;
const WRONG = 'No signature fits this body and these secrets';

/**
 * `rawBody`: the bytes as received, before anything parsed them. `secret`: `whsec_…` of the endpoint (or of the app, for a `callback_url`), or `whpk_…` of an
 * endpoint with `v1a`; several while they are rotated. Throws `WebhookRefused`.
 */
async function verify(
  rawBody: Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const keys = await Promise.all(secretsOf(secret).map(readSecret));
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  refuseTime(timestamp!, toleranceSeconds);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  let fits = false;
  for (const signature of signatures!.split(' ').slice(0, SIGNATURES_MAX)) {
    const [version, text = ''] = signature.split(',') as [string, string?];
    const given = fromBase64(text);
    for (const { key, scheme, algorithm } of keys) {
      // `verify` compares in constant time. Each is tried, whether or not another one matched.
      if (scheme === version && given && (await crypto.subtle.verify(algorithm, key, given, signed))) fits = true;
    }
  }
  if (!fits) throw new WebhookRefused('wrong_signature', WRONG);
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookRefused('bad_body', 'The signature is right, but the body is no JSON');
  }
}

export const webhooks = { verify };

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const what = typeof body === 'string' ? 'text' : body === null || typeof body !== 'object' ? typeof body : 'a parsed object';
  throw new WebhookRefused(
    'body_is_not_bytes',
    `The body is ${what}; pass the bytes as they arrived (await request.arrayBuffer(), express.raw(), or the chunks of the request): the signature covers them, and JSON that is written again differs`,
  );
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = (Array.isArray(secret) ? secret : [secret]).filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length === 0) throw new WebhookRefused('no_secret', 'There is no secret to verify with: is its environment variable set?');
  return secrets;
}

interface Key {
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
  scheme: 'v1' | 'v1a';
  algorithm: 'HMAC' | 'Ed25519';
}

async function readSecret(secret: string): Promise<Key> {
  const isPublic = secret.startsWith('whpk_');
  const bytes = fromBase64(secret.replace(/^wh(?:sec|pk)_/, ''));
  if (!bytes || bytes.length < 24 || (isPublic && bytes.length !== 32)) {
    throw new WebhookRefused('bad_secret', 'A secret is not of the form whsec_… or whpk_…, as Confam shows it');
  }
  return isPublic
    ? { key: await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']), scheme: 'v1a', algorithm: 'Ed25519' }
    : {
        key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']),
        scheme: 'v1',
        algorithm: 'HMAC',
      };
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found = headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(found) ? found.join(' ') : found;
  if (typeof text !== 'string' || text === '') throw new WebhookRefused('missing_header', `The header ${name} is missing`);
  return text;
}

function refuseTime(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('bad_timestamp', 'webhook-timestamp is not a number of seconds');
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (ageSeconds > toleranceSeconds) throw new WebhookRefused('too_old', `The message is more than ${toleranceSeconds} s old`);
  if (-ageSeconds > toleranceSeconds) throw new WebhookRefused('too_new', `The message is from more than ${toleranceSeconds} s ahead`);
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

/** Null if it is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
