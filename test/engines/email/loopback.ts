/** A test's servers on 127.0.0.1, and invented addresses. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Address } from '../../../src/engines/email/email.ts';

/** On a free port, or on `port`; connections are cut at the end. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A scripted mail host: its greeting, and its answer to each line (null: none). Records what it was sent. */
export async function scriptedHost(
  greeting: string,
  answer: (line: string, socket: Socket) => string | null,
): Promise<{ port: number; told: string[] }> {
  const told: string[] = [];
  const server = createServer((socket) => {
    socket.write(greeting);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        told.push(line);
        const reply = answer(line, socket);
        if (reply !== null && !socket.destroyed) socket.write(reply);
      }
    });
  });
  return { port: await listen(server), told };
}

export function address(text: string): Address {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1).toLowerCase()];
  const mailbox = `${local.split('+')[0]!.toLowerCase()}@${domain}`;
  return {
    given: text,
    local,
    domain,
    unicodeDomain: domain,
    registrable: domain,
    suffix: domain.split('.').at(-1)!,
    mailbox,
    tag: local.split('+')[1] ?? null,
  };
}
