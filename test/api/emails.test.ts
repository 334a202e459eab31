/** Email risk over HTTP: the documented sandbox addresses, refusals, prices, and what remains when something is down. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmailEntity, emailChecks } from '../../src/checks/email.ts';
import { corpusFolder, corpusKeys } from '../../src/engines/email/breaches/corpus.ts';
import { importBreach } from '../../src/engines/email/breaches/import.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type DnsServer, type DnsZones, openDnsServer } from '../../src/sandbox/internet/dns-server.ts';
import { type Answer, type BatchEntity, type Client, type JobEntity, startApi, useApi } from '../setup/api.ts';

const PATH = '/api/v1/kyc/email';
const PRICE = 50;
const CACHED_PRICE = 20;

const dataFolder = mkdtempSync(join(tmpdir(), 'confam-emails-'));

const DEAD: DnsZones = { 'dead.example': 'servfail', '_dmarc.dead.example': 'servfail', 'www.dead.example': 'servfail' };

let nameServer: DnsServer;
afterAll(async () => {
  await nameServer.close();
  rmSync(dataFolder, { recursive: true, force: true });
});
const api = useApi(async () => {
  nameServer = await openDnsServer({
    'live.example': { mx: [[10, 'mail.live.example']], a: ['8.8.8.8'], txt: ['v=spf1 -all'] },
    '_dmarc.live.example': { txt: ['v=DMARC1; p=reject'] },
    'mail.live.example': { a: ['8.8.8.8'] },
    ...DEAD,
    'private.example': { mx: [[10, 'mail.private.example']], a: ['10.0.0.1'] },
    'mail.private.example': { a: ['127.0.0.1'] },
  });
  return {
    CONFAM_DNS_SERVERS: `127.0.0.1:${nameServer.port}`,
    CONFAM_DATA_DIR: dataFolder,
    CONFAM_EMAIL_RDAP: 'false',
    CONFAM_FACE_MODELS: '/nowhere',
    CONFAM_JOB_FAILURES_MAX: '2',
  };
});
beforeAll(async () => {
  const leaked = join(dataFolder, 'leaked.csv');
  writeFileSync(leaked, 'email,password\nleaked@live.example,x\nsomebody@live.example,y\n');
  const about = { name: 'ExampleLeak', date: '2020-02-29', hasPasswords: true, files: [leaked] };
  await importBreach(corpusFolder(dataFolder), corpusKeys(api.service.cipher)[0]!, about);
});

const ask = (client: Client, email: string): Promise<Answer<EmailEntity>> =>
  client.get<EmailEntity>(`${PATH}?${new URLSearchParams({ email })}`);

interface Documented {
  tries: string;
  address: string;
  /** The expected answer, by path; null: 424. */
  says: [path: string, value: unknown][] | null;
}

