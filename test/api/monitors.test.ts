/** Monitors: how calls and jobs start them, what their app sees of them, and how they end. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { personOf } from '../../src/checks/aml.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import type { Check } from '../../src/checks/check.ts';
import { firstIdAt, newId, parseId, showId } from '../../src/foundation/ids.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { type Client, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { listed, putVersion, screenedResult, settleScreening } from '../setup/lists.ts';
import { startReceiver } from '../setup/webhooks.ts';
import { freshNin } from '../setup/work.ts';

const PATH = '/api/v1/aml/monitors';

interface Monitor {
  id: string;
  object: string;
  name: string | null;
  date_of_birth: string | null;
  country: string | null;
  job: string;
  created_at: string;
  screened_at: string | null;
  ended_at: string | null;
  hits: number;
}
interface List {
  data: Monitor[];
  has_more: boolean;
  next_cursor: string | null;
}

const person = { name: 'Adaobi Chukwuemeka-Nwoye', date_of_birth: '1984-02-29', country: 'NG' };
const people = (count: number) => Array.from({ length: count }, (_, i) => ({ ...person, name: `${person.name} ${'ABCDEFGHIJ'[i]}` }));

const api = useApi();

const ownerOf = (client: Client, live = true): Owner => ({ appId: parseId('app', client.app)!, live, settings: {} });
const list = async (client: Client, query = '') => (await client.get<List>(`${PATH}${query}`)).body.entity;

const screening = knownCheck('aml_screening');
/** A screening that finds nobody and asks for monitoring; `asks`: the number of a registry record that it looks up. */
const watching = (asks: string | null): Check => ({
  ...screening,
  needs: { all: {} },
  async run(input, lookup) {
    if (asks !== null) await lookup('nin', 1, asks);
    return { found: true, entity: {}, monitor: { input, shown: {} } };
  },
});

/** A job leased for the first time, as the dispatcher leaves it. */
async function leaseJob({ appId, live }: Owner): Promise<string> {
  const id = newId();
  const subject = api.service.cipher.index('subject', 'aml', screening.subject(person));
  await api.service.sql`
    insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status, attempt)
    values (${id}, ${appId}, ${live}, 'aml_screening', 'aml', ${subject}, 0, 0, 'leased', 1)`;
  return id;
}

const settleJob = ({ appId }: { appId: string }, jobId: string, attempt: number, input: Record<string, string> = person) =>
  api.service.settle.job({
    jobId,
    appId,
    batchId: null,
    attempt,
    checkId: 'aml_screening',
    trail: [],
    result: { ...screenedResult, monitor: { input, shown: {} } },
  });

