/**
 * HTTP to a vendor: a connection pool of its own, with time-outs, a bound on the size of answers and verified TLS, and with a client certificate and a proxy
 * if the operator configured them. Transport errors become typed failures here, once for all adapters; what an answer means is up to the adapter.
 */
import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, errors, ProxyAgent } from 'undici';
import { type FailureCode, ProviderFailure, type Receipt } from '../checks/provider.ts';
import { parseRetryAfter } from '../net/retry-after.ts';

export interface VendorHttpOptions {
  baseUrl: string;
  timeoutMs: number;
  connectTimeoutMs: number;
  responseBytesMax: number;
  inFlightMax: number;
  /** PEM. `ca` replaces the system's authorities; `cert` and `key` are the client's. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };
  proxy?: string | undefined;
}

export interface VendorRequest {
  method: 'GET' | 'POST';
  /** Relative to the base address. */
  path: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  signal: AbortSignal;
}

export interface VendorResponse {
  status: number;
  header(name: string): string | undefined;
  /** Parsed; undefined if the answer is empty or not JSON. */
  body: unknown;
  answerHash: Buffer;
}

export interface VendorHttp {
  /** Returns any HTTP status below 500 except 429. Throws `ProviderFailure`: `down`, `timeout`, `rate_limited`. */
  request(request: VendorRequest): Promise<VendorResponse>;
  close(): Promise<void>;
}

/** Shorter than the 5 s after which a Node server closes idle connections: a request must not meet one that is being closed. */
const KEEP_ALIVE_MS = 4_000;
/** If a vendor asks for a longer pause than this, we ask again anyway. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Values in one answer. The largest companies have a few thousand; checking a million would block this process for seconds. */
const VALUES_MAX = 50_000;
/** The User-Agent, which some vendors' firewalls require. */
const AGENT = 'confam';

export function openVendorHttp({ baseUrl, proxy, tls = {}, ...limits }: VendorHttpOptions): VendorHttp {
  const connect = { timeout: limits.connectTimeoutMs, ca: tls.ca, cert: tls.cert, key: tls.key };
  const options = {
    connections: limits.inFlightMax,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: limits.timeoutMs,
    bodyTimeout: limits.timeoutMs,
    maxResponseSize: limits.responseBytesMax,
  };
  const dispatcher: Dispatcher = proxy
    ? new ProxyAgent({ uri: proxy, requestTls: connect, ...options })
    : new Agent({ connect, ...options });
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');

  return {
    async request({ method, path, query = {}, headers = {}, json, signal }) {
      const parameters = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined));
      const text = parameters.size > 0 ? `?${parameters}` : '';
      try {
        const response = await dispatcher.request({
          origin: base.origin,
          path: `${prefix}${path}${text}`,
          method,
          headers: {
            accept: 'application/json',
            'user-agent': AGENT,
            ...(json !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          body: json === undefined ? null : JSON.stringify(json),
          signal,
        });
        const bytes = Buffer.from(await response.body.arrayBuffer());
        const header = (name: string) => {
          const value = response.headers[name];
          return Array.isArray(value) ? value[0] : value;
        };
        const answer = { status: response.statusCode, header, body: parse(bytes), answerHash: sha256(bytes) };
        refuseTransient(answer);
        return answer;
      } catch (error) {
        throw error instanceof ProviderFailure ? error : new ProviderFailure(codeOf(error, signal), { detail: nameOf(error) });
      }
    },
    close: () => dispatcher.destroy(),
  };
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** One word: anything longer may be a sentence about the subject, and receipts are not encrypted. */
const CODE = /^[\w.:-]{1,40}$/;
/** One word with a digit. Sentences, addresses of any kind and JSON may quote the question or the record, and a word without a digit may be a name. */
const REFERENCE = /^(?=.*\d)[^\s\p{C}?&="'<>{}@]+$/u;
/** A Nigerian number of a mobile phone, by itself or between other parts. */
const PHONE = /(?<![a-z\d])(?:0|234)[789][01]\d{8}(?![a-z\d])/i;
const REFERENCE_MAX = 200;

/** The receipt of an answer. `code` and `reference` are the vendor's own. Anything that does not look like one is left out, and so are characters that Postgres refuses. */
export const receiptOf = (response: VendorResponse, code?: string | number | null, reference?: string | null): Receipt => ({
  status: [response.status, ...(CODE.test(String(code ?? '')) ? [code] : [])].join(' '),
  reference: referenceIn(reference ?? ''),
  answerHash: response.answerHash,
});

function referenceIn(text: string): string | null {
  const word = text.replace(/\p{Cc}/gu, '');
  return REFERENCE.test(word) && !PHONE.test(word) ? word.slice(0, REFERENCE_MAX) : null;
}

/** An answer that is not UTF-8 is not JSON: with replacement characters, a damaged name would be charged and cached. A byte order mark is skipped. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Without recursion: an answer may be nested a million levels deep. */
function hasTooManyValues(body: unknown): boolean {
  let count = 0;
  const open = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    count += inner.length;
    if (count > VALUES_MAX) return true;
    for (const one of inner) open.push(one);
  }
  return false;
}

/** Statuses that mean the same for every vendor. A 2xx that is not JSON comes from something in between: a proxy's page or a truncated answer. */
function refuseTransient(response: VendorResponse): void {
  const receipt = receiptOf(response);
  const asked = parseRetryAfter(response.header('retry-after'));
  const retryAfterMs = asked === null ? undefined : Math.min(asked, RETRY_AFTER_MS_MAX);
  if (response.status === 429) throw new ProviderFailure('rate_limited', { retryAfterMs, receipt });
  if (response.status >= 500) throw new ProviderFailure('down', { retryAfterMs, receipt });
  if (response.status >= 300 && response.status < 400) throw new ProviderFailure('down', { receipt, detail: 'redirect' });
  if (response.status < 300 && response.body === undefined) throw new ProviderFailure('down', { receipt, detail: 'not JSON' });
  if (hasTooManyValues(response.body)) throw new ProviderFailure('down', { receipt, detail: TOO_LARGE });
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** A connection that could not be made in time is `down`: nothing was sent, so there is nothing to reconcile. */
function codeOf(error: unknown, signal: AbortSignal): FailureCode {
  if (signal.aborted || TIMEOUTS.has((error as { code?: string }).code ?? '')) return 'timeout';
  return 'down';
}

const TOO_LARGE = 'answer too large';
const nameOf = (error: unknown): string =>
  error instanceof errors.ResponseExceededMaxSizeError ? TOO_LARGE : ((error as { code?: string }).code ?? 'connection');
