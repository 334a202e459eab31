/** The guarded HTTP client: what it refuses, and what it survives. Real receivers on 127.0.0.1; the test answers for names, never DNS. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { isPublic, type OutboundResult, openOutbound, urlRefusal } from '../../src/net/guarded-http.ts';
import { waitFor } from '../setup/database.ts';

const message = { headers: { 'content-type': 'application/json', 'x-name': 'value' }, body: '{"hello":"world"}' };

/** A server of this test on a free port; open connections are cut at the end. */
async function listen<S extends Server>(server: S): Promise<{ server: S; port: number; url: string }> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}/hook?token=secret` };
}

const receiver = (handle: RequestListener) => listen(createServer(handle));

function client(options: Partial<Parameters<typeof openOutbound>[0]> = {}) {
  const outbound = openOutbound({ allowPrivate: true, privateAnswers: true, timeoutMs: 2_000, ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

describe('what a receiver gets and answers', () => {
  test('the message arrives as given, and the answer is returned', async () => {
    const seen: { method?: string; path?: string; headers: IncomingMessage['headers']; body: string }[] = [];
    const { url, port } = await receiver(async (request, response) => {
      seen.push({ method: request.method, path: request.url, headers: request.headers, body: await readBody(request) });
      response.writeHead(202).end('thank you');
    });
    const result = await client().post(url, message);
    expect(result).toEqual({ kind: 'answered', status: 202, retryAfterMs: null, excerpt: 'thank you', latencyMs: expect.any(Number) });
    expect(seen).toMatchObject([{ method: 'POST', path: '/hook?token=secret', body: message.body }]);
    expect(seen[0]!.headers).toMatchObject({ 'x-name': 'value', host: `127.0.0.1:${port}`, 'content-length': String(message.body.length) });
  });

  test('a name in the operator’s own network is resolved as the system resolves it', async () => {
    const { port } = await receiver((_, response) => response.end());
    expect(await client().post(`http://localhost:${port}/`, message)).toMatchObject({ kind: 'answered', status: 200 });
  });

  test.each([301, 302, 303, 307, 308])('a redirect %i is reported and not followed', async (status) => {
    let requests = 0;
    const { url } = await receiver((_, response) => {
      requests++;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await client().post(url, message)).toMatchObject({ kind: 'answered', status });
    expect(requests).toBe(1);
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['soon', null],
    ['-5', null],
    ['', null],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('Retry-After "%s" is %s ms', async (header, retryAfterMs) => {
    const { url } = await receiver((_, response) => response.writeHead(503, { 'retry-after': header }).end());
    expect(await client().post(url, message)).toMatchObject({ kind: 'answered', status: 503, retryAfterMs });
  });

  test('Retry-After may be a date', async () => {
    const { url } = await receiver((_, response) =>
      response.writeHead(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }).end(),
    );
    const result = (await client().post(url, message)) as Extract<OutboundResult, { kind: 'answered' }>;
    expect(result.retryAfterMs).toBeGreaterThan(50_000);
    expect(result.retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

test('connections are kept for further messages to the same receiver', async () => {
  const { url, server } = await receiver((_, response) => response.end('ok'));
  let connections = 0;
  server.on('connection', () => connections++);
  const outbound = client();
  for (let i = 0; i < 8; i++) expect(await outbound.post(url, message)).toMatchObject({ kind: 'answered', status: 200 });
  // One may still be reading the end of its answer when the next message leaves.
  expect(connections).toBeLessThanOrEqual(2);
});

describe('receivers that misbehave', () => {
  test('an endless body is cut after 1 KiB and its connection closed', async () => {
    let closed = false;
    const { url } = await receiver((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more).on('close', () => {
        closed = true;
      });
      more();
    });
    const startedAt = performance.now();
    const result = await client().post(url, message);
    expect(result).toMatchObject({ kind: 'answered', status: 200, excerpt: 'x'.repeat(1024) });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await waitFor('the connection to close', () => closed);
  });

  test('a body that never comes does not hold us up', async () => {
    let closed = false;
    const { url } = await receiver((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200).write('start');
    });
    const startedAt = performance.now();
    expect(await client({ timeoutMs: 10_000 }).post(url, message)).toMatchObject({ kind: 'answered', status: 200, excerpt: 'start' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await waitFor('the connection to close', () => closed);
  });

  test('silence ends at the deadline and the connection is closed', async () => {
    let closed = false;
    const { url } = await receiver((request) => {
      request.on('close', () => {
        closed = true;
      });
    });
    const result = await client({ timeoutMs: 200 }).post(url, message);
    expect(result).toMatchObject({ kind: 'unreachable', reason: 'timeout' });
    expect((result as { latencyMs: number }).latencyMs).toBeLessThan(1_500);
    await waitFor('the connection to close', () => closed);
  });

  test('trickling headers do not move the deadline', async () => {
    const { url } = await listen(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x-more: 1\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await client({ timeoutMs: 300 }).post(url, message)).toMatchObject({ kind: 'unreachable', reason: 'timeout' });
  });

  test('a silent name server ends at the deadline', async () => {
    const outbound = client({ timeoutMs: 200, resolve: () => new Promise(() => {}) });
    expect(await outbound.post('http://hooks.example.com/', message)).toMatchObject({ kind: 'unreachable', reason: 'timeout' });
  });

  test('a closed port, a cut connection and a non-HTTP answer are connection failures', async () => {
    const { port, server } = await listen(createTcpServer());
    await new Promise((resolve) => server.close(resolve));
    expect(await client().post(`http://127.0.0.1:${port}/`, message)).toMatchObject({ kind: 'unreachable', reason: 'connection' });
    const cutting = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await client().post(cutting.url, message)).toMatchObject({ kind: 'unreachable', reason: 'connection' });
    const strange = await listen(createTcpServer((socket) => socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n'))));
    expect(await client().post(strange.url, message)).toMatchObject({ kind: 'unreachable', reason: 'connection' });
  });

  test('https to a server without TLS is a TLS failure', async () => {
    const { port } = await receiver((_, response) => response.end());
    expect(await client().post(`https://127.0.0.1:${port}/`, message)).toMatchObject({ kind: 'unreachable', reason: 'tls' });
  });

  const tlsFile = (name: string): string => join(packageRoot(), 'test/fixtures/tls', name);
  const withCertificate = (name: string, handle: RequestListener) =>
    listen(createTlsServer({ cert: readFileSync(tlsFile(name)), key: readFileSync(tlsFile('server.key')) }, handle));

  test.each([
    ['that nobody vouches for', 'server.pem', 'tls_untrusted'],
    ['that has expired', 'expired.pem', 'tls_expired'],
  ])('a certificate %s is a TLS failure, and nothing is sent', async (_, file, reason) => {
    let requests = 0;
    const { port } = await withCertificate(file, () => requests++);
    expect(await client().post(`https://127.0.0.1:${port}/`, message)).toMatchObject({ kind: 'unreachable', reason });
    expect(requests).toBe(0);
  });

  test('a certificate for another host name is told apart', async () => {
    const { port } = await withCertificate('server.pem', (_, response) => response.end());
    // Node reads the authorities that it trusts when it starts.
    const program = `
      const { openOutbound } = await import('./src/net/guarded-http.ts');
      const outbound = openOutbound({ allowPrivate: true, privateAnswers: true, timeoutMs: 5_000 });
      const kinds = [];
      for (const host of ['127.0.0.1', 'localhost']) kinds.push(await outbound.post(\`https://\${host}:${port}/\`, { headers: {}, body: '' }));
      console.log(JSON.stringify(kinds.map(({ kind, reason }) => [kind, reason ?? null])));
      await outbound.close();`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      cwd: packageRoot(),
      env: { ...process.env, NODE_EXTRA_CA_CERTS: tlsFile('ca.pem') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    let said = '';
    for await (const piece of child.stdout) said += piece;
    expect(JSON.parse(said)).toEqual([
      ['answered', null],
      ['unreachable', 'tls_host_name'],
    ]);
  });

  test('an unknown name is a DNS failure', async () => {
    const rejecting = client({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await rejecting.post('http://hooks.example.com/', message)).toMatchObject({ kind: 'unreachable', reason: 'dns' });
    const empty = client({ resolve: async () => [] });
    expect(await empty.post('http://hooks.example.com/', message)).toMatchObject({ kind: 'unreachable', reason: 'dns' });
  });

  test('close() aborts requests in progress', async () => {
    const { url, server } = await receiver(() => {});
    const outbound = openOutbound({ allowPrivate: true, privateAnswers: true, timeoutMs: 20_000 });
    const posted = outbound.post(url, message);
    await new Promise((resolve) => server.once('request', resolve));
    await outbound.close();
    expect(await posted).toMatchObject({ kind: 'unreachable', reason: 'connection' });
  });
});

/** Every kind of address that is not a public Internet host, in several spellings. */
const FORBIDDEN = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '0.0.0.0',
  '0.1.2.3',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::1',
  '2002:7f00:1::1',
  '2001::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '100::1',
  '100:0:0:1::1',
  '4000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

describe('addresses', () => {
  test.each(FORBIDDEN)('%s is refused as a literal and as the answer for a name', async (address) => {
    expect(isPublic(address)).toBe(false);
    const asked: string[] = [];
    const outbound = client({
      allowPrivate: false,
      resolve: async (name) => {
        asked.push(name);
        return [address];
      },
    });
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await outbound.post(`https://${literal}/`, message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
    expect(asked).toEqual([]);
    expect(await outbound.post('https://hooks.example.com/', message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
    expect(asked).toEqual(['hooks.example.com']);
  });

  test.each([
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.0.0.1/',
    'https://[::ffff:a9fe:a9fe]:8443/',
  ])('the odd spelling %s is refused', async (url) => {
    expect(await client({ allowPrivate: false }).post(url, message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
  });

  test('several forbidden answers for one name are refused', async () => {
    const outbound = client({
      allowPrivate: false,
      resolve: async () => ['127.0.0.1', '10.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '64:ff9b::7f00:1'],
    });
    expect(await outbound.post('https://hooks.example.com/', message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
  });

  test('a name that resolves well when checked and to 127.0.0.1 when called is refused', async () => {
    const url = 'https://rebind.example.com:8443/';
    expect(urlRefusal(url, false)).toBeNull();
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const resolve = async () => answers.shift()!;
    expect((await resolve()).every(isPublic)).toBe(true);
    expect(await client({ allowPrivate: false, resolve }).post(url, message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
  });

  test('a non-address is refused, not connected to', async () => {
    const outbound = client({ allowPrivate: false, resolve: async () => ['localhost', '127.0.0.1%lo', ''] });
    expect(await outbound.post('https://hooks.example.com/', message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '41.58.1.1',
    '105.112.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '2c0f:f4c0::1',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  test('the same name and address are served where the operator allows private receivers', async () => {
    const { port } = await receiver((_, response) => response.end());
    const outbound = client({ allowPrivate: true, resolve: async () => ['127.0.0.1'] });
    expect(await outbound.post(`http://hooks.example.com:${port}/`, message)).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('receivers on this machine only', () => {
  test('are served at loopback addresses, by number and as localhost', async () => {
    const { port } = await receiver((_, response) => response.end());
    const outbound = client({ allowPrivate: 'loopback' });
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await outbound.post(`http://${host}:${port}/`, message), host).toMatchObject({ kind: 'answered', status: 200 });
  });

  test.each(FORBIDDEN.filter((address) => !/^127\.|^::1$|^::(ffff:)?(127|7f)/i.test(address)))('%s stays refused', async (address) => {
    const outbound = client({ allowPrivate: 'loopback', resolve: async () => [address] });
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await outbound.post(`https://${literal}/`, message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
    expect(await outbound.post(`http://${literal}:8080/`, message)).toEqual({ kind: 'refused', reason: 'https_required' });
    expect(await outbound.post('https://hooks.example.com/', message)).toEqual({ kind: 'refused', reason: 'forbidden_address' });
  });
});

test("a private receiver's answer is not passed on, unless the operator wants it", async () => {
  const { port } = await receiver((_, response) => response.end('a secret of the network'));
  const url = `http://127.0.0.1:${port}/`;
  for (const allowPrivate of [true, 'loopback'] as const) {
    const outbound = client({ allowPrivate, privateAnswers: false });
    // The second goes over the connection that the first has opened.
    for (let sent = 0; sent < 2; sent++)
      expect(await outbound.post(url, message)).toMatchObject({ kind: 'answered', status: 200, excerpt: '' });
  }
  expect(await client({ privateAnswers: true }).post(url, message)).toMatchObject({ excerpt: 'a secret of the network' });
});

describe('URLs', () => {
  test.each([
    ['https://hooks.example.com/confam?x=1#y', null],
    ['https://hooks.example.com:443/', null],
    ['https://hooks.example.com:8443/', null],
    ['https://8.8.8.8/', 'forbidden_address'],
    ['https://134744072/', 'forbidden_address'],
    ['https://[2606:4700:4700::1111]/', 'forbidden_address'],
    ['http://hooks.example.com/', 'https_required'],
    ['http://hooks.example.com:443/', 'https_required'],
    ['https://hooks.example.com:22/', 'forbidden_port'],
    ['https://hooks.example.com:6379/', 'forbidden_port'],
    ['https://user@hooks.example.com/', 'invalid_url'],
    ['https://:password@hooks.example.com/', 'invalid_url'],
    ['ftp://hooks.example.com/', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['hooks.example.com', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['', 'invalid_url'],
  ])('%s without private receivers: %s', async (url, reason) => {
    expect(urlRefusal(url, false)).toBe(reason);
    if (reason) expect(await client({ allowPrivate: false }).post(url, message)).toEqual({ kind: 'refused', reason });
  });

  test.each([
    ['https://hooks.bank.example/x', null],
    ['https://HOOKS.bank.example:8443/', null],
    ['https://partner.example/', null],
    ['https://eu.hooks.partner.example/', null],
    ['https://bank.example/', 'forbidden_host'],
    ['https://x.hooks.bank.example/', 'forbidden_host'],
    ['https://evilpartner.example/', 'forbidden_host'],
    ['https://partner.example.evil.example/', 'forbidden_host'],
    ['https://8.8.8.8/', 'forbidden_host'],
    ['https://1.1.1.1/', null],
    ['https://10.0.0.1/', 'forbidden_address'],
    ['http://partner.example/', 'https_required'],
  ])('%s where the operator has named the hosts: %s', async (url, reason) => {
    const hosts = ['hooks.bank.example', '.partner.example', '1.1.1.1', '10.0.0.1'];
    expect(urlRefusal(url, false, hosts)).toBe(reason);
    if (reason) expect(await client({ allowPrivate: false, hosts }).post(url, message)).toEqual({ kind: 'refused', reason });
  });

  test.each([
    ['http://127.0.0.1:3000/', null],
    ['https://10.0.0.1:9000/', null],
    ['https://8.8.8.8/', null],
    ['http://user:password@127.0.0.1/', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
  ])('%s with private receivers: %s', (url, reason) => {
    expect(urlRefusal(url, true)).toBe(reason);
  });
});
