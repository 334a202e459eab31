/** Limits of docs/security.md that are settings of the listener or of the database's sessions: what is in force, read from the running service. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bound, type Sql } from '../../src/foundation/context.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { sendBytes, type TestApp, useApi } from '../setup/api.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
});

describe('headers', () => {
  /** Asks for the wallet with `count` headers of a few bytes each before those that name the key and the app, or after them. */
  const ask = (count: number, order: 'before' | 'after'): Promise<string> => {
    const many = 'a:1\r\n'.repeat(count);
    const own = `Host: x\r\nConnection: close\r\nAuthorization: ${app.key}\r\nAppId: ${app.app}\r\n`;
    return sendBytes(api.port, `GET /api/v1/wallet HTTP/1.1\r\n${order === 'before' ? many + own : own + many}\r\n`);
  };

  test('1,000 are read; those beyond are as if they were not there, and more than 16 KiB of them are 431', async () => {
    expect(await ask(900, 'before')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(1_500, 'after')).toMatch(/^HTTP\/1\.1 200 /);
    // Neither a key nor a Host.
    expect(await ask(1_500, 'before')).toMatch(/^HTTP\/1\.1 40[01] /);
    // Names and values alone are counted.
    expect(await ask(9_000, 'after')).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('the listener', () => {
  let server: Server;
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  test('bounds the time for headers and idle time, but not a request as a whole, and no number of connections', async () => {
    const see = (message: unknown) => {
      server = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', see);
    await app.get('/api/v1/wallet');
    unsubscribe('http.server.request.start', see);
    const { headersTimeout, keepAliveTimeout, requestTimeout, maxConnections, maxHeadersCount } = server;
    expect({ headersTimeout, keepAliveTimeout, requestTimeout }).toEqual({
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      requestTimeout: 0,
    });
    // Unset: what Node takes by itself, and as many connections as the process may have files open.
    expect([maxConnections ?? 0, maxHeadersCount ?? 0]).toEqual([0, 0]);
  });

  test('answers while a thousand connections are open that send nothing', async () => {
    for (let i = 0; i < 1_000; i++) sockets.push(connect(api.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await app.get('/api/v1/wallet')).status).toBe(200);
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  });
});

describe('sessions of the database', () => {
  const shown = async (sql: Sql): Promise<string[]> => {
    const [row] = await sql`
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`;
    return [row!.statement, row!.lock, row!.idle];
  };
  const SHORT = ['1min', '5s', '1500ms'];

  test('bound statements, waits for locks and idle transactions: those over all apps, and those of one', async () => {
    expect(await shown(api.service.sql)).toEqual(SHORT);
    expect(await shown(api.service.tenant(parseId('app', app.app)!).sql)).toEqual(SHORT);
  });

  test('are given more for long work, and only until the transaction ends', async () => {
    for (const [work, bounds] of [
      ['large', ['15min', '5s', '1500ms']],
      ['reading', ['15min', '15min', '2min']],
    ] as const) {
      await api.service.sql.begin(async (tx) => {
        await bound(tx, work);
        expect(await shown(tx as unknown as Sql)).toEqual(bounds);
      });
    }
    expect(await shown(api.service.sql)).toEqual(SHORT);
  });
});
