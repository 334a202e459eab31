/** The dialogue with mail hosts: what it concludes, what it survives, and that it is polite. Real hosts on loopback addresses. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type MailboxProbeOptions, openMailboxProbe } from '../../../src/engines/email/mailbox.ts';
import { readRecipient } from '../../../src/engines/email/recipient.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';
import { waitFor } from '../../setup/database.ts';
import { address, listen, scriptedHost } from './loopback.ts';

const never = new AbortController().signal;
const pem = (name: string) => readFileSync(join(packageRoot(), 'test/fixtures/tls', name), 'utf8');

function probe(port: number, options: Partial<MailboxProbeOptions> = {}) {
  const opened = openMailboxProbe({
    helo: 'probe.example.com',
    from: 'postmaster@example.com',
    ports: [port],
    timeoutMs: 2_000,
    paceMs: 0,
    allowPrivate: true,
    lookup: async () => ['127.0.0.1'],
    ...options,
  });
  onTestFinished(() => opened.close());
  return {
    ask: (text: string, mx = ['mx.example.net'], signal = never) => opened.ask(address(text), mx, signal),
    close: () => opened.close(),
  };
}

interface Refusing extends Error {
  responseCode?: number;
}
const refusal = (code: number, message: string): Error => Object.assign<Refusing, object>(new Error(message), { responseCode: code });

/** `smtp-server` as a mail host; records what it was asked. */
async function mailHost(recipient: (local: string) => Error | null, options: SMTPServerOptions = {}) {
  const asked: { to: string; secure: boolean; utf8: boolean }[] = [];
  const messages: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address: to }, session, done) {
      const { args } = session.envelope.mailFrom as { args: Record<string, unknown> };
      asked.push({ to, secure: session.secure, utf8: 'SMTPUTF8' in (args || {}) });
      done(recipient(to.split('@')[0]!));
    },
    onData(_, __, done) {
      messages.push('data');
      done();
    },
    ...options,
  });
  server.on('error', () => {});
  return { port: await listen(server.server as unknown as Server), asked, messages };
}

const onlyAda = (local: string) => (local === 'ada' ? null : refusal(550, '5.1.1 no such user'));

/** A host that says 250 to everything, except where `replies` says otherwise by the command's first word. */
const obliging = (replies: Record<string, string | null>) => (line: string) => {
  const word = line.split(' ')[0]!.toUpperCase();
  return word in replies ? replies[word]! : word === 'QUIT' ? '221 2.0.0 bye\r\n' : '250 2.0.0 ok\r\n';
};
const host = (replies: Record<string, string | null>, greeting = '220 mx.example.net ESMTP\r\n') =>
  scriptedHost(greeting, obliging(replies));

