/**
 * Runs every curl command in /docs/reference with bash, exactly as shown; each must succeed. The objects that a command refers to (`$ID`) are created just before it.
 * Commands that run checks are tested in `code-samples.test.ts`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inviteAdministrator } from '../../src/access/people/links.ts';
import { checks } from '../../src/checks/catalog.ts';
import { type Client, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { Browser, PASSWORD, type SessionEntity, signedInAs, tokenIn } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { plain } from '../setup/face-pictures.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback', CONFAM_FACE_MODELS: '/nowhere', CONFAM_APPROVALS: 'top_up' });
const folder = mkdtempSync(join(tmpdir(), 'confam-reference-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commands that are not run here, with the reason and the test that sends the same request. */
const ELSEWHERE: Record<string, string> = {
  readJobImage: 'needs a selfie that was compared: test/api/face-pictures.test.ts',
  addPasskey: 'a browser makes its body: test/api/people.test.ts',
  removePasskey: 'needs such a passkey: test/api/people.test.ts',
  beginOidc: 'needs an identity provider: test/api/oidc.test.ts',
  receiveVendorMessage: 'needs a vendor that sends messages: test/api/upstreams.test.ts',
};

interface Prepared {
  /** What the call names. */
  vars?: Record<string, string>;
  /** What only the reader has. */
  replace?: [shown: string, real: string];
}

let app: TestApp;
/** A batch above its limit waits for a second person. */
let guarded: TestApp;
let reviewing: TestApp;
let approver: Browser;
let administrator: Browser;
let job: string;
let batch: string;

const of = ({ app, key }: Client): Record<string, string> => ({ APP: app, KEY: key });
const sessionOf = (browser: Browser): Record<string, string> => ({
  COOKIE: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  CSRF_TOKEN: browser.csrf,
});
const id = async (made: Promise<{ status: number; text: string; body: { entity: unknown } }>): Promise<string> => {
  const { status, text, body } = await made;
  expect(status, text).toBeLessThan(300);
  return (body.entity as { id: string }).id;
};
const newest = async (path: string, client: Pick<Client, 'get'> = app): Promise<string> =>
  (await client.get<{ data: { id: string }[] }>(path)).body.entity.data[0]!.id;

const SCREENED = { name: 'Gleb Voronetzky', date_of_birth: '1971-11-02', country: 'RU' };
const ROW = 'nin\n70123456789\n';
/** Takes three seconds, unless the cache has its answer. */
const running = () => id(app.csv('checks=nin_basic&cache=refresh', 'nin\n00000000004\n'));
const screen = async (client: Client, more: object = {}): Promise<string> => {
  const made = await id(client.job({ check: 'aml_screening', input: { ...SCREENED, ...more } }));
  await client.ended(`/api/v1/jobs/${made}`);
  return made;
};
const lookedUp = async (): Promise<string> => {
  const made = await id(app.job({ check: 'nin_basic', input: { nin: '70123456789' } }));
  await app.ended(`/api/v1/jobs/${made}`);
  return made;
};
const waiting = () => id(app.csv('checks=nin_basic&start=manual', ROW));
const endedBatch = async (text = ROW): Promise<string> => {
  const made = await id(app.csv('checks=nin_basic', text));
  await app.ended(`/api/v1/batches/${made}`);
  return made;
};
const approval = async (): Promise<string> => {
  const { body } = await guarded.csv('checks=nin_basic', ROW);
  return String((body.entity as unknown as Entity).approval);
};
const topUpApproval = () => id(api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 10, mode: 'test', note: 'invoice 1' }));
const newKey = () => id(app.post('/api/v1/keys', { name: 'Nightly' }));
const endpoint = (() => {
  let made: Promise<string> | null = null;
  // Nobody listens there.
  return () => (made ??= id(app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/' })));
})();
const delivery = async () => id(app.post(`/api/v1/webhooks/endpoints/${await endpoint()}/test`));
const token = async () => {
  const { body } = await app.post<{ path: string }>(`/api/v1/batches/${batch}/links`, { format: 'csv' });
  return body.entity.path.split('/').at(-1)!;
};
const invite = async (email: string): Promise<string> => {
  const { body } = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email, app: app.app, role: 'viewer' });
  return tokenIn(body.entity.link);
};
/** Signed in by a browser of its own, which the call may sign out. */
const person = async (): Promise<Browser> => (await signedInAs(api, app, 'owner')).browser;
const asPerson = async (): Promise<Prepared> => ({ vars: sessionOf(await person()) });
const withTotp = async (): Promise<{ browser: Browser; totp: TOTP }> => {
  const browser = await person();
  const begun = await browser.post<{ secret: string }>('/api/v1/session/totp');
  return { browser, totp: new TOTP({ secret: begun.body.entity.secret }) };
};
const withConfirmedTotp = async (): Promise<Prepared> => {
  const { browser, totp } = await withTotp();
  await browser.post('/api/v1/session/totp/confirm', { code: totp.generate() });
  return { vars: sessionOf(browser) };
};
const ID = (value: string): Prepared => ({ vars: { ID: value } });

