/** What the doctor says about identity providers: about a real one, and about others whose documents no sign-in could use. */
import { createServer, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { checkIdentityProvider } from '../../src/doctor/identity-provider.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { listen } from '../engines/email/loopback.ts';
import { startIdentityProvider } from '../setup/identity-provider.ts';

// As the service does: it replaces the global classes of fetch.
getRequestListener(() => new Response());

const SECRET = 'a secret of the client';

async function check(issuer: string) {
  const found = await checkIdentityProvider(
    readConfig({
      CONFAM_PUBLIC_URL: 'https://console.bank.test',
      CONFAM_OIDC_ISSUER: issuer,
      CONFAM_OIDC_CLIENT_ID: 'confam',
      CONFAM_OIDC_CLIENT_SECRET: SECRET,
    }),
  );
  expect(found?.subject).toBe('identity provider');
  expect(found?.says).not.toContain(SECRET);
  return found!;
}

/** A provider that answers every request in this way. */
async function serve(answer: (response: ServerResponse, issuer: string) => void): Promise<string> {
  const server = createServer((_, response) => answer(response, issuer));
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  return issuer;
}

const serveDocument = (change: (document: Record<string, unknown>) => void) =>
  serve((response, issuer) => {
    const document = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` };
    change(document);
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document));
  });

test('without one there is nothing to say', async () => {
  expect(await checkIdentityProvider(readConfig({}))).toBeNull();
});

test('one on this machine works, and is noted because it has no TLS', async () => {
  const provider = await startIdentityProvider('https://console.bank.test/api/v1/session/oidc/callback');
  onTestFinished(() => provider.close());
  expect(await check(provider.issuer)).toMatchObject({
    state: 'note',
    says: `${provider.issuer} answers, without TLS: for trials on this machine only`,
  });
});

test('one whose document never ends is not read on', async () => {
  let sent = 0;
  const issuer = await serve((response) => {
    const part = Buffer.alloc(64 * 1024, ' ');
    const send = (): void => {
      if (response.destroyed) return;
      sent += part.length;
      if (response.write(part)) setImmediate(send);
      else response.once('drain', send);
    };
    response.setHeader('Content-Type', 'application/json');
    send();
  });
  expect(await check(issuer)).toMatchObject({
    state: 'broken',
    says: expect.stringContaining('does not answer with a discovery document'),
  });
  // What the network buffers is sent too.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

test('one that nobody answers for cannot be reached', async () => {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const { state, says } = await check(issuer);
  expect([state, says]).toEqual([
    'broken',
    `${issuer} cannot be reached (ECONNREFUSED): check CONFAM_OIDC_ISSUER and the network; nobody can sign in through it`,
  ]);
});

test('one that is silent is given up on', async () => {
  const issuer = await serve(() => {});
  expect(await check(issuer)).toMatchObject({ state: 'broken', says: expect.stringContaining('does not answer within 5 s') });
});

test('one that calls itself otherwise is named by both addresses', async () => {
  const issuer = await serveDocument((document) => {
    document.issuer = 'https://user:password@login.bank.test/realm/';
  });
  const { state, says } = await check(issuer);
  expect(state).toBe('broken');
  expect(says).toContain(`${issuer} calls itself https://login.bank.test/realm: `);
  expect(says).toContain('set CONFAM_OIDC_ISSUER');
});

test.each<[string, (response: ServerResponse) => void]>([
  ['answers 404 instead of a discovery document', (response) => response.writeHead(404).end()],
  ['answers 302 instead', (response) => response.writeHead(302, { Location: 'https://elsewhere.test/' }).end()],
  ['answers 200 instead', (response) => response.setHeader('Content-Type', 'text/html').end('<h1>Sign in</h1>')],
  ['does not answer with a discovery document', (response) => response.setHeader('Content-Type', 'application/json').end('{')],
  ['does not answer with a discovery document', (response) => response.setHeader('Content-Type', 'application/json').end('{"a":1}')],
  [
    'does not answer with a discovery document',
    (response) => response.setHeader('Content-Type', 'application/json').end('{"issuer":"the bank"}'),
  ],
])('one that %s is broken', async (says, answer) => {
  expect(await check(await serve(answer))).toMatchObject({ state: 'broken', says: expect.stringContaining(says) });
});

test.each([
  ['authorization_endpoint', undefined],
  ['token_endpoint', undefined],
  ['token_endpoint', 'token'],
  ['token_endpoint', 7],
  ['token_endpoint', 'ftp://127.0.0.1/token'],
  ['jwks_uri', undefined],
])('one whose %s is %s is broken', async (endpoint, value) => {
  const issuer = await serveDocument((document) => {
    document[endpoint] = value;
  });
  expect(await check(issuer)).toMatchObject({ state: 'broken', says: expect.stringContaining(`has no usable ${endpoint} (https)`) });
});