describe('conclusions', () => {
  test('a mailbox that is accepted where a random one is not is deliverable; no message is sent', async () => {
    const { port, asked, messages } = await mailHost(onlyAda);
    const { ask } = probe(port);
    expect(await ask('ada@example.net')).toEqual({ deliverable: true, acceptAll: false, reason: 'accepted' });
    expect(asked.map(({ to }) => to)).toEqual(['ada@example.net', expect.stringMatching(/^[0-9a-f]{20}@example\.net$/)]);
    expect(await ask('bola@example.net')).toEqual({ deliverable: false, acceptAll: false, reason: 'rejected' });
    expect(messages).toEqual([]);
  });

  test('a catch-all domain is remembered, and says nothing about a single mailbox', async () => {
    const { port, asked } = await mailHost(() => null);
    const { ask } = probe(port);
    const answer = { deliverable: null, acceptAll: true, reason: 'accept_all' };
    expect(await ask('ada@example.net')).toEqual(answer);
    expect(await ask('bola@example.net')).toEqual(answer);
    expect(asked).toHaveLength(2);
  });

  test('that a domain is not catch-all is remembered too', async () => {
    const { port, asked } = await mailHost((local) => (local.length < 10 ? null : refusal(550, '5.1.1 no such user')));
    const { ask } = probe(port);
    await ask('ada@example.net');
    expect(await ask('bola@example.net')).toMatchObject({ deliverable: true });
    expect(asked).toHaveLength(3);
  });

  test('TLS is used where offered, whoever signed the certificate', async () => {
    const { port, asked } = await mailHost(onlyAda, { disabledCommands: ['AUTH'], cert: pem('server.pem'), key: pem('server.key') });
    expect(await probe(port).ask('ada@example.net')).toMatchObject({ deliverable: true });
    expect(asked.every(({ secure }) => secure)).toBe(true);
  });

  test('non-ASCII letters are sent where the host accepts them; otherwise nothing is known', async () => {
    const able = await mailHost((local) => (local === 'adé' ? null : refusal(550, '5.1.1 no')));
    expect(await probe(able.port).ask('adé@example.net')).toMatchObject({ deliverable: true });
    expect(able.asked[0]).toMatchObject({ utf8: true });
    const unable = await host({});
    expect(await probe(unable.port).ask('adé@example.net')).toMatchObject({ deliverable: null, reason: 'no_smtputf8' });
    expect(unable.told.some((line) => line.startsWith('RCPT'))).toBe(false);
  });

  test('an old host is greeted with HELO', async () => {
    const { port, told } = await host({ EHLO: '502 5.5.1 unknown command\r\n' });
    expect(await probe(port).ask('ada@example.net')).toMatchObject({ acceptAll: true });
    expect(told.slice(0, 3)).toEqual(['EHLO probe.example.com', 'HELO probe.example.com', 'MAIL FROM:<postmaster@example.com>']);
  });

  test('a dialogue ends politely', async () => {
    const { port, told } = await host({});
    await probe(port).ask('ada@example.net');
    await waitFor('QUIT', () => told.includes('QUIT'));
    expect(told.slice(-2)).toEqual(['RSET', 'QUIT']);
  });

  test.each([
    ['250 2.1.5 ok', 'accepted'],
    ['251 user not local; will forward', 'accepted'],
    ['252 cannot verify', 'unclear'],
    ['550 5.1.1 no such user', 'rejected'],
    ['550-5.1.1 The email account that you tried to reach does not exist', 'rejected'],
    ['550 5.2.1 The email account is inactive', 'rejected'],
    ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'rejected'],
    ['550 5.4.1 all relays are down', 'blocked'],
    ['550 5.4.4 no route', 'unclear'],
    ['550 User unknown', 'rejected'],
    ['550 No such user here', 'rejected'],
    ['553 sorry, that mailbox is not found', 'rejected'],
    ['550 5.0.0 invalid recipient', 'rejected'],
    ['550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)', 'rejected'],
    ['550 Sender address rejected: Domain not found', 'blocked'],
    ['550 no', 'unclear'],
    ['500 what?', 'unclear'],
    ['550 5.7.1 Service unavailable; client host blocked using Spamhaus', 'blocked'],
    ['550 5.1.1 rejected, your host is on our blocklist', 'blocked'],
    ['554 5.7.1 Relay access denied', 'blocked'],
    ['550 5.1.8 sender address rejected', 'blocked'],
    ['552 5.2.2 mailbox full', 'full'],
    ['552 mailbox is full', 'full'],
    ['452 4.2.2 over quota', 'full_now'],
    ['450 4.2.0 Greylisted, try again later', 'greylisted'],
    ['451 4.7.1 Greylisting in action', 'greylisted'],
    ['451 4.7.1 try later', 'blocked'],
    ['451 4.3.0 local error', 'deferred'],
    ['421 too many connections', 'blocked'],
  ])('"%s" means %s', (line, verdict) => {
    const enhanced = /^\d{3}[ -](\d\.\d+\.\d+)/.exec(line)?.[1] ?? null;
    expect(readRecipient({ code: Number(line.slice(0, 3)), enhanced, lines: [line.slice(4)] })).toBe(verdict);
  });

  test.each([
    ['450 4.2.0 Greylisted', { deliverable: null, reason: 'greylisted' }],
    ['452 4.2.2 over quota', { deliverable: null, reason: 'full' }],
    ['552 5.2.2 over quota', { deliverable: false, reason: 'full' }],
    ['554 5.7.1 blocked by Spamhaus', { deliverable: null, reason: 'blocked' }],
    ['550 no', { deliverable: null, reason: 'unclear' }],
    ['550-5.1.1 no such\r\n550 5.1.1 user', { deliverable: false, reason: 'rejected' }],
  ])('RCPT answered with %j', async (reply, answer) => {
    const { port } = await host({ RCPT: `${reply}\r\n` });
    expect(await probe(port).ask('ada@example.net')).toMatchObject(answer);
  });

  test('a doubt about the random mailbox is a doubt about this one', async () => {
    let recipients = 0;
    const { port } = await scriptedHost('220 hello\r\n', (line) => {
      if (line.startsWith('RCPT')) return recipients++ === 0 ? '250 2.1.5 ok\r\n' : '451 4.7.0 slow down\r\n';
      return obliging({})(line);
    });
    expect(await probe(port).ask('ada@example.net')).toEqual({ deliverable: null, acceptAll: null, reason: 'unconfirmed' });
  });

  test('a host that refuses us before the mailbox says nothing about it', async () => {
    const refusals: Record<string, string>[] = [{ MAIL: '550 5.7.1 go away\r\n' }, { EHLO: '550 no\r\n', HELO: '550 no\r\n' }];
    for (const replies of refusals)
      expect(await probe((await host(replies)).port).ask('ada@example.net')).toMatchObject({ deliverable: null, reason: 'blocked' });
    const greeting = await host({}, '554 no mail from you\r\n');
    expect(await probe(greeting.port).ask('ada@example.net')).toMatchObject({ deliverable: null, reason: 'blocked' });
    const busy = await host({}, '421 busy\r\n');
    expect(await probe(busy.port).ask('ada@example.net')).toMatchObject({ deliverable: null, reason: 'deferred' });
  });
});

