/** Requests of the client: addresses, headers of a key or a session, envelopes, errors, pages and events. It depends on nothing but `fetch`. */
import { Refused, Unreachable } from './errors.ts';
import { readEvents, type ServerEvent } from './events.ts';

/** A key of an app; or the session in the browser's cookie, with the app and the mode that it acts on. */
export type Caller = { key: string; app?: string } | { csrfToken: string | null; app?: string | null; mode?: 'test' | 'live' };

export interface TransportOptions {
  /** Where the service is, such as `https://confam.bank.example/`. */
  baseUrl: string;
  /** Asked at each request, since sessions and apps change. */
  caller: () => Caller;
  fetch?: typeof fetch;
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

export interface RequestOptions {
  /** Null, undefined and empty values are left out; lists are joined by commas. */
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  file?: { type: string; bytes: Blob } | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
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
  /** The whole answer of a request that succeeded, for files. */
  open(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** Every item of a list, page after page. */
  items<Item>(path: string, query?: Query): AsyncGenerator<Item>;
  /** Server-sent events until the service ends them; connects again after a loss, where it was. Ends with `signal`. */
  events(path: string, signal: AbortSignal, onState?: (isConnected: boolean) => void): AsyncGenerator<ServerEvent>;
  /** Address and headers of a request that something else sends, such as an upload with progress. */
  addressed(path: string, query?: Query): { url: string; headers: Record<string, string> };
}

/** How long `events` waits before it connects again, unless the service says otherwise. */
const RETRY_MS = 2_000;

export function openTransport({ baseUrl, caller, fetch: send = globalThis.fetch.bind(globalThis) }: TransportOptions): Transport {
  const addressed: Transport['addressed'] = (path, query = {}) => {
    const url = new URL(path.replace(/^\//, ''), baseUrl);
    for (const [name, value] of Object.entries(query)) {
      const text = Array.isArray(value) ? value.join(',') : value;
      if (text !== null && text !== undefined && text !== '') url.searchParams.set(name, String(text));
    }
    return { url: url.href, headers: headersOf(caller()) };
  };

  const open: Transport['open'] = async (method, path, { query, body, file, headers = {}, signal } = {}) => {
    const address = addressed(path, query);
    const response = await send(address.url, {
      method,
      headers: {
        ...address.headers,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(file && { 'Content-Type': file.type }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file.bytes }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw isAbort(error) ? error : new Unreachable(error);
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };

  const sendJson: Transport['send'] = async <Entity>(method: string, path: string, options?: RequestOptions): Promise<Entity> => {
    const response = await open(method, path, options);
    const { entity } = (await response.json().catch((error: unknown) => {
      throw isAbort(error) ? error : new Unreachable(error);
    })) as { entity: Entity };
    return entity;
  };

  return {
    send: sendJson,
    open,
    addressed,
    async *items<Item>(path: string, query: Query = {}) {
      for (let cursor: string | null = null; ; ) {
        const page: Page<Item> = await sendJson<Page<Item>>('GET', path, { query: { ...query, cursor } });
        yield* page.data;
        cursor = page.next_cursor;
        if (cursor === null) return;
      }
    },
    async *events(path, signal, onState = () => {}) {
      let lastId: string | null = null;
      let retryMs = RETRY_MS;
      while (!signal.aborted) {
        try {
          const response = await open('GET', path, { signal, headers: lastId === null ? {} : { 'Last-Event-ID': lastId } });
          // Everything was seen before.
          if (response.status === 204 || response.body === null) return;
          onState(true);
          for await (const event of readEvents(response.body)) {
            if (event.id !== null) lastId = event.id;
            if (event.retryMs !== null) retryMs = event.retryMs;
            if (event.data !== '') yield event;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error;
          if (error instanceof Refused && error.retryAfterSeconds !== null) retryMs = Math.max(retryMs, error.retryAfterSeconds * 1000);
          onState(false);
        }
        await pause(retryMs, signal);
      }
    },
  };
}

function headersOf(caller: Caller): Record<string, string> {
  if ('key' in caller) return { Authorization: caller.key, ...(caller.app && { AppId: caller.app }) };
  const { csrfToken, app, mode } = caller;
  return { ...(csrfToken && { 'X-CSRF-Token': csrfToken }), ...(app && { AppId: app, 'Confam-Mode': mode ?? 'test' }) };
}

async function refusalOf(response: Response): Promise<Refused> {
  const body: unknown = await response.json().catch(() => null);
  return new Refused(response.status, (body as Record<string, unknown> | null) ?? {}, response.headers.get('retry-after'));
}

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
