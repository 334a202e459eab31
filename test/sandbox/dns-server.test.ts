/** The scripted name server, asked by Node's own resolver. */
import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DnsServer, openDnsServer } from '../../src/sandbox/internet/dns-server.ts';

const many = Array.from({ length: 400 }, (_, i) => [i, `mx${i}.huge.test`] as const);

let server: DnsServer;
let resolver: Resolver;
beforeAll(async () => {
  server = await openDnsServer({
    'mail.test': {
      mx: [
        [20, 'b.mail.test'],
        [10, 'a.mail.test'],
      ],
      a: ['192.0.2.1'],
      aaaa: ['2001:db8::1'],
      txt: ['v=spf1 -all', 'x'.repeat(300)],
    },
    'alias.test': { cname: 'mail.test' },
    'round.test': { cname: 'about.test' },
    'about.test': { cname: 'round.test' },
    'huge.test': { mx: many },
    'servfail.test': 'servfail',
    'refused.test': 'refused',
    'silent.test': 'silent',
    'malformed.test': 'malformed',
    'truncated.test': 'truncated',
    'partly.test': { mx: [[10, 'a.mail.test']], txt: 'servfail' },
  });
  resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
});
afterAll(() => server.close());

const failure = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    (found) => `answered ${JSON.stringify(found)}`,
    (error: { code: string }) => error.code,
  );

describe('a name on record', () => {
  test('answers each type, and counts its questions', async () => {
    const before = server.questions();
    expect((await resolver.resolveMx('MAIL.test')).toSorted((a, b) => a.priority - b.priority)).toEqual([
      { exchange: 'a.mail.test', priority: 10 },
      { exchange: 'b.mail.test', priority: 20 },
    ]);
    expect(await resolver.resolve4('mail.test', { ttl: true })).toEqual([{ address: '192.0.2.1', ttl: 300 }]);
    expect(await resolver.resolve6('mail.test')).toEqual(['2001:db8::1']);
    const texts = (await resolver.resolveTxt('mail.test')).map((parts) => parts.join(''));
    expect(texts).toEqual(['v=spf1 -all', 'x'.repeat(300)]);
    expect(server.questions() - before).toBe(4);
  });

  test('has other types without records', async () => {
    expect(await failure(resolver.resolve4('huge.test'))).toBe('ENODATA');
    expect(await failure(resolver.resolveSrv('mail.test'))).toBe('ENODATA');
  });

  test('is found by its alias', async () => expect(await resolver.resolve4('alias.test')).toEqual(['192.0.2.1']));

  test('is sent whole over TCP if it is too large for UDP', async () => expect(await resolver.resolveMx('huge.test')).toHaveLength(400));

  test('may have a fault in one type only', async () => {
    expect(await resolver.resolveMx('partly.test')).toHaveLength(1);
    expect(await failure(resolver.resolveTxt('partly.test'))).toBe('ESERVFAIL');
  });
});

describe('a fault', () => {
  test.each([
    ['nobody.test', ['ENOTFOUND']],
    ['servfail.test', ['ESERVFAIL']],
    ['refused.test', ['EREFUSED']],
    ['silent.test', ['ETIMEOUT']],
    ['malformed.test', ['EBADRESP', 'ETIMEOUT']],
    ['truncated.test', ['ECONNREFUSED', 'ETIMEOUT', 'EBADRESP', 'ENODATA']],
    ['round.test', ['answered []']],
  ])('%s', async (name, codes) => {
    expect(codes).toContain(await failure(resolver.resolve4(name)));
  });
});

test('a name in no zone may still be answered, after the latency', async () => {
  const other = await openDnsServer({}, { latencyMs: 50, otherwise: (name) => ({ a: ['192.0.2.2'], txt: [name] }) });
  const asking = new Resolver({ timeout: 1_000, tries: 1 });
  asking.setServers([`127.0.0.1:${other.port}`]);
  const began = performance.now();
  expect(await asking.resolveTxt('anything.example')).toEqual([['anything.example']]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(45);
  await other.close();
});
