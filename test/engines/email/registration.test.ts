/** Registrations over RDAP: what is read, what is kept, and when a registry is left alone. Real HTTP on 127.0.0.1. */
import { createServer, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readBootstrap, readDomain, registryOf } from '../../../src/engines/email/rdap.ts';
import { openRegistrations, type RegistrationOptions } from '../../../src/engines/email/registration.ts';
import { listen } from './loopback.ts';

const unregistered = { registered: false, created: null, updated: null, expires: null, registrar: null, registrant: null };

const card = (...properties: [string, unknown][]) => ['vcard', properties.map(([name, value]) => [name, {}, 'text', value])];
const answerOf = (domain: string, more: object = {}) => ({
  objectClassName: 'domain',
  ldhName: domain.toUpperCase(),
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2026-01-16T18:26:50+01:00' },
    { eventAction: 'expiration', eventDate: '2027-08-13T04:00:00Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-01T00:00:00Z' },
  ],
  entities: [
    { roles: ['registrar'], vcardArray: card(['version', '4.0'], ['fn', 'Example Registrar Ltd']) },
    { roles: ['registrant'], vcardArray: card(['fn', ''], ['org', ['Example Holdings', 'Domains']]) },
  ],
  ...more,
});

type Handle = (path: string, response: ServerResponse) => void;

/** A registry for `.test` and `.com.test` that is its own bootstrap; records the requested paths. */
async function registry(handle: Handle, options: Partial<RegistrationOptions> = {}, bootstrap?: Handle) {
  const asked: string[] = [];
  let base = '';
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url !== '/dns.json') return handle(request.url!, response);
    if (bootstrap) return bootstrap(request.url, response);
    response.end(
      JSON.stringify({
        version: '1.0',
        services: [
          [['test', 'ng'], [`${base}/rdap`]],
          [['elsewhere'], ['not an address']],
        ],
      }),
    );
  });
  base = `http://127.0.0.1:${await listen(server)}`;
  const source = openRegistrations({ bootstrapUrl: `${base}/dns.json`, timeoutMs: 1_000, cacheMax: 100, allowPrivate: true, ...options });
  onTestFinished(() => source.close());
  return { asked, base, find: (domain: string, signal = new AbortController().signal) => source.find(domain, signal) };
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/rdap+json' }).end(JSON.stringify(body));

describe('what is read', () => {
  test('dates, registrar and registrant; asked once and shared', async () => {
    const { asked, find } = await registry((path, response) => json(response, answerOf(path.split('/').at(-1)!)));
    const registration = {
      registered: true,
      created: '1995-08-14',
      updated: '2026-01-16',
      expires: '2027-08-13',
      registrar: 'Example Registrar Ltd',
      registrant: 'Example Holdings',
    };
    expect(await Promise.all([find('shop.test'), find('SHOP.test'), find('shop.test')])).toEqual([
      registration,
      registration,
      registration,
    ]);
    expect(await find('shop.test')).toEqual(registration);
    expect(asked).toEqual(['/dns.json', '/rdap/domain/shop.test']);
  });

  test('one bootstrap for domains asked about together', async () => {
    const { asked, find } = await registry((path, response) => json(response, answerOf(path.split('/').at(-1)!)));
    await Promise.all(Array.from({ length: 20 }, (_, i) => find(`d${i}.test`)));
    expect(asked.filter((path) => path === '/dns.json')).toHaveLength(1);
    expect(asked).toHaveLength(21);
  });

  test('a domain that is not registered is remembered', async () => {
    const { asked, find } = await registry((_, response) => json(response, { errorCode: 404 }, 404));
    expect(await find('gone.test')).toEqual(unregistered);
    expect(await find('gone.test')).toEqual(unregistered);
    expect(asked).toHaveLength(2);
  });

  test.each(['REDACTED FOR PRIVACY', 'Privacy Protect, LLC', 'Domains By Proxy, LLC', 'Withheld for Privacy ehf', 'Data Protected', '', 7])(
    'a registrant %j is nobody',
    async (name) => {
      const entities = [{ roles: ['registrant'], vcardArray: card(['fn', name]) }];
      const { find } = await registry((_, response) => json(response, answerOf('shop.test', { entities })));
      expect(await find('shop.test')).toMatchObject({ registered: true, registrant: null, registrar: null });
    },
  );

  test('malformed members are unknown, and names are bounded', async () => {
    const entities = [
      null,
      7,
      { roles: 'registrar' },
      { roles: ['registrar'], vcardArray: ['vcard', [[], ['fn'], ['fn', {}, 'text', `a\n${'b'.repeat(900)}`]]] },
    ];
    const events = [null, { eventAction: 'registration', eventDate: 'yesterday' }, { eventAction: 7 }];
    const { find } = await registry((_, response) => json(response, answerOf('shop.test', { entities, events })));
    const found = await find('shop.test');
    expect(found).toMatchObject({ registered: true, created: null, updated: null });
  });

  test.each<[string, string | Buffer]>([
    ['about another domain', JSON.stringify(answerOf('other.test'))],
    ['no domain', JSON.stringify({ objectClassName: 'entity' })],
    ['no JSON', '<html>'],
    ['empty', ''],
    ['too large', Buffer.alloc(2 * 1024 * 1024, 32)],
  ])('an answer that is %s is none', async (_, body) => {
    const { find } = await registry((_path, response) => response.end(body));
    expect(await find('shop.test')).toBeNull();
  });

  test('a suffix without a registry, or text that is no domain, is not asked about', async () => {
    const { asked, find } = await registry((_, response) => response.end());
    for (const domain of ['shop.example', 'test', 'a b.test', '../x.test', 'a/b.test', 'a?b.test', `${'a'.repeat(64)}.test`, ''])
      expect(await find(domain)).toBeNull();
    expect(asked.filter((path) => path !== '/dns.json')).toEqual([]);
  });

  test('no answer, whatever it holds, makes the reader throw', () => {
    const dates = fc.constantFrom('+012000-01-01T00:00:00Z', '-000001-01-01', '2020-01-01', '', 'x');
    const event = fc.record({ eventAction: fc.constantFrom('registration', 'expiration', 'x'), eventDate: dates });
    const anything = fc.record({
      objectClassName: fc.constant('domain'),
      events: fc.oneof(fc.array(event), fc.anything()),
      entities: fc.oneof(fc.array(fc.anything()), fc.anything()),
    });
    fc.assert(
      fc.property(anything, (body) => {
        const { created, expires } = readDomain(body, 'shop.test')!;
        for (const date of [created, expires]) expect(date === null || /^\d{4}-\d{2}-\d{2}$/.test(date)).toBe(true);
        readDomain(body.entities, 'shop.test');
        readBootstrap({ services: body.entities });
      }),
    );
  });

  test('the longest suffix decides', () => {
    const registries = new Map([
      ['ng', ['https://ng.test/']],
      ['com.ng', ['https://com.ng.test/']],
    ]);
    expect(registryOf(registries, 'shop.com.ng')).toBe('https://com.ng.test/');
    expect(registryOf(registries, 'shop.ng')).toBe('https://ng.test/');
    expect(registryOf(registries, 'shop.example')).toBeNull();
  });
});

