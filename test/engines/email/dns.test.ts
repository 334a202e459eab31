/** What DNS says of a mail domain, asked of scripted name servers on loopback by Node's own resolver. */
import { createSocket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DnsOptions, openDns, UNKNOWN_HOSTING } from '../../../src/engines/email/dns.ts';
import { type DnsRecords, type DnsServerOptions, type DnsZones, openDnsServer } from '../../../src/sandbox/internet/dns-server.ts';
import { waitFor } from '../../setup/database.ts';

const PUBLIC = '8.8.8.8';
const never = new AbortController().signal;
// A thousand wait at once below; the engine gives each its own signal.
setMaxListeners(0, never);

async function serve(zones: DnsZones, options: DnsServerOptions = {}) {
  const server = await openDnsServer(zones, options);
  onTestFinished(() => server.close());
  return { server, address: `127.0.0.1:${server.port}` };
}

function dnsAt(servers: string[], options: Partial<DnsOptions> = {}) {
  const dns = openDns({ servers, timeoutMs: 300, tries: 2, concurrency: 50, cacheMax: 1_000, ...options });
  onTestFinished(() => dns.close());
  return dns;
}

async function ask(domain: string, zones: DnsZones, options: Partial<DnsOptions> = {}) {
  const { address } = await serve(zones);
  return dnsAt([address], options).mailDomain(domain, never);
}

/** The mail hosts and addresses of a healthy domain. */
const inOrder: DnsRecords = {
  mx: [
    [20, 'b.mail.example'],
    [10, 'A.mail.example'],
  ],
  a: [PUBLIC],
  txt: ['v=spf1 include:_spf.mail.example -all', 'something=else'],
};
const hosts: DnsZones = { 'a.mail.example': { a: [PUBLIC] }, 'b.mail.example': { aaaa: ['2001:4860:4860::8888'] } };

describe('a domain', () => {
  test('in good order gives its hosts by preference, its policies and its website', async () => {
    const zones = { ...hosts, 'shop.example': inOrder, '_dmarc.shop.example': { txt: ['v=DMARC1; p=reject'] } };
    expect(await ask('shop.example', zones)).toEqual({
      exists: true,
      acceptsMail: true,
      mx: ['a.mail.example', 'b.mail.example'],
      hasNullMx: false,
      isPrivateMx: false,
      spf: 'strict',
      dmarc: 'reject',
      hasWebsite: true,
    });
  });

  test('that does not exist takes no mail, and nothing about it is unknown', async () => {
    const found = await ask('nowhere.example', {});
    expect(found).toMatchObject({ exists: false, acceptsMail: false, mx: [], spf: 'none', dmarc: 'absent', hasWebsite: false });
  });

  test('without MX takes mail at its own address (RFC 5321, 5.1), and without an address none', async () => {
    const zones: DnsZones = { 'plain.example': { a: [PUBLIC] }, 'bare.example': { txt: ['hello'] } };
    expect(await ask('plain.example', zones)).toMatchObject({ acceptsMail: true, mx: ['plain.example'] });
    expect(await ask('bare.example', zones)).toMatchObject({ exists: true, acceptsMail: false, mx: [], hasWebsite: false });
  });

  test('with a null MX takes none (RFC 7505), even with an address', async () => {
    const found = await ask('null.example', { 'null.example': { mx: [[0, '.']], a: [PUBLIC] } });
    expect(found).toMatchObject({ exists: true, acceptsMail: false, hasNullMx: true, mx: [] });
  });

  test('with a website only at www, or only over IPv6, has a website', async () => {
    const zones: DnsZones = { 'w.example': { txt: ['x'] }, 'www.w.example': { a: [PUBLIC] }, 'six.example': { aaaa: ['2001:4860::1'] } };
    expect((await ask('w.example', zones)).hasWebsite).toBe(true);
    expect((await ask('six.example', zones)).hasWebsite).toBe(true);
    expect((await ask('parked.example', { 'parked.example': { a: ['127.0.0.1'] } })).hasWebsite).toBe(false);
  });

  test('behind a CNAME is followed to its end, and a CNAME loop ends', async () => {
    const zones: DnsZones = {
      ...hosts,
      'alias.example': { cname: 'shop.example' },
      'shop.example': inOrder,
      'round.example': { cname: 'about.example' },
      'about.example': { cname: 'round.example' },
    };
    expect(await ask('alias.example', zones)).toMatchObject({ acceptsMail: true, spf: 'strict' });
    expect(await ask('round.example', zones)).toMatchObject({ acceptsMail: false, mx: [] });
  });
});