/** By tag: what most calls of a page are about. */
const usual: Record<string, () => Prepared | Promise<Prepared>> = {
  jobs: () => ID(job),
  batches: () => ID(batch),
  results: () => ID(batch),
  aml: async () => ID(await newest('/api/v1/aml/monitors')),
  sandbox: () => ({ vars: { ID_TYPE: 'nin', ID_NUMBER: '70123456789' } }),
  approvals: async () => ({ vars: { ...of(guarded), ...sessionOf(approver), ID: await approval() } }),
  money: () => ({ vars: { MONTH: new Date().toISOString().slice(0, 7) } }),
  reviews: async () => ({ vars: { ...of(reviewing), ID: await newest('/api/v1/reviews', reviewing) } }),
  webhooks: async () => ID(await endpoint()),
  keys: async () => ID(await newKey()),
  people: asPerson,
  operator: () => ID(app.app),
  operations: () => ({ vars: { FOLDER: 'guides', PAGE: 'moving' } }),
};
/** By operation: those that change or end what they are about. */
const own: Record<string, () => Prepared | Promise<Prepared>> = {
  revokeClearance: async () => ID(await newest('/api/v1/aml/clearances')),
  deleteJob: async () => ID(await lookedUp()),
  listJobLookups: async () => ID(await lookedUp()),
  saveMapping: async () =>
    ID((await app.post('/api/v1/batches/preview?checks=nin_basic', ROW, { 'Content-Type': 'text/csv' })).body.entity.fingerprint as string),
  deleteMapping: async () => ID(await newest('/api/v1/mappings')),
  deleteBatch: async () => ID(await endedBatch()),
  startBatch: async () => ID(await waiting()),
  pauseBatch: async () => ID(await running()),
  resumeBatch: async () => {
    const made = await running();
    await id(app.post(`/api/v1/batches/${made}/pause`));
    return ID(made);
  },
  cancelBatch: async () => ID(await waiting()),
  retryBatch: async () => ID(await endedBatch('nin\n00000000003\n')),
  revokeLink: async () => {
    await token();
    return ID(await newest(`/api/v1/batches/${batch}/links`));
  },
  summarizeLink: async () => ({ vars: { TOKEN: await token() } }),
  followLink: async () => ({ vars: { TOKEN: await token() } }),
  eraseSubject: async () => ({ vars: of(await api.createApp()) }),
  readErasure: async () => {
    const body = { identifiers: [{ type: 'nin', value: '70000000000' }] };
    return ID(await id(app.post('/api/v1/subjects/erase', body)));
  },
  readSubjectExport: async () => ID(await subjectExport()),
  listSubjectPlaces: async () => ID(await subjectExport()),
  readSubjectHold: async () => ID(await subjectHold()),
  releaseSubject: async () => ID(await subjectHold()),
  holdSubject: async () => ({ vars: of(await api.createApp()) }),
  downloadSubject: async () => ID(await subjectExport()),
  deleteEndpoint: async () => ID(await id(app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/' }))),
  readDelivery: async () => ID(await delivery()),
  redeliver: async () => ID(await delivery()),
  signIn: async () => {
    const browser = new Browser(api);
    await browser.post('/api/v1/session/link', {
      token: await invite('ada@bank.example'),
      password: 'a long sentence only I know',
      name: 'Ada',
    });
    return {};
  },
  setPassword: async () => ({ ...(await asPerson()), replace: ['the sentence before', PASSWORD] }),
  readInvitation: async () => ({ replace: ['nE3…', await invite('invited@bank.example')] }),
  useLink: async () => ({ replace: ['nE3…', await invite('new@bank.example')] }),
  endSession: async () => {
    const { browser, email } = await signedInAs(api, app, 'owner');
    await new Browser(api).signIn(email);
    const { data } = (await browser.get<{ data: { id: string; current: boolean }[] }>('/api/v1/sessions')).body.entity;
    return { vars: { ...sessionOf(browser), ID: data.find(({ current }) => !current)!.id } };
  },
  confirmTotp: async () => {
    const { browser, totp } = await withTotp();
    return { vars: sessionOf(browser), replace: ['123456', totp.generate()] };
  },
  removeTotp: withConfirmedTotp,
  newRecoveryCodes: withConfirmedTotp,
  changePerson: async () => ID((await signedInAs(api, app, 'viewer')).id),
  removePerson: async () => ID((await signedInAs(api, app, 'viewer')).id),
  capKey: async () => ID(await id(api.admin.post(`/api/v1/admin/apps/${app.app}/keys`, { mode: 'test' }))),
  rotateAdminKey: async () => ID(await id(api.admin.post('/api/v1/admin/keys'))),
  revokeKey: async () => ID(await id(api.admin.post(`/api/v1/admin/apps/${app.app}/keys`, { mode: 'test' }))),
  suspendApp: async () => ID((await api.createApp()).app),
  resumeApp: async () => {
    const other = await api.createApp();
    await api.admin.post(`/api/v1/admin/apps/${other.app}/suspend`);
    return ID(other.app);
  },
  exportApp: async () => ID(await suspended()),
  deleteApp: async () => ID(await suspended()),
  readAppDeletion: async () => {
    const gone = await suspended();
    await api.admin.post(`/api/v1/admin/apps/${gone}/deletion`);
    return ID(gone);
  },
  inviteAnyPerson: async () => ({ replace: ['app_…', (await api.createApp()).app] }),
  disablePerson: async () => ID((await signedInAs(api, app, 'viewer')).id),
  newSignInLink: async () => ID((await signedInAs(api, app, 'viewer')).id),
  readAdminApproval: async () => ID(await topUpApproval()),
  approveAdmin: async () => ({ vars: { ...sessionOf(administrator), ID: await topUpApproval() } }),
  declineAdmin: async () => ({ vars: { ...sessionOf(administrator), ID: await topUpApproval() } }),
  endAgreement: async () => {
    const made = await id(api.admin.post(`/api/v1/admin/apps/${app.app}/prices`, { check: 'bvn_match', price: 10 }));
    return { vars: { ID: app.app, PRICE: made } };
  },
  pauseProvider: async () => ({ vars: { NAME: await aProvider() } }),
  resumeProvider: async () => ({ vars: { NAME: await aProvider() } }),
  listLookups: () => ID(job),
  readPage: () => ({ vars: { PAGE: 'uploads' } }),
  listWatchListVersions: () => ({ vars: { LIST: 'un_sc' } }),
};

const subjectHold = (): Promise<string> => id(app.post('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: '70000000001' }] }));
const subjectExport = async (): Promise<string> => {
  const body = { identifiers: [{ type: 'nin', value: '70123456789' }], reason: 'The customer has asked' };
  const made = await id(app.post('/api/v1/subjects/export', body));
  await waitFor('the export', async () => (await app.get(`/api/v1/subjects/exports/${made}`)).body.entity.status === 'done');
  return made;
};
const suspended = async (): Promise<string> => {
  const other = await api.createApp();
  await api.admin.post(`/api/v1/admin/apps/${other.app}/suspend`);
  return other.app;
};
const aProvider = async (): Promise<string> =>
  (await api.admin.get<{ data: { name: string }[] }>('/api/v1/admin/providers')).body.entity.data[0]!.name;

beforeAll(async () => {
  [app, guarded, reviewing] = await Promise.all([
    api.createApp({ naira: 1_000_000 }),
    api.createApp({ settings: { approveStartAboveKobo: 0 } }),
    api.createApp({ settings: { reviews: { amlLevel: 'LOW' } } }),
  ]);
  approver = (await signedInAs(api, guarded, 'approver')).browser;
  administrator = new Browser(api);
  // By the command line: whom the admin key invites does not approve what it asks for.
  const { token } = await inviteAdministrator(api.service, 'root@bank.example');
  const accepted = { token, password: PASSWORD, name: 'Bisi Ade' };
  expect((await administrator.post<SessionEntity>('/api/v1/session/link', accepted)).status).toBe(200);
  // The sandbox lists are indexed after the start.
  await waitFor('the lists', async () => (await app.post('/api/v1/aml/screening', SCREENED)).status === 200, 30_000);
  job = await screen(app);
  await screen(reviewing);
  const monitored = await id(app.job({ check: 'aml_screening', input: { ...SCREENED, monitor: true } }));
  await app.ended(`/api/v1/jobs/${monitored}`);
  batch = await endedBatch('nin\n70123456789\n12\n');
  writeFileSync(join(folder, 'customers.csv'), ROW);
  writeFileSync(join(folder, 'picture.jpg'), await plain('gray'));
}, 60_000);

/** The calls of every page, in its order. */
async function shownCalls(): Promise<{ tag: string; operation: string; call: string }[]> {
  const { tags } = (await (await fetch(`${api.url}/openapi.json`)).json()) as { tags: { name: string }[] };
  const pages = await Promise.all(
    tags.map(async ({ name }) => ({ tag: name, text: await (await fetch(`${api.url}/docs/reference/${name}.md`)).text() })),
  );
  return pages.flatMap(({ tag, text }) =>
    text
      .split(/^## /m)
      .slice(1)
      .flatMap((section) => {
        const [, call] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
        return call ? [{ tag, operation: section.split('\n')[0]!, call }] : [];
      }),
  );
}

/** The status that the service answers, with what it says if it refuses. */
async function run(call: string, vars: Record<string, string>): Promise<string> {
  // A stream is left after a second; `-OJ` saves under the answer's own name.
  const script = `rm -f answer
curl() { command curl -sS --max-time ${call.includes(' -N ') ? 1 : 30} -o answer -w '%{http_code}' "$@" || [ $? = 28 ]; }
${call.replace(' -OJ', '')}
echo; head -c 600 answer`;
  const { PATH } = process.env;
  const env = { PATH, BASE: api.url, KEY: app.key, APP: app.app, ADMIN_KEY: api.admin.key, ...vars };
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euc', script], { cwd: folder, env });
  const [status, answer] = [stdout.slice(0, 3), stdout.slice(4)];
  return /^2/.test(status) ? status : `${status} ${answer}`;
}

test('every call of the reference is taken as it is shown', async () => {
  const calls = await shownCalls();
  const known = new Set([...calls.map(({ operation }) => operation), ...checks.map((check) => check.id)]);
  expect([...Object.keys(own), ...Object.keys(ELSEWHERE)].filter((operation) => !known.has(operation))).toEqual([]);
  expect(calls.length).toBeGreaterThan(140);
  const refused: Record<string, string> = {};
  for (const { tag, operation, call } of calls) {
    if (ELSEWHERE[operation]) continue;
    const prepare = async () => (await (own[operation] ?? usual[tag])?.()) ?? {};
    const said = await prepare()
      .then(({ vars = {}, replace: [shown, real] = ['', ''] }) => run(shown === '' ? call : call.replace(shown, real), vars))
      .catch((error: unknown) => `not prepared: ${error}`);
    if (!/^2\d\d$/.test(said)) refused[operation] = `${call}\n${said}`;
  }
  expect(refused).toEqual({});
}, 240_000);
