/** A vendor as its documentation shows it: recorded shapes, served over real HTTP, and what its adapter must make of them. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FailureCode, Hints, RecordKind } from '../../src/checks/provider.ts';
import type { Adapter } from '../../src/providers/adapter.ts';

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string as it is. */
  body: unknown;
}

export interface Recorded {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined if there was none. */
  body: unknown;
}

export interface VendorCase {
  kind: RecordKind;
  tier: number;
  identifier: string;
  hints?: Hints;
  /** What must have been sent: method, path, and the query or body (without credentials, signatures and times). */
  sent: { method: string; path: string; query?: Record<string, string>; body?: unknown };
  reply: Reply;
  /** The whole record. */
  record: Record<string, unknown>;
  /** The vendor's transaction number. */
  reference?: string;
}

export interface PendingCase extends Omit<VendorCase, 'record' | 'reply'> {
  /** The answer to the question, and what the adapter stores of it. */
  reply: Reply;
  ticket: string;
  /** Answers to the polls: still pending, then the record. */
  stillPending: Reply;
  answered: Reply;
  record: Record<string, unknown>;
  /** A message that the vendor sends unasked about the vendor reference `ticket`. */
  message?: { headers: Record<string, string>; body: string };
}

export interface VendorFixture {
  /** Name of the suite, where a vendor has several. */
  name?: string;
  adapter: Adapter;
  credentials: Record<string, string>;
  options?: Record<string, unknown>;
  /** Expects the request to carry the credentials as the vendor requires. */
  authenticate(request: Recorded): void;
  /** The part of a body that is compared with `sent.body`: without credentials, signatures and times. */
  bare?(body: Record<string, unknown>): unknown;
  cases: VendorCase[];
  /** Answers to the first case's question, by the outcome they must have; several where the vendor has several. */
  notFound: Reply[];
  failures: Partial<Record<FailureCode, Reply[]>>;
  pending?: PendingCase[];
  /** The look-up of a question that timed out: its answer, and (null) the answer if the vendor never received it. */
  reconcile?: { answered: Reply; unknown: Reply };
}

export interface VendorServer {
  url: string;
  requests: Recorded[];
  /** Answers the next requests, in this order; `hang` never answers, `reset` cuts the connection. */
  script(...replies: (Reply | 'hang' | 'reset')[]): void;
  close(): Promise<void>;
}

export async function startVendor(): Promise<VendorServer> {
  const requests: Recorded[] = [];
  let replies: (Reply | 'hang' | 'reset')[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const url = new URL(request.url!, 'http://vendor');
      const body = text === '' ? undefined : JSON.parse(text);
      requests.push({
        method: request.method!,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body,
      });
      const reply = replies.shift() ?? { status: 599, body: 'nothing was scripted' };
      if (reply === 'hang') return;
      if (reply === 'reset') return void request.socket.resetAndDestroy();
      response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...next) => {
      replies = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
