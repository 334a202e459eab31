/** The HTTP listener: binds, refuses what is not a valid request in the usual form, and finishes running requests before it closes. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server as Listener } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Config, ConfigError } from '../foundation/config.ts';
import { newId, showId } from '../foundation/ids.ts';
import { openAccepters } from './accepters.ts';
import type { Api } from './app.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Tls } from './tls.ts';

export interface HttpServer {
  port: number;
  /** Makes each turn of the event loop accept several connections. Throws if it cannot: they are still accepted one by one. */
  acceptFaster(): Promise<void>;
  /** Stops accepting, and resolves when the last answer is out or after `timeoutMs`, when the remaining connections are cut. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * Connections that may wait until the event loop takes them; the system may allow fewer (`net.core.somaxconn`). Beyond them a client gets no reply and tries again
 * after a second. One app that opens thousands at once filled Node's 511, and everybody's new connections took that second.
 */
const BACKLOG = 4_096;

const IDLE_LOOK_MS = 50;
const HEADERS_MS = 15_000;
const SLOW_HEADERS_LOOK_MS = 2_000;

/** Throws `ConfigError` if the address is not available; `setting` names the variable that the port comes from. With `tls` the port speaks HTTPS only. */
export async function listen(
  api: Pick<Api, 'fetch'> & Partial<Pick<Api, 'refuseEarly'>>,
  { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>,
  tls: Tls | null = null,
  setting: 'PORT' | 'CONFAM_OPERATIONS_PORT' = 'PORT',
): Promise<HttpServer> {
  const answer = getRequestListener(api.fetch, { errorHandler: refuseUnreadable });
  const server = open(tls, (incoming, outgoing) => {
    // HTTP/1.0 has no Host; a name is only needed to build a URL.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    if (!api.refuseEarly?.(incoming, outgoing)) void answer(incoming, outgoing);
  });
  // An upload may take long; the code that reads it disconnects one that stalls (api/http.ts).
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_MS;
  server.keepAliveTimeout = 65_000;
  server.on('clientError', refuseUnparsed);
  server.on('checkExpectation', refuseExpectation);
  server.listen({ port: PORT, host: HOST, backlog: BACKLOG });
  await listening(server).catch((error: NodeJS.ErrnoException) => {
    throw error.code && error.code in refusals ? new ConfigError(refusals[error.code]!(HOST, PORT, setting)) : error;
  });
  let opening: Promise<Listener[]> = Promise.resolve([]);
  return {
    port: (server.address() as AddressInfo).port,
    async acceptFaster() {
      opening = openAccepters(server);
      await opening;
    },
    async close(timeoutMs) {
      const accepters = await opening.catch(() => []);
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      // Repeatedly: a client that has been answered in the meantime keeps its connection open.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
      const closed = [server, ...accepters].map((one) => new Promise((resolve) => one.close(resolve)));
      server.closeIdleConnections();
      await Promise.all(closed);
      clearTimeout(cut);
      clearInterval(idle);
    },
  };
}

/** Node would refuse a missing Host with an empty body. */
const OPTIONS = { requireHostHeader: false, connectionsCheckingInterval: SLOW_HEADERS_LOOK_MS } as const;

function open(tls: Tls | null, handle: RequestListener): Server {
  if (tls === null) return createServer(OPTIONS, handle);
  const server = createTlsServer({ ...OPTIONS, ...tls.options }, handle);
  tls.follow(server);
  return server;
}

const refusals: Record<string, (host: string, port: number, setting: string) => string> = {
  EADDRINUSE: (host, port, setting) =>
    `${setting}: ${port} on ${host} is already in use; stop the process that listens there, or choose another port`,
  EACCES: (host, port, setting) => `${setting}: no permission to listen on ${port} of ${host}`,
  EADDRNOTAVAIL: (host) => `HOST: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `HOST: ${host} is not an address of this machine`,
};

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    if (server.listening) resolve();
    server.once('listening', resolve).once('error', reject);
  });

/** Requests that are refused before any route sees them: status, what is wrong with the request, and the rule. */
export const flaws = {
  overflow: ['431 Request Header Fields Too Large', 'has more than 16 KiB of query and headers', 'too_large'],
  timeout: ['408 Request Timeout', 'did not arrive in time: its headers may take 15 seconds', 'timeout'],
  expectation: ['417 Expectation Failed', 'expects something other than 100-continue', 'unknown_expectation'],
  address: ['400 Bad Request', 'has a path or a Host that cannot be read as a URL', 'malformed'],
  syntax: ['400 Bad Request', 'is not HTTP', 'malformed'],
} as const;
type Flaw = keyof typeof flaws;

function refusalOf(flaw: Flaw) {
  const [status, message, rule] = flaws[flaw];
  const requestId = showId('req', newId());
  const body = JSON.stringify({
    status: 'error',
    error: `The request ${message}`,
    code: 'invalid_request',
    details: [{ path: 'request', message, rule }],
    meta: { request_id: requestId },
  });
  const headers = {
    'Content-Type': 'application/json',
    'X-Request-Id': requestId,
    ...SECURITY_HEADERS,
    'Cache-Control': 'private, no-store',
  };
  return { status, body, headers };
}

/** Node parsed the request, but its target or Host is not a URL. Anything else is a bug. */
function refuseUnreadable(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const { status, body, headers } = refusalOf('address');
  return new Response(body, { status: Number.parseInt(status, 10), headers });
}

function refuseExpectation(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { status, body, headers } = refusalOf('expectation');
  // Its body was never requested, so whatever follows on this connection cannot be interpreted.
  outgoing.writeHead(Number.parseInt(status, 10), { ...headers, Connection: 'close' }).end(body);
}

const parserFlaws: Record<string, Flaw> = { HPE_HEADER_OVERFLOW: 'overflow', ERR_HTTP_REQUEST_TIMEOUT: 'timeout' };

/** For requests that Node could not parse. There is no response object, so the answer is written by hand. */
function refuseUnparsed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, body, headers } = refusalOf(parserFlaws[error.code ?? ''] ?? 'syntax');
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  socket.end(`HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
}