describe('survival', () => {
  const hello = '220 hello\r\n';
  const ending = (_: unknown) => null;
  test.each<[string, string, (line: string, socket: { end(): void; destroy(): void; write(text: string): void }) => string | null, string]>(
    [
      ['says nothing', '', () => null, 'timeout'],
      ['hangs after the greeting', hello, () => null, 'timeout'],
      ['hangs in the middle of a reply', hello, () => '250-half\r\n', 'timeout'],
      ['closes at once', hello, (_, socket) => ending(socket.end()), 'unreachable'],
      ['resets', hello, (_, socket) => ending(socket.destroy()), 'unreachable'],
      ['greets with nonsense', 'HTTP/1.1 400 Bad Request\r\n', () => null, 'unreachable'],
      ['sends a line without end', hello, () => 'x'.repeat(100_000), 'unreachable'],
      ['sends a long line', hello, () => `250 ${'x'.repeat(600)}\r\n`, 'unreachable'],
      ['sends lines for ever', hello, () => '250-more\r\n'.repeat(5_000), 'unreachable'],
      ['changes the code within a reply', hello, () => '250-one\r\n550 two\r\n', 'unreachable'],
      ['answers before it is asked', `${hello}250 ok\r\n250 ok\r\n250 ok\r\n`, () => null, 'unreachable'],
      ['answers twice', hello, () => '250 ok\r\n250 ok\r\n', 'unreachable'],
      [
        'offers TLS but does not speak it',
        hello,
        (line) => (line.startsWith('EHLO') ? '250-hello\r\n250 STARTTLS\r\n' : '220 go\r\nnot TLS'),
        'unreachable',
      ],
      [
        'sends something after the reply to STARTTLS',
        hello,
        (line) => (line.startsWith('EHLO') ? '250-a\r\n250 STARTTLS\r\n' : '220 go\r\n250 injected\r\n'),
        'unreachable',
      ],
    ],
  )('a host that %s', async (_, greeting, answer, reason) => {
    const { port } = await scriptedHost(greeting, answer);
    expect(await probe(port, { timeoutMs: 400 }).ask('ada@example.net')).toEqual({ deliverable: null, acceptAll: null, reason });
  });

  test('whatever a host sends, there is an answer', async () => {
    const word = fc.constantFrom('220 ', '250-', '250 ', '550 5.1.1 ', '\r\n', '\n', '\u0000', '99', 'é', 'STARTTLS', ' ', 'x'.repeat(300));
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 12 }),
        fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 6 }),
        async (greeting, replies) => {
          let i = 0;
          const { port } = await scriptedHost(greeting.join(''), () => (replies[i++] ?? ['221 bye\r\n']).join(''));
          expect(await probe(port, { timeoutMs: 60 }).ask('ada@example.net')).toMatchObject({ reason: expect.any(String) });
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a slow host gets no more than the total time', async () => {
    const timers = new Set<NodeJS.Timeout>();
    onTestFinished(() => timers.forEach(clearInterval));
    const { port } = await scriptedHost('220 hello\r\n', (_, socket) => {
      timers.add(setInterval(() => socket.write('2'), 50));
      return null;
    });
    const began = performance.now();
    expect(await probe(port, { timeoutMs: 400 }).ask('ada@example.net')).toMatchObject({ deliverable: null });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('the caller may give up', async () => {
    const { port } = await scriptedHost('', () => null);
    expect(await probe(port).ask('ada@example.net', ['mx.example.net'], AbortSignal.timeout(50))).toMatchObject({ reason: 'timeout' });
    expect(await probe(port).ask('ada@example.net', ['mx.example.net'], AbortSignal.abort())).toMatchObject({ reason: 'timeout' });
  });

  test('closing ends dialogues in progress', async () => {
    const { port } = await scriptedHost('', () => null);
    const { ask, close } = probe(port, { timeoutMs: 20_000 });
    const answer = ask('ada@example.net');
    await close();
    expect(await answer).toMatchObject({ deliverable: null });
  });

  test.each([
    'ada\r\nDATA@example.net',
    'ada@example.net>\r\nRSET\r\nMAIL FROM:<x',
    'ada>@example.net',
    'a da@example.net',
    '"a\nb"@example.net',
    'ada\u0000@example.net',
    `${'a'.repeat(65)}@example.net`,
    `ada@${'a'.repeat(254)}.net`,
    '@example.net',
    'ada@',
  ])('%j is never sent', async (text) => {
    const { port, told } = await host({});
    expect(await probe(port).ask(text)).toEqual({ deliverable: null, acceptAll: null, reason: 'unsendable' });
    expect(told).toEqual([]);
  });

  test('a quoted local part is sent as it is', async () => {
    const { port, told } = await host({});
    await probe(port).ask('"ada bola"@example.net');
    expect(told).toContain('RCPT TO:<"ada bola"@example.net>');
  });

  test('names that would inject commands are refused at the start', () => {
    for (const wrong of [{ helo: 'a\r\nb' }, { helo: '' }, { from: 'a@b\r\nDATA' }, { from: 'ada' }])
      expect(() => probe(25, wrong)).toThrow();
  });
});

