/** The service's own HTTPS: TLS versions and ciphers, no answer to plain HTTP, and renewals without a restart. */
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, rootCertificates, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/api/server.ts';
import { openTls } from '../../src/api/tls.ts';
import { checkCertificate } from '../../src/doctor/machine.ts';
import type { Config } from '../../src/foundation/config.ts';
import { openLog } from '../../src/foundation/log.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { chainIn } from '../../src/foundation/pem.ts';
import { isPublic } from '../../src/net/certificate.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { ninRows } from '../setup/process.ts';

const fixture = (name: string): string => join(packageRoot(), 'test', 'fixtures', 'tls', name);
const ca = readFileSync(fixture('ca.pem'));
const FILES = { CONFAM_TLS_CERT: fixture('server.pem'), CONFAM_TLS_KEY: fixture('server.key') };
const folder = mkdtempSync(join(tmpdir(), 'confam-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

describe('the service', () => {
  const api = useApi({ ...FILES, CONFAM_PUBLIC_URL: 'https://127.0.0.1' });

  async function send(app: TestApp, method: string, path: string, body?: string) {
    const asked = request({ host: '127.0.0.1', port: api.port, ca, method, path, headers: { Authorization: app.key, AppId: app.app } });
    if (body !== undefined) asked.setHeader('Content-Type', 'text/csv');
    const [answer] = (await once(asked.end(body), 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  test('answers calls, uploads and downloads', async () => {
    const app = await api.createApp();
    const call = await send(app, 'GET', '/api/v1/kyc/nin?nin=70123456789');
    expect([call.status, JSON.parse(call.text).entity.nin]).toEqual([200, '70123456789']);
    expect(call.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    const made = await send(app, 'POST', '/api/v1/batches?checks=nin_basic&map.reference=ref', ninRows(300).csv);
    expect(made.status, made.text).toBe(202);
    const { id } = JSON.parse(made.text).entity as BatchEntity;
    await waitFor(
      'the batch',
      async () => JSON.parse((await send(app, 'GET', `/api/v1/batches/${id}`)).text).entity.status === 'completed',
    );
    const results = await send(app, 'GET', `/api/v1/batches/${id}/results?format=csv`);
    expect(results.text.trimEnd().split('\n')).toHaveLength(301);
  });

  test('speaks TLS 1.2 and 1.3 with forward secrecy, and nothing older or weaker', async () => {
    const newest = await handshake(api.port);
    const older = await handshake(api.port, { maxVersion: 'TLSv1.2' });
    expect([newest.getProtocol(), older.getProtocol()]).toEqual(['TLSv1.3', 'TLSv1.2']);
    expect(older.getCipher().name).toMatch(/^ECDHE-(RSA|ECDSA)-.*(GCM|POLY1305)/);
    for (const socket of [newest, older]) socket.destroy();
    const lowest = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(handshake(api.port, lowest)).rejects.toThrow(/protocol version/);
    await expect(handshake(api.port, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA256' })).rejects.toThrow(/handshake failure/);
    await expect(handshake(api.port, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA' })).rejects.toThrow(
      /handshake failure/,
    );
  });

  test('gives plain HTTP no answer', async () => {
    const socket = connectPlain(api.port, '127.0.0.1');
    socket.write('GET /api/v1/kyc/nin?nin=70123456789 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answered = await text(socket).catch(() => '');
    expect(answered).not.toContain('HTTP/1.1');
  });
});

test('a renewed certificate holds for new connections; one without its key does not, and is logged once', async () => {
  const files = { CONFAM_TLS_CERT: join(folder, 'live.pem'), CONFAM_TLS_KEY: join(folder, 'live.key') };
  copyFileSync(fixture('server.pem'), files.CONFAM_TLS_CERT);
  copyFileSync(fixture('server.key'), files.CONFAM_TLS_KEY);
  const log = openLog('silent');
  const errors: string[] = [];
  log.error = ({ err }: { err: Error }) => errors.push(err.message);
  const tls = openTls(files, log, 10)!;
  const server = await listen({ fetch: () => new Response('well') }, { HOST: '127.0.0.1', PORT: 0 }, tls);
  const nameOf = async () => {
    const socket = await handshake(server.port, { rejectUnauthorized: false });
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  try {
    expect(await nameOf()).toBe('server');
    copyFileSync(fixture('client.pem'), files.CONFAM_TLS_CERT);
    await waitFor('the complaint', () => errors.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(errors).toEqual(['CONFAM_TLS_KEY: is not the key of the certificate in CONFAM_TLS_CERT']);
    expect(await nameOf()).toBe('server');
    copyFileSync(fixture('client.key'), files.CONFAM_TLS_KEY);
    await waitFor('the new certificate', async () => (await nameOf()) === 'client');
  } finally {
    tls.close();
    await server.close(1_000);
  }
});

describe('the doctor', () => {
  const finding = (settings: Partial<Config>, now?: number) =>
    checkCertificate({ CONFAM_PUBLIC_URL: 'https://127.0.0.1', ...settings } as Config, now);
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, 'MIIE secret');
  const kept = { ...FILES, CONFAM_TLS_KEY: join(folder, 'kept.key') };
  writeFileSync(kept.CONFAM_TLS_KEY, readFileSync(FILES.CONFAM_TLS_KEY), { mode: 0o640 });
  const open = { ...FILES, CONFAM_TLS_KEY: join(folder, 'open.key') };
  writeFileSync(open.CONFAM_TLS_KEY, readFileSync(FILES.CONFAM_TLS_KEY));
  chmodSync(open.CONFAM_TLS_KEY, 0o644);

  test.each([
    ['fits', kept, undefined, 'note', 'for 127.0.0.1, valid until 2126-10-28; not issued by a public authority'],
    ['is for another host', { ...kept, CONFAM_PUBLIC_URL: 'https://verify.example.com' }, undefined, 'note', 'not for verify.example.com'],
    ['ends soon', kept, Date.parse('2126-10-20'), 'note', 'expires on 2126-10-28; renew it'],
    ['has ended', kept, Date.parse('2126-11-01'), 'broken', 'expired on 2126-10-28'],
    [
      'is missing',
      { ...FILES, CONFAM_TLS_CERT: join(folder, 'none') },
      undefined,
      'broken',
      'CONFAM_TLS_CERT: the file cannot be read (ENOENT)',
    ],
    ['is none', { ...FILES, CONFAM_TLS_CERT: wrong }, undefined, 'broken', 'CONFAM_TLS_CERT: the file does not hold a certificate in PEM'],
    ['has a wrong key', { ...FILES, CONFAM_TLS_KEY: wrong }, undefined, 'broken', 'CONFAM_TLS_KEY: the file does not hold a private key'],
  ] as const)('sees a certificate that %s', (_, settings, now, state, says) => {
    const seen = finding(settings, now)!;
    expect([seen.state, seen.says]).toEqual([state, expect.stringContaining(says)]);
    expect(seen.says).not.toContain('secret');
  });

  test('knows public authorities', () => {
    const [root, other] = rootCertificates as [string, string];
    expect([root, `${root}\n${other}`, ca.toString()].map((pem) => isPublic(chainIn(pem)))).toEqual([true, false, false]);
  });

  test('says nothing without one', () => expect(finding({})).toBeNull());
});