describe('a monitor starts', () => {
  test.each([
    ['with a call that asks nobody', null],
    ['with a call that asks a provider', freshNin()],
  ])('%s', async (_how, asks) => {
    const app = await api.createApp();
    await answerCall(api.service, ownerOf(app, false), watching(asks), person);
    const { data } = await list(app);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^mon_[0-9a-f]{32}$/),
        object: 'aml_monitor',
        ...person,
        job: expect.stringMatching(/^job_[0-9a-f]{32}$/),
        created_at: expect.stringMatching(/Z$/),
        screened_at: null,
        ended_at: null,
        hits: 0,
      },
    ]);
    const [job] = await api.service.sql<{ checkId: string }[]>`select check_id from jobs where id = ${parseId('job', data[0]!.job)}`;
    expect(job).toEqual({ checkId: 'aml_screening' });
  });

  test('with a job, by the attempt that is settled and no other', async () => {
    const app = await api.createApp();
    const jobId = await leaseJob(ownerOf(app, false));
    expect(await settleJob(ownerOf(app, false), jobId, 2, { ...person, name: 'Too Late' })).toBe('superseded');
    expect((await list(app)).data).toEqual([]);
    expect(await settleJob(ownerOf(app, false), jobId, 1)).toBe('settled');
    expect(await settleJob(ownerOf(app, false), jobId, 1, { ...person, name: 'Twice' })).toBe('superseded');
    expect((await list(app)).data).toMatchObject([{ ...person, job: showId('job', jobId) }]);
  });

  test('not if the wallet does not cover the call', async () => {
    const app = await api.createApp({ naira: 0 });
    for (const asks of [null, freshNin()])
      await expect(answerCall(api.service, ownerOf(app, false), watching(asks), person)).rejects.toMatchObject({
        code: 'insufficient_funds',
      });
    expect((await list(app)).data).toEqual([]);
  });

  test('once: screened again, the monitor keeps its id and takes the latest input', async () => {
    const { live } = await api.createApp();
    const owner = ownerOf(live);
    const jobId = await settleScreening(api.service, owner, person);
    const { id } = (await list(live)).data[0]!;
    await Promise.all([
      ...Array.from({ length: 20 }, () => settleScreening(api.service, owner, person)),
      ...people(5).flatMap((one) => [settleScreening(api.service, owner, one), settleScreening(api.service, owner, one)]),
      ...(await Promise.all(Array.from({ length: 5 }, () => leaseJob(owner)))).map((leased) => settleJob(owner, leased, 1)),
    ]);
    await settleScreening(api.service, owner, { ...person, name: person.name.toUpperCase() });
    const { data } = await list(live);
    expect(data).toHaveLength(6);
    expect(data.at(-1)).toMatchObject({ id, name: person.name.toUpperCase(), job: showId('job', jobId) });
  });

  test('for each organization of one name, and for a person of that name', async () => {
    const { live } = await api.createApp();
    const owner = ownerOf(live);
    const name = 'John Holt';
    const asked = [
      { name, country: 'NG', type: 'person' },
      { name, country: 'NG', type: 'organization' },
      { name, country: 'NG', registration_number: 'RC 1001' },
      { name, country: 'NG', registration_number: 'RC 1002' },
    ];
    for (const input of asked) await settleScreening(api.service, owner, input);
    const ids = (await list(live)).data.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    for (const input of asked) await settleScreening(api.service, owner, { ...input, name: 'HOLT, John' });
    expect((await list(live)).data.map(({ id }) => id)).toEqual(ids);
    await settleScreening(api.service, owner, { ...asked[2]!, type: 'organization', registration_number: '1001' });
    expect((await list(live)).data).toHaveLength(4);
  });

  test.each([
    ['is renewed by the same organization', { registration_number: '1001' }, 1],
    ['is left alone by another organization', { registration_number: '1002' }, 2],
    ['is left alone by a person', { type: 'person' }, 2],
  ])('an organization that an earlier release monitors as a person of its name %s', async (_how, own, count) => {
    const { service } = api;
    for (const start of ['call', 'job'] as const) {
      const { live } = await api.createApp();
      const owner = ownerOf(live);
      const input = { name: 'John Holt', country: 'NG', registration_number: 'RC 1001' };
      await settleScreening(service, owner, input);
      const { id } = (await list(live)).data[0]!;
      const subject = service.cipher.index('subject', 'aml', personOf(input));
      const sealer = await service.cipher.sealer(owner);
      const sealed = sealer.seal(JSON.stringify(input), 'monitor', `${owner.appId} true ${subject.toString('base64')}`);
      await service.sql`update aml_monitors set subject = ${subject}, input = ${sealed} where id = ${parseId('mon', id)}`;

      const later = { name: 'Holt John', country: 'NG', ...own };
      if (start === 'call') await settleScreening(service, owner, later);
      else await settleJob(owner, await leaseJob(owner), 1, later);
      const { data } = await list(live);
      expect(data, start).toHaveLength(count);
      expect(data.at(-1), start).toMatchObject({ id, name: count === 1 ? later.name : input.name, ended_at: null });
      expect(data[0], start).toMatchObject({ name: later.name, ended_at: null });
    }
  });

  test('separately for another app that screens the same person', async () => {
    const { live, ...test } = await api.createApp();
    const { live: other } = await api.createApp();
    await settleScreening(api.service, ownerOf(live), person);
    await settleScreening(api.service, ownerOf(other), person);
    await settleScreening(api.service, ownerOf(test, false), person);
    const ids = await Promise.all([live, other, test].map(async (client) => (await list(client)).data.map(({ id }) => id)));
    expect(ids.map((own) => own.length)).toEqual([1, 1, 1]);
    expect(new Set(ids.flat()).size).toBe(3);
    for (const stranger of [other, test]) {
      expect((await stranger.get(`${PATH}/${ids[0]![0]}`)).status).toBe(404);
      expect((await stranger.send('DELETE', `${PATH}/${ids[0]![0]}`)).status).toBe(404);
    }
    expect((await live.get<Monitor>(`${PATH}/${ids[0]![0]}`)).body.entity.ended_at).toBeNull();
  });
});