describe('connections', () => {
  test('no private address, whether by name, by number or in another spelling', async () => {
    const { port, told } = await host({});
    const unknown = { deliverable: null, acceptAll: null, reason: 'unreachable' };
    for (const found of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', '0.0.0.0'])
      expect(await probe(port, { allowPrivate: false, lookup: async () => [found] }).ask('ada@example.net')).toEqual(unknown);
    for (const literal of ['127.0.0.1', '::1', 'localhost'])
      expect(await probe(port, { allowPrivate: false }).ask('ada@example.net', [literal])).toEqual(unknown);
    expect(told).toEqual([]);
  });

  test('the next host when one is unreachable, at most three', async () => {
    const { port } = await mailHost(onlyAda);
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      if (name === 'gone.example.net') throw new Error('no such name');
      return [name === 'dead.example.net' ? '127.0.0.9' : '127.0.0.1'];
    };
    const { ask } = probe(port, { lookup });
    expect(await ask('ada@example.net', ['gone.example.net', 'dead.example.net', 'mx.example.net.'])).toMatchObject({ deliverable: true });
    expect(
      await ask(
        'ada@example.org',
        ['a', 'b', 'c', 'd'].map(() => 'gone.example.net'),
      ),
    ).toMatchObject({ reason: 'unreachable' });
    expect(asked.filter((name) => name === 'gone.example.net').length).toBeLessThanOrEqual(4);
    expect(await ask('ada@example.org', [])).toMatchObject({ reason: 'unreachable' });
  });

  test('the next port', async () => {
    const { port } = await mailHost(onlyAda);
    expect(await probe(port, { ports: [1, port] }).ask('ada@example.net')).toMatchObject({ deliverable: true });
  });
});