describe('mail hosts', () => {
  const privates = ['127.0.0.1', '10.1.2.3', '192.168.0.5', '169.254.169.254', '100.64.0.1', '0.0.0.0', '192.0.2.7'];

  test.each(privates)('at %s are not passed on', async (address) => {
    const zones: DnsZones = { 'inner.example': { mx: [[1, 'mx.inner.example']] }, 'mx.inner.example': { a: [address] } };
    expect(await ask('inner.example', zones)).toMatchObject({ acceptsMail: false, mx: [], isPrivateMx: true });
  });

  test('at private addresses of IPv6, or of IPv4 embedded in it, are not passed on', async () => {
    const aaaa = ['::1', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'];
    const zones: DnsZones = { 'inner.example': { mx: [[1, 'mx.inner.example']] }, 'mx.inner.example': { aaaa } };
    expect(await ask('inner.example', zones)).toMatchObject({ acceptsMail: false, mx: [], isPrivateMx: true });
  });

  test('with a private and a public address keep the public one', async () => {
    const zones: DnsZones = {
      'two.example': {
        mx: [
          [1, 'in.two.example'],
          [2, 'out.two.example'],
        ],
      },
      'in.two.example': { a: ['10.0.0.1'] },
      'out.two.example': { a: [PUBLIC] },
    };
    expect(await ask('two.example', zones)).toMatchObject({ acceptsMail: true, mx: ['out.two.example'], isPrivateMx: false });
  });

  test('at loopback are passed on if the operator allows it', async () => {
    const zones: DnsZones = { 'inner.example': { mx: [[1, 'mx.inner.example']] }, 'mx.inner.example': { a: ['127.0.0.1'] } };
    expect(await ask('inner.example', zones, { allowPrivate: true })).toMatchObject({ acceptsMail: true, mx: ['mx.inner.example'] });
  });

  test('that are an address, a single word, or unresolvable are dropped', async () => {
    const mx = [
      [1, '8.8.8.8'],
      [2, 'localhost'],
      [3, 'gone.example'],
    ] as const;
    expect(await ask('odd.example', { 'odd.example': { mx } })).toMatchObject({ acceptsMail: false, mx: [], isPrivateMx: false });
  });

  test('in an answer of 400 are cut to the ten preferred ones', async () => {
    const mx = Array.from({ length: 400 }, (_, i) => [400 - i, `mx${400 - i}.huge.example`] as const);
    const { address } = await serve({ 'huge.example': { mx } }, { otherwise: () => ({ a: [PUBLIC] }) });
    const found = await dnsAt([address]).mailDomain('huge.example', never);
    expect(found.mx).toEqual(Array.from({ length: 10 }, (_, i) => `mx${i + 1}.huge.example`));
  });
});

describe('policies', () => {
  const spfCases: [string, string[], string | null][] = [
    ['-all', ['v=spf1 mx -all'], 'strict'],
    ['~all', ['V=SPF1 ~ALL'], 'soft'],
    ['?all', ['v=spf1 ?all'], 'open'],
    ['all', ['v=spf1 all'], 'open'],
    ['no all', ['v=spf1 mx'], 'open'],
    ['two records', ['v=spf1 -all', 'v=spf1 ~all'], 'none'],
    ['another version', ['v=spf10 -all'], 'none'],
    ['a redirect', ['v=spf1 redirect=_spf.mail.example'], 'soft'],
    ['a redirect to nothing', ['v=spf1 redirect=nowhere.example'], 'none'],
    ['all before a redirect', ['v=spf1 redirect=_spf.mail.example -all'], 'strict'],
    ['a redirect to a redirect', ['v=spf1 redirect=twice.example'], null],
    ['a redirect that cannot be resolved', ['v=spf1 redirect=broken.example'], null],
    ['a text in pieces', [`v=spf1 ${'ip4:8.8.8.8 '.repeat(40)}-all`], 'strict'],
  ];
  test.each(spfCases)('SPF with %s', async (_, txt, expected) => {
    const zones: DnsZones = {
      'd.example': { txt },
      '_spf.mail.example': { txt: ['v=spf1 ~all'] },
      'twice.example': { txt: ['v=spf1 redirect=_spf.mail.example'] },
      'broken.example': 'servfail',
    };
    expect((await ask('d.example', zones)).spf).toBe(expected);
  });

  const dmarcCases: [string, string | null, string | null, string][] = [
    ['of its own', 'v=DMARC1; p=quarantine; pct=50', 'v=DMARC1; p=reject', 'quarantine'],
    ['of the organization', null, 'v=DMARC1; p=reject', 'reject'],
    ['of the organization for sub-domains', null, 'v=DMARC1;p=reject;sp=none', 'none'],
    ['that is unreadable, with reports', 'v=DMARC1; p=maybe; rua=mailto:a@example.org', null, 'none'],
    ['nowhere', null, null, 'absent'],
  ];
  test.each(dmarcCases)('DMARC %s', async (_, own, organization, expected) => {
    const zones: DnsZones = {
      'news.bank.example': { a: [PUBLIC] },
      ...(own ? { '_dmarc.news.bank.example': { txt: [own] } } : {}),
      ...(organization ? { '_dmarc.bank.example': { txt: [organization] } } : {}),
    };
    expect((await ask('news.bank.example', zones)).dmarc).toBe(expected);
  });
});

describe('an unanswered question is unknown', () => {
  test.each(['servfail', 'refused', 'silent', 'malformed', 'truncated'] as const)('%s', async (fault) => {
    expect(await ask('ill.example', { 'ill.example': fault, '_dmarc.ill.example': fault, 'www.ill.example': fault })).toEqual(
      UNKNOWN_HOSTING,
    );
  });

  test('if only one of several fails, the others keep their answers', async () => {
    const zones: DnsZones = { ...hosts, 'partly.example': { ...inOrder, txt: 'servfail' } };
    expect(await ask('partly.example', zones)).toMatchObject({ acceptsMail: true, spf: null, dmarc: 'absent', hasWebsite: true });
  });

  test('about the mail hosts: whether mail is accepted', async () => {
    const zones: DnsZones = { 'd.example': { mx: [[1, 'mx.d.example']], a: [PUBLIC] }, 'mx.d.example': 'servfail' };
    expect(await ask('d.example', zones)).toMatchObject({ exists: true, acceptsMail: null, mx: [], isPrivateMx: null });
  });

  test('with no server at all', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    await new Promise<void>((closed) => socket.close(closed));
    expect(await dnsAt([`127.0.0.1:${port}`]).mailDomain('shop.example', never)).toEqual(UNKNOWN_HOSTING);
  });

  test('a silent server is left after its time-out, and asked last after three of them', async () => {
    const silent = await serve({}, { otherwise: () => 'silent' });
    const good = await serve({ ...hosts, 'shop.example': inOrder }, { otherwise: () => inOrder });
    const dns = dnsAt([silent.address, good.address]);
    expect(await dns.mailDomain('shop.example', never)).toMatchObject({ acceptsMail: true, spf: 'strict' });
    const asked = silent.server.questions();
    expect(asked).toBeGreaterThan(0);
    for (let i = 0; i < 10; i++) expect(await dns.mailDomain(`d${i}.example`, never)).toMatchObject({ exists: true });
    expect(silent.server.questions() - asked).toBeLessThan(6);
  });

  test("a server's SERVFAIL is not believed while another one answers", async () => {
    const ill = await serve({}, { otherwise: () => 'servfail' });
    const good = await serve({ ...hosts, 'shop.example': inOrder });
    expect(await dnsAt([ill.address, good.address]).mailDomain('shop.example', never)).toMatchObject({ acceptsMail: true, spf: 'strict' });
  });

  test('for a caller out of time; the next caller gets it', async () => {
    const { address } = await serve({ ...hosts, 'shop.example': inOrder }, { latencyMs: 100 });
    const dns = dnsAt([address]);
    expect(await dns.mailDomain('shop.example', AbortSignal.timeout(20))).toEqual(UNKNOWN_HOSTING);
    expect(await dns.mailDomain('shop.example', never)).toMatchObject({ acceptsMail: true });
  });
});