describe('a registry that fails', () => {
  test.each<[string, Handle]>([
    ['says 429', (_, response) => response.writeHead(429, { 'retry-after': '30' }).end()],
    ['says 503', (_, response) => response.writeHead(503).end()],
    ['says nothing', () => {}],
    ['breaks off', (_, response) => response.socket!.destroy()],
    ['stalls in the middle', (_, response) => response.writeHead(200, { 'content-length': '1000' }).write('{')],
  ])('and %s is left alone', async (_, handle) => {
    const { asked, find } = await registry(handle, { timeoutMs: 800 });
    expect(await find('shop.test')).toBeNull();
    expect(await find('other.test')).toBeNull();
    expect(asked).toEqual(['/dns.json', '/rdap/domain/shop.test']);
  });

  test('is asked again once its pause is over, and a domain it did not answer for is not remembered', async () => {
    let isDown = true;
    const { find } = await registry((_, response) =>
      isDown ? response.writeHead(429, { 'retry-after': '0' }).end() : json(response, answerOf('shop.test')),
    );
    expect(await find('shop.test')).toBeNull();
    isDown = false;
    expect(await find('shop.test')).toMatchObject({ registered: true });
  });

  test.each<[string, Handle]>([
    ['no bootstrap', (_, response) => response.end('{"services":[]}')],
    ['a bootstrap that is down', (_, response) => response.writeHead(500).end()],
  ])('with %s nothing is known, and it is not asked again at once', async (_, bootstrap) => {
    const { asked, find } = await registry(() => {}, {}, bootstrap);
    expect(await find('shop.test')).toBeNull();
    expect(await find('other.test')).toBeNull();
    expect(asked).toEqual(['/dns.json']);
  });

  test('one caller giving up does not deprive the others of the answer', async () => {
    const { find } = await registry((path, response) => setTimeout(() => json(response, answerOf(path.split('/').at(-1)!)), 150));
    const patient = find('shop.test');
    expect(await find('shop.test', AbortSignal.timeout(30))).toBeNull();
    expect(await find('shop.test', AbortSignal.abort())).toBeNull();
    expect(await patient).toMatchObject({ registered: true });
  });
});

describe('redirects', () => {
  const hop =
    (hops: number): Handle =>
    (path, response) => {
      const at = Number(/hop(\d)/.exec(path)?.[1] ?? 0);
      if (at === hops) json(response, answerOf('shop.test'));
      else response.writeHead(302, { location: `/hop${at + 1}` }).end();
    };
  test('three are followed, not four', async () => {
    expect(await (await registry(hop(3))).find('shop.test')).toMatchObject({ registered: true });
    expect(await (await registry(hop(4))).find('shop.test')).toBeNull();
  });

  test.each(['ftp://example.com/', 'http://[', ''])('to %j are not followed', async (location) => {
    const { find } = await registry((_, response) => response.writeHead(301, { location }).end());
    expect(await find('shop.test')).toBeNull();
  });

  test('lead to neither plain http nor a private address', async () => {
    const { asked, base, find } = await registry(() => {}, { allowPrivate: false });
    expect(await find('shop.test')).toBeNull();
    const named = openRegistrations({
      bootstrapUrl: base.replace('http://127.0.0.1', 'https://registry.example'),
      timeoutMs: 1_000,
      cacheMax: 10,
      lookup: async () => ['127.0.0.1'],
    });
    onTestFinished(() => named.close());
    expect(await named.find('shop.test', new AbortController().signal)).toBeNull();
    expect(asked).toEqual([]);
  });
});