describe('politeness', () => {
  test('one dialogue at a time with a host, and a minimum interval', async () => {
    let open = 0;
    let most = 0;
    const began: number[] = [];
    const server = createServer((socket) => {
      began.push(performance.now());
      most = Math.max(most, ++open);
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        const text = String(chunk);
        if (text.startsWith('QUIT')) open--;
        setTimeout(
          () => socket.write(text.startsWith('QUIT') ? '221 bye\r\n' : text.startsWith('RCPT') ? '550 5.1.1 no\r\n' : '250 ok\r\n'),
          5,
        );
      });
    });
    const { ask } = probe(await listen(server), { paceMs: 60 });
    const started = performance.now();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((local) => ask(`${local}@example.net`)));
    expect(answers.map(({ reason }) => reason)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect(most).toBe(1);
    // Measured from our side: when the host sees a connection depends on how busy the machine is.
    expect(began[3]! - started).toBeGreaterThanOrEqual(175);
  });

  test('a caller who would wait too long is told at once', async () => {
    const { port } = await host({ RCPT: '550 5.1.1 no\r\n' });
    const { ask } = probe(port, { paceMs: 60_000 });
    expect(await ask('ada@example.net')).toMatchObject({ reason: 'rejected' });
    const began = performance.now();
    expect(await ask('bola@example.net')).toEqual({ deliverable: null, acceptAll: null, reason: 'paced' });
    expect(performance.now() - began).toBeLessThan(500);
    // Another host has its own pace.
    expect(await ask('bola@example.net', ['mx2.example.net'])).toMatchObject({ reason: 'rejected' });
  });

  test('a caller who gives up does not count against the host', async () => {
    let isSlow = true;
    const { port } = await scriptedHost('220 hello\r\n', (line) => (isSlow ? null : obliging({ RCPT: '550 5.1.1 no\r\n' })(line)));
    const { ask } = probe(port);
    for (let i = 0; i < 4; i++)
      expect(await ask('ada@example.net', ['mx.example.net'], AbortSignal.timeout(30))).toMatchObject({ reason: 'timeout' });
    isSlow = false;
    expect(await ask('ada@example.net')).toMatchObject({ reason: 'rejected' });
  });

  test('a failing host is left alone', async () => {
    const { port, told } = await host({ MAIL: '554 5.7.1 blocked\r\n' });
    const { ask } = probe(port);
    for (let i = 0; i < 6; i++) expect(await ask('ada@example.net')).toMatchObject({ deliverable: null });
    expect(told.filter((line) => line.startsWith('MAIL'))).toHaveLength(3);
  });
});