describe('a domain is asked about once', () => {
  test('for a thousand callers at the same time, and a thousand after them', async () => {
    const { server, address } = await serve({ ...hosts, 'shop.example': inOrder }, { latencyMs: 20 });
    const dns = dnsAt([address]);
    await Promise.all(Array.from({ length: 1_000 }, () => dns.mailDomain('shop.example', never)));
    // MX, TXT, A, DMARC; one A for the first host, A and AAAA for the second.
    expect(server.questions()).toBe(7);
    for (let i = 0; i < 1_000; i++) await dns.mailDomain('shop.example', never);
    expect(server.questions()).toBe(7);
  });

  test("and a provider's hosts once for all its domains", async () => {
    const { server, address } = await serve(hosts, { otherwise: () => inOrder });
    const dns = dnsAt([address]);
    for (let i = 0; i < 5; i++) await dns.mailDomain(`d${i}.example`, never);
    expect(server.questions()).toBe(5 * 4 + 3);
  });

  test.each([
    ['an hour at most', { ...inOrder, ttlSeconds: 86_400 }, 60],
    ['as long as its addresses are', { ...inOrder, ttlSeconds: 1_200 }, 20],
    ['five minutes at least', { ...inOrder, ttlSeconds: 1 }, 5],
    ['two minutes where nobody takes mail', { mx: [[0, '.']], ttlSeconds: 86_400 }, 2],
    ['two minutes where it does not exist', 'nxdomain', 2],
    ['20 s where something was not answered', { ...inOrder, txt: 'servfail' }, 1 / 3],
  ] as const)('and kept for %s', async (_, records, minutes) => {
    const { server, address } = await serve({ ...hosts, 'shop.example': records as DnsRecords });
    let now = 1_000;
    const dns = dnsAt([address], { clock: { now: () => now } });
    await dns.mailDomain('shop.example', never);
    const asked = server.questions();
    now += minutes * 60_000 - 1;
    await dns.mailDomain('shop.example', never);
    expect(server.questions()).toBe(asked);
    now += 2;
    await dns.mailDomain('shop.example', never);
    expect(server.questions()).toBeGreaterThan(asked);
  });

  test('even when more are asked about than are kept', async () => {
    const { address } = await serve(hosts, { latencyMs: 20, otherwise: () => inOrder });
    const dns = dnsAt([address], { cacheMax: 2 });
    const found = await Promise.all(Array.from({ length: 60 }, (_, i) => dns.mailDomain(`d${i}.example`, never)));
    expect(found.every(({ acceptsMail, spf }) => acceptsMail === true && spf === 'strict')).toBe(true);
  });

  test('with a bounded number of questions in flight', async () => {
    const { server, address } = await serve(hosts, { latencyMs: 100, otherwise: () => inOrder });
    const dns = dnsAt([address], { concurrency: 5 });
    const asked = Promise.all(Array.from({ length: 10 }, (_, i) => dns.mailDomain(`d${i}.example`, never)));
    await waitFor('the first questions', () => server.questions() >= 5);
    expect(server.questions()).toBe(5);
    dns.close();
    await asked;
  });
});
