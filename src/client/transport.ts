/** Requests of the client: addresses, headers of a key or a session, envelopes, errors, pages and events. It depends on nothing but `fetch`. */
import { isOutage, type LogEntry, OUTAGE_PAUSE_MS, pause, untilAnswered } from './attempts.ts';
import { Refused } from './errors.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { unfitPart } from './paths.ts';

/** A key of an app; or the session in the browser's cookie, with the app and the mode that it acts on. */
export type Caller = { key: string; app?: string } | { csrfToken: string | null; app?: string | null; mode?: 'test' | 'live' };

export interface TransportOptions {
  /** Where the service is, such as `https://confam.bank.example`. */
  baseUrl: string;
  /** Called for each request, since sessions and apps change. */
  caller: () => Caller;
  fetch?: typeof fetch;
  /** How often a request is repeated after a temporary failure. If it is not 0, each POST carries an Idempotency-Key. Default 0. */
  retries?: number;
  /** How long an answer may take. Default: no limit. */
  timeoutMs?: number;
  /** Called for each attempt, never with a value. */
  log?: (entry: LogEntry) => void;
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** The parameters of a list; the service reads their values. */
export type ListQuery<Sent> = { [Name in keyof Sent]?: QueryValue };

/** A file's bytes. A stream can be sent once, a function's bytes as often as it is called. */
export type FileBytes = Blob | ReadableStream<Uint8Array> | (() => ReadableStream<Uint8Array>);

export interface RequestOptions {
  /** Null, undefined and empty values are left out; lists are joined by commas. */
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  file?: { type: string; bytes: FileBytes } | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
  /** Null: no limit. */
  timeoutMs?: number | null | undefined;
  retries?: number | undefined;
  /** For a GET that costs money: if its answer was lost it may have been charged, so it is not repeated. */
  isCharged?: boolean | undefined;
}

/** For requests that may be sent again: within 24 hours, the same request with the same key is carried out only once. */
export interface OwnKey {
  idempotencyKey?: string;
}

/** A page of a list. */
export interface Page<Item> {
  object: 'list';
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Transport {
  /** The `entity` of the answer. Throws `Refused` or `Unreachable`. */
  send<Entity>(method: string, path: string, options?: RequestOptions): Promise<Entity>;
  /** The whole answer of a request that succeeded, for files. Its body has no time limit. */
  open(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** The JSON of the answer. */
  read<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Every item of a list, page after page. */
  items<Item>(path: string, query?: Query, signal?: AbortSignal): AsyncGenerator<Item>;
  /**
   * Server-sent events until the service ends them. After a lost connection, or a refusal that passes, connects again and continues where it was. Ends with
   * `signal`. `onState` is not told of refusals: the service can be reached.
   */
  events(path: string, signal: AbortSignal, onState?: (isConnected: boolean) => void): AsyncGenerator<ServerEvent>;
  /** Address and headers of a request that something else sends, such as an upload with progress. Throws `Refused` like the service for what no id can be. */
  addressed(path: string, query?: Query): { url: string; headers: Record<string, string> };
}

export function openTransport(options: TransportOptions): Transport {
  const { caller, fetch: send = globalThis.fetch.bind(globalThis), retries: retriesMax = 0, timeoutMs: limitMs = null, log } = options;
  const baseUrl = options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`;

  const addressed: Transport['addressed'] = (path, query = {}) => {
    const unfit = unfitPart(path);
    if (unfit !== null) throw new Refused(404, { error: `"${unfit}" is not an id`, code: 'resource_not_found' }, null);
    const url = new URL(path.replace(/^\//, ''), baseUrl);
    for (const [name, value] of Object.entries(query)) {
      const text = Array.isArray(value) ? value.join(',') : value;
      if (text !== null && text !== undefined && text !== '') url.searchParams.set(name, String(text));
    }
    return { url: url.href, headers: headersOf(caller()) };
  };

  /** `read` is part of each attempt, within its time limit. */
  async function request<Answer>(
    method: string,
    path: string,
    { query, body, file, headers: own = {}, signal, timeoutMs = limitMs, retries = retriesMax, isCharged = false }: RequestOptions,
    read: (response: Response) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { url } = addressed(path, query);
    const keyed = method === 'POST' && retries > 0 ? { 'Idempotency-Key': newKey(), ...own } : own;
    // Built before the first attempt: a body or header that cannot be serialized is the caller's mistake, and retrying would not help.
    const text = body === undefined ? undefined : JSON.stringify(body);
    const type = text === undefined ? file?.type : 'application/json';
    const fixed = new Headers({ ...(type !== undefined && { 'Content-Type': type }), ...keyed });
    const once = async (signal: AbortSignal | undefined) => {
      const response = await send(url, {
        method,
        headers: { ...headersOf(caller()), ...Object.fromEntries(fixed) },
        ...(text !== undefined && { body: text }),
        ...(file && bodyOf(file.bytes)),
        ...(signal && { signal }),
        // Followed, a POST would become a GET, and the key would be lost on the way to another address.
        redirect: 'manual',
      });
      if (!response.ok) throw await refusalOf(response);
      return { answer: await read(response), status: response.status, requestId: response.headers.get('x-request-id') };
    };
    return untilAnswered(once, {
      retries,
      timeoutMs,
      isRepeatable: method === 'POST' ? 'Idempotency-Key' in keyed : method !== 'DELETE' && !isCharged,
      isReplayable: !file || file.bytes instanceof Blob || typeof file.bytes === 'function',
      signal,
      log: (entry) => log?.({ method, path: `/${path.replace(/^\//, '')}`, ...entry }),
    });
  }

  const readJson: Transport['read'] = <Answer>(method: string, path: string, options: RequestOptions = {}) =>
    request(method, path, options, (response) => response.json() as Promise<Answer>);
  const open: Transport['open'] = (method, path, options = {}) => request(method, path, options, (response) => response);
  const sendJson: Transport['send'] = async <Entity>(method: string, path: string, options?: RequestOptions) =>
    (await readJson<{ entity: Entity }>(method, path, options)).entity;

  return {
    send: sendJson,
    open,
    read: readJson,
    addressed,
    async *items<Item>(path: string, query: Query = {}, signal?: AbortSignal) {
      for (let cursor: string | null = null; ; ) {
        const page: Page<Item> = await sendJson<Page<Item>>('GET', path, { query: { ...query, cursor }, signal });
        yield* page.data;
        cursor = page.next_cursor;
        if (cursor === null) return;
      }
    },
    async *events(path, signal, onState = () => {}) {
      let lastId: string | null = null;
      let retryMs = OUTAGE_PAUSE_MS;
      while (!signal.aborted) {
        let askedMs = 0;
        try {
          const response = await open('GET', path, { signal, retries: 0, headers: lastId === null ? {} : { 'Last-Event-ID': lastId } });
          // All of these events were seen before.
          if (response.status === 204 || response.body === null) return;
          onState(true);
          for await (const event of readEvents(response.body)) {
            if (event.id !== null) lastId = event.id;
            if (event.retryMs !== null) retryMs = event.retryMs;
            if (event.data !== '') yield event;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (!isOutage(error)) throw error;
          if (error instanceof Refused) askedMs = (error.retryAfterSeconds ?? 0) * 1000;
          else onState(false);
        }
        await pause(Math.max(retryMs, askedMs), signal);
      }
    },
  };
}

function headersOf(caller: Caller): Record<string, string> {
  if ('key' in caller) return { Authorization: caller.key, ...(caller.app && { AppId: caller.app }) };
  const { csrfToken, app, mode } = caller;
  return { ...(csrfToken && { 'X-CSRF-Token': csrfToken }), ...(app && { AppId: app, 'Confam-Mode': mode ?? 'test' }) };
}

/** A stream is sent while it is read, which `fetch` requires us to declare. */
const bodyOf = (bytes: FileBytes): { body: Blob | ReadableStream<Uint8Array>; duplex?: 'half' } =>
  bytes instanceof Blob ? { body: bytes } : { body: typeof bytes === 'function' ? bytes() : bytes, duplex: 'half' };

/** The header of a caller's own key; otherwise the transport makes one if it repeats requests. */
export const keyOf = ({ idempotencyKey }: OwnKey): Record<string, string> =>
  idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };

/** `crypto.randomUUID` is missing on pages without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function refusalOf(response: Response): Promise<Refused> {
  const body: unknown = isRedirect(response) ? redirectBody(response) : await response.json().catch(() => null);
  return new Refused(response.status, (body as Record<string, unknown> | null) ?? {}, response.headers.get('retry-after'));
}

/** Browsers hide the status and the headers of a redirect. */
const isRedirect = ({ status, type }: Response): boolean => type === 'opaqueredirect' || (status >= 300 && status < 400);

/** Names the other address without its path and query, which may have personal data. */
function redirectBody({ headers }: Response): { error: string } {
  const location = headers.get('location') ?? '';
  const elsewhere = URL.canParse(location) ? ` (${new URL(location).origin})` : '';
  return { error: `The answer leads to another address${elsewhere}: is baseUrl right?` };
}

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
