/** The transport to a vendor: verified TLS, a client certificate, a proxy, kept-alive connections. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { openVendorHttp, receiptOf, type VendorHttpOptions } from '../../src/providers/vendor-http.ts';

const pem = (name: string) => readFileSync(join(packageRoot(), 'test/fixtures/tls', name), 'utf8');
const [ca, serverCert, serverKey, clientCert, clientKey] = ['ca.pem', 'server.pem', 'server.key', 'client.pem', 'client.key'].map(pem);

const servers: Server[] = [];
async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

const limits = { timeoutMs: 2_000, connectTimeoutMs: 1_000, responseBytesMax: 10_000, inFlightMax: 4 };
async function ask(options: Partial<VendorHttpOptions> & { baseUrl: string }): Promise<unknown> {
  const http = openVendorHttp({ ...limits, ...options });
  try {
    return (await http.request({ method: 'GET', path: '/who', signal: AbortSignal.timeout(2_000) })).body;
  } finally {
    await http.close();
  }
}

describe('TLS', () => {
  const secure = (options: { requestCert?: boolean } = {}) =>
    listen(
      createTlsServer(
        { cert: serverCert, key: serverKey, ca, ...options, rejectUnauthorized: options.requestCert ?? false },
        (request, response) =>
          response.end(JSON.stringify({ client: (request.socket as TLSSocket).getPeerCertificate()?.subject?.CN ?? null })),
      ) as unknown as Server,
    );

  test('is verified: an untrusted certificate is refused, even where the operator trusts others', async () => {
    const baseUrl = `https://127.0.0.1:${await secure()}`;
    await expect(ask({ baseUrl })).rejects.toMatchObject({ code: 'down' });
    await expect(ask({ baseUrl, tls: { ca: clientCert } })).rejects.toMatchObject({ code: 'down' });
  });

  test('trusts the operator’s authority', async () => {
    expect(await ask({ baseUrl: `https://127.0.0.1:${await secure()}`, tls: { ca } })).toEqual({ client: null });
  });

  test('shows our certificate to a vendor that asks for it', async () => {
    const baseUrl = `https://127.0.0.1:${await secure({ requestCert: true })}`;
    await expect(ask({ baseUrl, tls: { ca } })).rejects.toMatchObject({ code: 'down' });
    expect(await ask({ baseUrl, tls: { ca, cert: clientCert, key: clientKey } })).toEqual({ client: 'client' });
  });
});

describe('a proxy', () => {
  test('is used, by CONNECT, with the vendor’s own TLS inside', async () => {
    const vendor = await listen(
      createTlsServer({ cert: serverCert, key: serverKey }, (_, response) => response.end('{"by":"vendor"}')) as unknown as Server,
    );
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, socket: Socket) => {
      tunnels.push(request.url!);
      const [host, port] = request.url!.split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) end.on('error', () => {});
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    expect(await ask({ baseUrl: `https://127.0.0.1:${vendor}`, tls: { ca }, proxy: proxyUrl })).toEqual({ by: 'vendor' });
    expect(tunnels).toEqual([`127.0.0.1:${vendor}`]);
    await expect(ask({ baseUrl: `https://127.0.0.1:${vendor}`, proxy: proxyUrl })).rejects.toMatchObject({ code: 'down' });
  });

  test('that is unreachable counts as the vendor being down', async () => {
    await expect(ask({ baseUrl: 'https://127.0.0.1:1', proxy: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 'down' });
  });
});

test('connections are kept and shared, at most as many as calls may be in flight', async () => {
  const ports = new Set<number>();
  const port = await listen(
    createServer((request, response) => {
      ports.add(request.socket.remotePort!);
      setTimeout(() => response.end('{}'), 20);
    }),
  );
  const http = openVendorHttp({ ...limits, baseUrl: `http://127.0.0.1:${port}/base/` });
  const request = () => http.request({ method: 'POST', path: '/x', json: {}, signal: AbortSignal.timeout(2_000) });
  await Promise.all(Array.from({ length: 20 }, request));
  await request();
  expect(ports.size).toBeLessThanOrEqual(limits.inFlightMax);
  await http.close();
});

describe('an answer', () => {
  const answered = async (body: string | Buffer) => {
    const port = await listen(createServer((_, response) => response.end(body)));
    return ask({ baseUrl: `http://127.0.0.1:${port}` });
  };

  test('may begin with a byte order mark', async () => {
    expect(await answered('\uFEFF{"surname":"OGÚN"}')).toEqual({ surname: 'OGÚN' });
  });

  test('that is not UTF-8 is no JSON: a damaged name is not an answer', async () => {
    await expect(answered(Buffer.from('{"surname":"OGÚN"}', 'latin1'))).rejects.toMatchObject({ code: 'down', detail: 'not JSON' });
  });

  test('leaves in its receipt a code that is one word and a short reference, without what Postgres cannot store', () => {
    const response = { status: 422, header: () => undefined, body: {}, answerHash: Buffer.alloc(32) };
    expect(receiptOf(response, 'no_consent', 'req\u0000_1\n')).toMatchObject({ status: '422 no_consent', reference: 'req_1' });
    expect(receiptOf(response, 1012, '1'.repeat(10_000))).toMatchObject({ status: '422 1012', reference: '1'.repeat(200) });
    for (const code of ['ADA OKORO is unknown', 'a\u0000', 'a'.repeat(41), null, '']) expect(receiptOf(response, code).status).toBe('422');
  });

  test('leaves in its receipt no reference that looks like a name, an e-mail address or a phone number, or that is not shown as it is', () => {
    const response = { status: 422, header: () => undefined, body: {}, answerHash: Buffer.alloc(0) };
    const referenceIn = (text: string) => receiptOf(response, null, text).reference;
    for (const text of ['Okoro-Ada', 'ada.okoro1@example.ng', '08031234567', 'r-08031234567', '+2348031234567', 'ref1\u202e'])
      expect(referenceIn(text), text).toBeNull();
    for (const text of ['65f0ab08031234567cd', '20261129083049', '0000001234', '01a2266d-a0db-7513-9657-1d531b49f996', 'job_5cde'])
      expect(referenceIn(text), text).toBe(text);
  });

  test('leaves in its receipt no sentence and no address that may quote the question', () => {
    const response = { status: 400, header: () => undefined, body: undefined, answerHash: Buffer.alloc(0) };
    expect(receiptOf(response, 'invalid_request', 'REF-1/2:3')).toMatchObject({ status: '400 invalid_request', reference: 'REF-1/2:3' });
    for (const text of ['Zqxwvut Testperson is unknown', '/nin?nin=70918273645', '{"a":1}', '', null, undefined])
      expect(receiptOf(response, text, text)).toMatchObject({ status: '400', reference: null });
  });
});

test('an answer of more values than any record has is refused before anything examines them', async () => {
  const list = (length: number) => JSON.stringify({ entity: { directors: new Array(length).fill(0) } });
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  let answer = '';
  const port = await listen(createServer((_, response) => response.end(answer)));
  const asked = (text: string) => {
    answer = text;
    return ask({ baseUrl: `http://127.0.0.1:${port}`, responseBytesMax: 1024 * 1024 });
  };
  expect(await asked(list(40_000))).toMatchObject({ entity: { directors: { length: 40_000 } } });
  for (const text of [list(60_000), nested(100_000)])
    await expect(asked(text)).rejects.toMatchObject({ code: 'down', detail: 'answer too large' });
});