describe('a monitor', () => {
  test('is read and ended by its app: nothing of the person is left', async () => {
    const { live } = await api.createApp();
    await settleScreening(api.service, ownerOf(live), person);
    const made = (await list(live)).data[0]!;
    expect((await live.get(`${PATH}/${made.id}`)).body.entity).toEqual({ ...made, matches: [] });
    const sealed = async () =>
      (
        await api.service.sql<{ input: Buffer; row: string }[]>`
        select input, m::text as row from aml_monitors m where id = ${parseId('mon', made.id)}`
      )[0]!;
    const before = await sealed();
    for (const secret of ['Adaobi', '1984-02-29']) {
      expect(before.row).not.toContain(secret);
      expect(before.input.toString('latin1')).not.toContain(secret);
    }
    const ended = (await live.send<Monitor>('DELETE', `${PATH}/${made.id}`)).body.entity;
    expect(ended).toEqual({ ...made, name: null, date_of_birth: null, country: null, ended_at: expect.stringMatching(/Z$/) });
    expect((await sealed()).input).toHaveLength(0);
    expect((await live.send<Monitor>('DELETE', `${PATH}/${made.id}`)).body.entity, 'again').toEqual(ended);
    expect((await list(live)).data).toEqual([ended]);

    await settleScreening(api.service, ownerOf(live), person);
    const { data } = await list(live);
    expect(data, 'a later screening starts a new one').toMatchObject([person, { id: made.id, name: null }]);
    expect(data[0]!.id).not.toBe(made.id);
  });

  test("does not open in another monitor's place", async () => {
    const { live } = await api.createApp();
    for (const one of people(2)) await settleScreening(api.service, ownerOf(live), one);
    const [a, b] = (await list(live)).data.map(({ id }) => parseId('mon', id)!);
    await api.service.sql`update aml_monitors set input = (select input from aml_monitors where id = ${a!}) where id = ${b!}`;
    expect((await live.get(`${PATH}/${showId('mon', b!)}`)).status).toBe(500);
  });

  test('is found page by page, newest first, and by any job that screened the person', async () => {
    const { live } = await api.createApp();
    for (const one of people(3)) await settleScreening(api.service, ownerOf(live), one);
    const names = people(3).map(({ name }) => name);
    const page = await list(live, '?limit=2');
    expect(page).toMatchObject({ data: [{ name: names[2] }, { name: names[1] }], has_more: true });
    expect(await list(live, `?limit=2&cursor=${page.next_cursor}`)).toMatchObject({ data: [{ name: names[0] }], has_more: false });
    const later = await settleScreening(api.service, ownerOf(live), people(2)[1]!, false);
    expect((await list(live, `?job=${showId('job', later)}`)).data).toMatchObject([{ name: names[1] }]);
    for (const job of ['nonsense', showId('job', newId())]) expect((await list(live, `?job=${job}`)).data).toEqual([]);
  });

  test('what does not exist is 404, and a wrong query is named', async () => {
    const { live } = await api.createApp();
    for (const id of ['nonsense', showId('mon', newId())]) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await live.send(method, `${PATH}/${id}`);
        expect(answer.status).toBe(404);
        expect(answer.body).toMatchObject({ code: 'resource_not_found', error: expect.stringContaining('monitor') });
      }
    }
    for (const [query, path] of [
      ['limit=101', 'limit'],
      ['cursor=mon_x', 'cursor'],
    ])
      expect(await live.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await live.post(PATH, {})).status).toBe(405);
    expect((await live.get(PATH, { Authorization: 'nonsense' })).status).toBe(401);
  });
});

