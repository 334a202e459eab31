/** The HTTP listener: binds, and on close answers what is under way before it lets go. */
import type { AddressInfo, Server } from 'node:net';
import { serve } from '@hono/node-server';
import type { Api } from './api/app.ts';
import { type Config, ConfigError } from './config.ts';
import { newId, showId } from './ids.ts';

export interface HttpServer {
  port: number;
  /** Stops accepting and resolves when the last answer is out, or after `timeoutMs`, which cuts the rest off. */
  close(timeoutMs: number): Promise<void>;
}

const IDLE_LOOK_MS = 50;

/** Throws `ConfigError` if the address cannot be had. */
export async function listen(api: Pick<Api, 'fetch'>, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<HttpServer> {
  const server = serve({ fetch: api.fetch, hostname: HOST, port: PORT }) as import('node:http').Server;
  // An upload may take long; what stalls is hung up on where it is read (api/http.ts).
  server.requestTimeout = 0;
  server.headersTimeout = 15_000;
  server.keepAliveTimeout = 65_000;
  server.on('clientError', refuseUnreadable);
  await listening(server).catch((error: NodeJS.ErrnoException) => {
    throw error.code && error.code in refusals ? new ConfigError(refusals[error.code]!(HOST, PORT)) : error;
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: (timeoutMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
        // Again and again: a connection that was answered meanwhile is kept open by its client.
        const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(idle);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

const refusals: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) => `PORT: ${port} on ${host} is already taken; stop what listens there, or choose another port`,
  EACCES: (host, port) => `PORT: no permission to listen on ${port} of ${host}`,
  EADDRNOTAVAIL: (host) => `HOST: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `HOST: ${host} is not an address of this machine`,
};

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    if (server.listening) resolve();
    server.once('listening', resolve).once('error', reject);
  });

/** What Node cannot even read as a request is refused in the same form as everything else. */
function refuseUnreadable(error: Error & { code?: string }, socket: import('node:stream').Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const requestId = showId('req', newId());
  const message = tooLarge ? 'has more than 16 KiB of query and headers' : 'is not HTTP';
  const body = JSON.stringify({
    status: 'error',
    error: `The request ${message}`,
    code: 'invalid_request',
    details: [{ path: 'request', message, rule: tooLarge ? 'too_large' : 'malformed' }],
    meta: { request_id: requestId },
  });
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
