/** A crowd that connects at once does not keep anybody's new connection waiting for a second. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../src/api/server.ts';

const CROWD = 800;
/** A client whose connection found no place asks again after this long. */
const ASKED_AGAIN_MS = 1_000;
/** What the system allows a listener. */
const allowed = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;

test.skipIf(allowed <= CROWD)(
  `${CROWD} connections that come while the event loop is busy are all taken (needs net.core.somaxconn beyond that)`,
  async () => {
    const server = await listen({ fetch: () => new Response('well') }, { HOST: '127.0.0.1', PORT: 0 });
    // Nothing is accepted before this loop is over.
    const began = performance.now();
    const crowd = Array.from({ length: CROWD }, () => connect(server.port, '127.0.0.1'));
    await Promise.all(crowd.map((socket) => once(socket, 'connect')));
    const tookMs = performance.now() - began;
    for (const socket of crowd) socket.destroy();
    await server.close(1_000);
    expect(tookMs).toBeLessThan(ASKED_AGAIN_MS);
  },
);

test('each turn of the event loop accepts several connections', async () => {
  let turn = 0;
  const turns: number[] = [];
  const fetch = () => {
    turns.push(turn);
    return new Response('well');
  };
  const server = await listen({ fetch }, { HOST: '127.0.0.1', PORT: 0 });
  await server.acceptFaster();
  const crowd = Array.from({ length: 200 }, () => connect(server.port, '127.0.0.1'));
  for (const socket of crowd) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  await Promise.all(crowd.map((socket) => once(socket.resume(), 'close')));
  isOver = true;
  // All listeners are closed, not only the server's own.
  await server.close(1_000);
  await expect(once(connect(server.port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(turns).toHaveLength(crowd.length);
  // Accepted one by one, they would take 200 turns.
  expect(turns.at(-1)! - turns[0]!).toBeLessThan(crowd.length / 2);
});