describe('a new hit', () => {
  test("arrives at the app's endpoint, signed and without a word about the person, and is shown on the monitor", async () => {
    const { live } = await api.createApp();
    const { live: other } = await api.createApp();
    const receiver = await startReceiver();
    const endpoints = await Promise.all(
      [live, other].map((client) =>
        client.post<{ secret: string }>('/api/v1/webhooks/endpoints', { url: `${receiver.url}/${client.app}` }),
      ),
    );
    await settleScreening(api.service, ownerOf(live), person);
    // Backdated by a minute: new monitors wait a little (src/aml/rescreen.ts).
    await api.service.sql`update aml_monitors set id = ${firstIdAt(Date.now() - 60_000)} where app_id = ${ownerOf(live).appId}`;
    const { id, job } = (await list(live)).data[0]!;
    await putVersion(api.service, 'un_sc', [
      listed('T.1', person.name, { programs: ['Invented programme'] }),
      listed('T.2', 'Nobody Likewise'),
    ]);
    const message = await waitFor('the webhook', () => receiver.received[0]);
    expect(new Webhook(endpoints[0]!.body.entity.secret).verify(message.body, message.headers as Record<string, string>)).toEqual({
      type: 'aml.monitor.hit',
      timestamp: expect.stringMatching(/Z$/),
      data: { monitor: id, job, list: 'un_sc', list_version: expect.any(String), hits: 1, source_ids: ['T.1'] },
    });
    expect(message.path).toBe(`/hook/${live.app}`);
    expect(message.body).not.toMatch(/Adaobi|Nwoye|1984/);
    expect((await live.get(`${PATH}/${id}`)).body.entity).toMatchObject({
      hits: 1,
      screened_at: expect.stringMatching(/Z$/),
      matches: [
        { list: 'un_sc', source_id: 'T.1', name: person.name, score: 1, programs: ['Invented programme'], explanation: { name_score: 1 } },
      ],
    });
    // Whatever else the first rescreen told is told before what the next one does.
    await putVersion(api.service, 'un_sc', [listed('T.1', person.name, { programs: ['Invented programme'] }), listed('T.3', person.name)]);
    const told = await waitFor('the next webhook', () => receiver.received.length > 1 && receiver.received);
    expect(
      told.map(({ message }) => message.data.source_ids),
      'once, and for nobody else',
    ).toEqual([['T.1'], ['T.3']]);
  });
});

describe('with a test key', () => {
  test('a documented person brings a hit a second later, so that the webhook can be tried', async () => {
    const app = await api.createApp();
    const receiver = await startReceiver();
    await app.post('/api/v1/webhooks/endpoints', { url: receiver.url, events: ['aml.monitor.hit'] });
    // docs/sandbox.md
    const documented = { name: 'Tanimuwa Garbale Kwarkwasiyu', date_of_birth: '1988-11-05', country: 'NG' };
    await answerCall(api.service, ownerOf(app, false), watching(null), documented);
    const { message } = await waitFor('the webhook', () => receiver.received[0]);
    expect(message).toMatchObject({ type: 'aml.monitor.hit', data: { list: 'un_sc', hits: 1, source_ids: ['SBi.9011'] } });
    expect((await list(app)).data).toMatchObject([{ ...documented, hits: 1, screened_at: expect.stringMatching(/Z$/) }]);
  });
});