/** The table "Email" of docs/sandbox.md. */
function documented(): Documented[] {
  const section = readFileSync(join(packageRoot(), 'docs/sandbox.md'), 'utf8').split('\n## Email')[1]!.split('\n## ')[0]!;
  return [...section.matchAll(/^\| ([^|]+) \| `([^|`]+@[^|`]+)` \| ([^|]+) \|$/gm)].map(([, tries, address, answer]) => ({
    tries: tries!,
    address: address!,
    says: answer!.startsWith('424')
      ? null
      : [...answer!.matchAll(/`([\w.]+): ([^`]+)`/g)].map(([, path, value]) => [path!, JSON.parse(value!)]),
  }));
}

const member = (entity: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], entity);

test('a plus that was not escaped is refused with a hint at %2B', async () => {
  const app = await api.createApp();
  const refused = await app.get(`${PATH}?email=ada+shop@live.example`);
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('%2B')]);
  const other = await ask(app, 'ada@@live.example');
  expect([other.status, other.body.error]).toEqual([400, expect.not.stringContaining('%2B')]);
});

describe('the addresses of docs/sandbox.md', () => {
  const rows = documented();

  test('are all in the table that these tests read', () => expect(rows.length).toBeGreaterThanOrEqual(20));

  test.each(rows)('$tries: $address', async ({ address, says }) => {
    const app = await api.createApp();
    const { status, body, text } = await ask(app, address);
    if (says === null) expect([status, body.code], text).toEqual([424, 'provider_failed']);
    else {
      expect(status, text).toBe(200);
      expect(says.length, 'nothing is said of it').toBeGreaterThan(0);
      expect(Object.fromEntries(says.map(([path]) => [path, member(body.entity, path)])), text).toEqual(Object.fromEntries(says));
    }
  });

  test('get the same answers in a batch as in calls, each charged once', async () => {
    const app = await api.createApp();
    const { batch, results } = await run(
      app,
      rows.map(({ address }) => address),
    );
    const answered = rows.filter(({ says }) => says !== null).length;
    expect(batch.counts).toMatchObject({ rows: rows.length, found: answered, failed: rows.length - answered });
    expect(batch.billed_amount).toBe(answered * PRICE);
    for (const [i, { says }] of rows.entries())
      expect(says?.map(([path]) => member(results[i]!.entity!, path)) ?? null).toEqual(says?.map(([, value]) => value) ?? null);
  });
});

describe('the answer', () => {
  test('has every declared member, and is the same by a call and a job', async () => {
    const app = await api.createApp();
    const { body } = await ask(app, ' Morenike.Durojaiye@GMAIL.com ');
    expect(body).toMatchObject({ status: 'success', billed_amount: PRICE, cached: false, meta: { service: 'email_risk' } });
    expect(Object.keys(body.entity)).toEqual(Object.keys(emailChecks[0]!.entity.shape));
    expect(body.entity.email).toBe('morenike.durojaiye@gmail.com');
    const { id } = (await app.job({ check: 'email_risk', input: { email: 'ngozi.eze@greylisted.test' } })).body.entity;
    const job = await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    expect(job).toMatchObject({ status: 'completed', outcome: 'found', billed_amount: PRICE });
    expect((await ask(app, 'ngozi.eze@greylisted.test')).body.entity).toEqual(job.result);
  });

  test('comes from the cache the second time, at its price', async () => {
    const app = await api.createApp();
    const first = await ask(app, 'adaeze.okonkwo@example.com.ng');
    const second = await ask(app, 'Adaeze.Okonkwo@example.com.ng');
    expect([second.body.cached, second.body.billed_amount]).toEqual([true, CACHED_PRICE]);
    expect(second.body.entity).toEqual(first.body.entity);
    expect(await app.wallet()).toMatchObject({ available: 100_000 - PRICE - CACHED_PRICE, held: 0 });
  });

  test('is not cached if too much could not be asked', async () => {
    const app = await api.createApp();
    for (const _ of [1, 2]) {
      const { body } = await ask(app, 'ada@partly-down.test');
      expect([body.entity.confidence, body.cached]).toEqual(['low', false]);
    }
  });

  test('is separate for each spelling of a mailbox', async () => {
    const app = await api.createApp();
    const { results } = await run(app, ['ada.obi+shop@gmail.com', 'adaobi@gmail.com', 'adaobi@gmail.com']);
    expect(results.map(({ entity }) => [entity!.email, entity!.normalized])).toEqual([
      ['ada.obi+shop@gmail.com', 'adaobi@gmail.com'],
      ['adaobi@gmail.com', 'adaobi@gmail.com'],
      ['adaobi@gmail.com', 'adaobi@gmail.com'],
    ]);
    expect(results.map(({ duplicate_of }) => duplicate_of)).toEqual([null, null, 2]);
  });
});

describe('a live key', () => {
  test('asks the configured name servers', async () => {
    const { live } = await funded();
    const { body, text } = await ask(live, 'ada@live.example');
    expect(body.entity, text).toMatchObject({
      deliverable: null,
      deliverability: 'off',
      details: {
        domain_exists: true,
        valid_mx: true,
        primary_mx: 'mail.live.example',
        spf_strict: true,
        dmarc_enforced: true,
        data_breach: false,
      },
      domain_details: { registered: null, created: null },
      breach_details: { haveibeenpwned_listed: null, number_of_breaches: 0 },
    });
  });

  test('reports imported breaches', async () => {
    const { live } = await funded();
    const entityOf = async (address: string) => (await ask(live, address)).body.entity;
    expect(await entityOf('Leaked+news@live.example')).toMatchObject({
      references: 1,
      details: { data_breach: true, credentials_leaked: true, credentials_leaked_recent: false, first_seen: '2020-02-29' },
      breach_details: { haveibeenpwned_listed: null, number_of_breaches: 1, breaches: ['ExampleLeak'] },
    });
    expect(await entityOf('other@live.example')).toMatchObject({ references: 0, details: { data_breach: false, first_seen: null } });
  });

  test("gets what other sources know when a domain's name servers are silent, with low confidence", async () => {
    const { live } = await funded();
    const { body } = await ask(live, 'ada@dead.example');
    expect(body.entity).toMatchObject({ confidence: 'low', details: { domain_exists: null, valid_mx: null, data_breach: false } });
  });

  test('is told that mail hosts with private addresses take no mail', async () => {
    const { live } = await funded();
    const { body } = await ask(live, 'ada@private.example');
    expect(body.entity).toMatchObject({ details: { valid_mx: false, primary_mx: null, domain_exists: true } });
  });
});

test('without any name server, refuses calls and lets jobs wait, free of charge, until one answers', async () => {
  const port = await freePort();
  const away = await startApi({
    CONFAM_DNS_SERVERS: `127.0.0.1:${port}`,
    CONFAM_DATA_DIR: join(dataFolder, 'none'),
    CONFAM_EMAIL_RDAP: 'false',
    CONFAM_FACE_MODELS: '/nowhere',
  });
  try {
    const app = await away.createApp();
    await away.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'live' });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(app.live, `ada@d${i}.example`)));
    // The first calls ask; then it is known.
    for (const { status } of answers) expect([424, 503]).toContain(status);
    expect(answers.at(-1)!.body.code).toBe('provider_unavailable');
    const { id } = (await app.live.job({ check: 'email_risk', input: { email: 'ada@live.example' } })).body.entity;
    const back = await openDnsServer(DEAD, { port, otherwise: () => ({ mx: [[1, 'live.example']], a: ['8.8.8.8'] }) });
    const job = await app.live.ended<JobEntity>(`/api/v1/jobs/${id}`);
    expect(job).toMatchObject({ status: 'completed', outcome: 'found' });
    const dead = await ask(app.live, 'ada@dead.example');
    expect([dead.status, dead.body.code]).toEqual([424, 'provider_failed']);
    await back.close();
    expect(await app.live.wallet()).toMatchObject({ available: 1_000 - PRICE, held: 0 });
  } finally {
    await away.stop();
  }
});

describe('bad input', () => {
  test.each([
    ['10,000 characters', `${'a'.repeat(10_000)}@example.com`],
    ['a header', 'ada@example.com\r\nBcc: eve@example.com'],
    ['NUL', 'ada\0@example.com'],
    ['several addresses', 'ada@example.com,eve@example.com'],
    ['several addresses with blanks', 'ada@example.com; eve@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['an IP address', 'ada@[127.0.0.1]'],
    ['no domain', 'ada@'],
    ['no dot', 'ada@localhost'],
    ['a reserved name', 'ada@printer.local'],
    ['a comment', 'ada(shop)@example.com'],
    ['direction marks', 'ada\u202e@example.com'],
    ['letters that are too long in lower case', `ada${'İ'.repeat(30)}@example.com`],
  ])('%s is refused by name, and free', async (_, address) => {
    const app = await api.createApp();
    const { status, body, text } = await ask(app, address);
    expect([status, body.code, body.details?.[0]?.path], text).toEqual([400, 'invalid_request', 'email']);
    // A random id may have these letters.
    expect(text.replace(/"req_[0-9a-f]+"/, '')).not.toContain('ada');
    expect(await app.wallet()).toMatchObject({ available: 100_000 });
  });

  test('a homograph is understood, and named', async () => {
    const app = await api.createApp();
    const { body } = await ask(app, 'ada@gm\u0430il.com');
    expect(body.entity).toMatchObject({ lookalike: true, suspicious: true, suggestion: 'gmail.com' });
  });

  test('among the rows of a batch does not affect the others', async () => {
    const app = await api.createApp();
    const csv = ['email', 'adaeze.okonkwo@example.com.ng', 'not an address', '"a@example.com,b@example.com"', 'info@example.com.ng'].join(
      '\n',
    );
    const answer = await app.csv('checks=email_risk&on_invalid=skip', `${csv}\n`);
    expect(answer.status, answer.text).toBe(202);
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${answer.body.entity.id}`);
    expect(batch).toMatchObject({ counts: { rows: 4, invalid: 2, found: 2 }, billed_amount: 2 * PRICE });
    expect(batch.errors.map(({ row, rule }) => [row, rule])).toEqual([
      [2, 'syntax'],
      [3, 'several_addresses'],
    ]);
  });
});

async function funded() {
  const app = await api.createApp();
  const admin = await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 1_000, mode: 'live' });
  expect(admin.status, admin.text).toBeLessThan(300);
  return { live: app.live, wallet: () => app.live.wallet() };
}

interface Result {
  entity: EmailEntity | null;
  duplicate_of: number | null;
}

async function run(client: Client, addresses: string[]): Promise<{ batch: BatchEntity; results: Result[] }> {
  const accepted = await client.csv('checks=email_risk', `email\n${addresses.join('\n')}\n`);
  expect(accepted.status, accepted.text).toBe(202);
  const path = `/api/v1/batches/${accepted.body.entity.id}`;
  const batch = await client.ended<BatchEntity>(path);
  const lines = (await client.get(`${path}/results?format=jsonl`)).text.trim().split('\n');
  return { batch, results: lines.map((line) => (JSON.parse(line) as { checks: { email_risk: Result } }).checks.email_risk) };
}
