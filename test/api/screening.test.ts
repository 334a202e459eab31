/** Screening over HTTP: by a call, a job and batch rows, against the sandbox lists (docs/sandbox.md), and what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type ScreeningEntity, screeningEntity } from '../../src/checks/screening.ts';
import { ENGINE_VERSION } from '../../src/engines/aml/match/screen.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type Answer, type BatchEntity, type Client, type JobEntity, useApi } from '../setup/api.ts';

const PATH = '/api/v1/aml/screening';
const PRICE = 120;

/** docs/sandbox.md: sanctioned, listed under `ofac_sdn` `9900001`. */
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
/** One typing error away from a listed person. */
const MISTYPED = { name: 'Adekanbi Olatunbosumi', date_of_birth: '1977-09-30', country: 'NG' };
const CLEAR = { name: 'Morenike Precious Durojaiye', date_of_birth: '1991-04-17', country: 'NG' };

const api = useApi();

const send = (client: Client, body: unknown): Promise<Answer<ScreeningEntity>> => client.post<ScreeningEntity>(PATH, body);

async function screen(client: Client, body: unknown): Promise<ScreeningEntity> {
  const answer = await send(client, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entity;
}

interface Documented {
  tries: string;
  name: string;
  date_of_birth: string;
  country: string;
  /** Null: none. */
  hit: { list: string; source_id: string } | null;
}

/** The table "Screening" of docs/sandbox.md. */
function documented(): Documented[] {
  const section = readFileSync(join(packageRoot(), 'docs/sandbox.md'), 'utf8').split('## Screening')[1]!;
  let before: Documented['hit'] = null;
  return [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \| (\d{4}-\d\d-\d\d) \| ([A-Z]{2}) \| ([^|]+) \|$/gm)].map((row) => {
    const [, tries, name, date_of_birth, country, shown] = row as unknown as [string, string, string, string, string, string];
    const named = /^`(\w+)` `([^`]+)`$/.exec(shown);
    if (named) before = { list: named[1]!, source_id: named[2]! };
    else if (shown !== 'the same' && shown !== 'none') throw new Error(`docs/sandbox.md: a hit that cannot be read: ${shown}`);
    return { tries, name, date_of_birth, country, hit: shown === 'none' ? null : before };
  });
}

describe('the people of docs/sandbox.md', () => {
  const rows = documented();

  test('are all in the table that these tests read', () => expect(rows.length).toBeGreaterThanOrEqual(23));

  test.each(rows)('$tries: $name', async ({ tries: _, hit, ...person }) => {
    const app = await api.createApp();
    const entity = await screen(app, person);
    if (hit === null) expect(entity).toMatchObject({ total_hits: 0, risk_level: 'LOW', risk_score: 0, hits: [] });
    else expect(entity.hits[0]).toMatchObject(hit);
  });

  test('get the same answers in a batch as in calls, each charged once', async () => {
    const app = await api.createApp();
    const csv = ['name,date_of_birth,country', ...rows.map((row) => `${row.name},${row.date_of_birth},${row.country}`)].join('\n');
    const { batch, results } = await run(app, csv);
    expect(batch).toMatchObject({ counts: { rows: rows.length, found: rows.length, failed: 0 }, billed_amount: rows.length * PRICE });
    expect(results.map(({ entity }) => entity.hits[0]?.source_id ?? null)).toEqual(rows.map(({ hit }) => hit?.source_id ?? null));
  });
});

describe('the answer', () => {
  test('has the person hit, with every word of both names explained, and the lists that were searched', async () => {
    const app = await api.createApp();
    const { body } = await send(app, { ...SANCTIONED, name: 'Balarabewa Musa', gender: 'M' });
    expect(body).toMatchObject({ status: 'success', billed_amount: PRICE, cached: false, meta: { service: 'aml_screening' } });
    expect(Object.keys(body.entity)).toEqual(Object.keys(screeningEntity.shape));
    const { hits, screening, ...verdict } = body.entity;
    expect(verdict).toEqual({
      risk_level: 'CRITICAL',
      pep_detected: false,
      sanctions_match: true,
      total_hits: 1,
      screened_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      risk_score: expect.any(Number),
    });
    const [hit] = hits;
    expect(screeningEntity.shape.hits.element.strict().safeParse(hit).error).toBeUndefined();
    expect(hit).toMatchObject({
      list: 'ofac_sdn',
      source_id: '9900001',
      category: 'sanction',
      name: 'Musa Danjumare BALARABEWA',
      programs: ['SANDBOX-SDGT'],
      explanation: {
        dob: { verdict: 'exact', listed: ['1968-03-14'] },
        country: { verdict: 'same', listed: ['NG'] },
        gender: { verdict: 'same', listed: ['male'] },
      },
      cleared: null,
    });
    const words = (text: string) => text.toLowerCase().split(' ').sort();
    const named = (side: 'query' | 'listed') => hit!.explanation.tokens.flatMap((token) => token[side]?.split(' ') ?? []).sort();
    expect(named('query')).toEqual(words('Balarabewa Musa'));
    expect(named('listed')).toEqual(words(hit!.matched_alias));
    expect(screening).toMatchObject({ engine_version: ENGINE_VERSION, threshold: 0.75 });
    expect(screening.lists.map(({ list, entries }) => [list, entries])).toEqual([
      ['ofac_sdn', 15],
      ['un_sc', 12],
      ['uk_sanctions', 10],
      ['eu_fsf', 10],
      ['opensanctions', 16],
      ['interpol_red', 8],
      ['adverse_media', 8],
    ]);
    expect(hit!.list_version).toBe(screening.lists[0]!.version);
  });

  test('is the same by a call, a job and a batch', async () => {
    const app = await api.createApp();
    const undated = ({ screened_at: _, ...entity }: ScreeningEntity) => entity;
    const called = await screen(app, MISTYPED);
    const { id } = (await app.job({ check: 'aml_screening', input: MISTYPED })).body.entity;
    const job = await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    expect(job).toMatchObject({ status: 'completed', outcome: 'found', billed_amount: PRICE });
    const { results } = await run(app, `name,date_of_birth,country\n${Object.values(MISTYPED).join(',')}\n`);
    expect(undated(job.result as unknown as ScreeningEntity)).toEqual(undated(called));
    expect(undated(results[0]!.entity)).toEqual(undated(called));
  });

  test('is made anew each time, at the full price', async () => {
    const app = await api.createApp();
    const answers = [await send(app, CLEAR), await send(app, CLEAR)];
    for (const { body } of answers) expect(body).toMatchObject({ cached: false, billed_amount: PRICE });
    expect(answers[1]!.body.entity.screened_at).not.toBe(answers[0]!.body.entity.screened_at);
    expect(await app.wallet()).toMatchObject({ available: 100_000 - 2 * PRICE, held: 0 });
  });

  test('does not depend on case, accents, order or gaps of the name', async () => {
    const app = await api.createApp();
    const names = [
      'MUSA DANJUMARE BALARABEWA',
      'Balarabewa, Musa Danjumare',
      '  Musa   Danjumare\tBalarabewa ',
      'Alhaji Musa Danjumare Bàlárábewà',
    ];
    for (const name of names)
      expect((await screen(app, { ...SANCTIONED, name })).hits[0], name).toMatchObject({ list: 'ofac_sdn', source_id: '9900001' });
  });
});

describe('the risk', () => {
  test.each([
    ['a sanctioned person', SANCTIONED, 'CRITICAL', { sanctions_match: true, pep_detected: false }],
    ['a wanted person', { name: 'Osarobowale Ekhatoruyi', date_of_birth: '1984-04-09', country: 'NG' }, 'HIGH', {}],
    [
      'a politician in office',
      { name: 'Ikemefunaya Obiorajulu', date_of_birth: '1971-09-16', country: 'NG' },
      'HIGH',
      { sanctions_match: false, pep_detected: true },
    ],
    [
      'a politician out of office',
      { name: 'Tamunodieprieye Horsfallowei', date_of_birth: '1959-12-01', country: 'NG' },
      'MEDIUM',
      { pep_detected: true },
    ],
    ['adverse media', { name: 'Olamidotunre Ferepadejo', date_of_birth: '1981-08-30', country: 'NG' }, 'MEDIUM', {}],
    ['nobody listed', CLEAR, 'LOW', { sanctions_match: false, pep_detected: false, risk_score: 0 }],
  ])('of %s', async (_, person, level, more) => {
    const app = await api.createApp();
    expect(await screen(app, person)).toMatchObject({ risk_level: level, ...more });
  });

  test('falls with a clearance; the hit stays listed, says who cleared it, and counts again when that is revoked', async () => {
    const app = await api.createApp();
    const before = await screen(app, SANCTIONED);
    const clearance = { ...SANCTIONED, list: 'ofac_sdn', source_id: '9900001', reason: 'Another passport', cleared_by: 'A. Analyst' };
    const made = await app.post<{ id: string }>('/api/v1/aml/clearances', clearance);
    expect(made.status, made.text).toBe(201);
    const after = await screen(app, { ...SANCTIONED, name: SANCTIONED.name.toUpperCase() });
    expect(after).toMatchObject({ risk_level: 'LOW', risk_score: 0, sanctions_match: false, total_hits: before.total_hits });
    expect(after.hits[0]!.cleared).toEqual({
      clearance: made.body.entity.id,
      cleared_by: 'A. Analyst',
      recorded_by: app.keyId,
      reason: 'Another passport',
      at: expect.stringMatching(/Z$/),
      expires_at: null,
    });
    expect((await screen(await api.createApp(), SANCTIONED)).risk_level, 'of another app').toBe('CRITICAL');
    expect((await screen(app, { ...SANCTIONED, date_of_birth: '1968-03-15' })).hits[0]?.cleared ?? null, 'another birth').toBeNull();
    await app.send('DELETE', `/api/v1/aml/clearances/${made.body.entity.id}`);
    expect(await screen(app, SANCTIONED)).toMatchObject({ risk_level: 'CRITICAL', hits: [{ cleared: null }] });
  });
});

describe('a request sets', () => {
  test('its threshold, as a fraction or percentage, as a number or text', async () => {
    const app = await api.createApp();
    const [{ score } = { score: 0 }] = (await screen(app, MISTYPED)).hits;
    expect(score).toBeGreaterThan(0.75);
    expect(score).toBeLessThan(1);
    for (const [threshold, shown, hits] of [
      [score, score, 1],
      [1, 1, 0],
      [100, 1, 0],
      ['99.9', 0.999, 0],
      ['0.5', 0.5, 1],
      [50, 0.5, 1],
      ['', 0.75, 1],
    ] as const) {
      const entity = await screen(app, { ...MISTYPED, threshold });
      expect([entity.screening.threshold, entity.hits.length > 0], String(threshold)).toEqual([shown, hits > 0]);
    }
  });

  test('its lists, as an array or text', async () => {
    const app = await api.createApp();
    for (const lists of [['un_sc', 'eu_fsf', 'un_sc'], 'eu_fsf, un_sc', 'un_sc,eu_fsf,']) {
      const { hits, screening } = await screen(app, { ...SANCTIONED, lists });
      expect([hits, screening.lists.map(({ list }) => list)]).toEqual([[], ['un_sc', 'eu_fsf']]);
    }
    expect((await screen(app, { ...SANCTIONED, lists: 'ofac_sdn' })).hits).toHaveLength(1);
    for (const lists of ['', [], ' , ']) expect((await screen(app, { ...SANCTIONED, lists })).screening.lists, 'all').toHaveLength(7);
  });

  test('a gender, which counts against somebody of another', async () => {
    const app = await api.createApp();
    const [same, other] = [
      await screen(app, { ...MISTYPED, gender: 'male' }),
      await screen(app, { ...MISTYPED, gender: 'Female', threshold: 0.5 }),
    ];
    expect(same.hits[0]!.explanation.gender.verdict).toBe('same');
    expect(other.hits[0]!.explanation.gender).toMatchObject({ verdict: 'different' });
    expect(other.hits[0]!.score).toBeLessThan(same.hits[0]!.score);
  });

  test('that the person is to be monitored, by a call, a job and a row', async () => {
    const app = await api.createApp();
    const monitored = async () =>
      (await app.get<{ data: { name: string }[] }>('/api/v1/aml/monitors')).body.entity.data.map(({ name }) => name);
    await screen(app, { ...CLEAR, monitor: false });
    expect(await monitored()).toEqual([]);
    await screen(app, { ...CLEAR, monitor: true });
    const job = await app.job({ check: 'aml_screening', input: { ...SANCTIONED, monitor: 'TRUE' } });
    await app.ended(`/api/v1/jobs/${job.body.entity.id}`);
    await run(app, `name,monitor\n${MISTYPED.name},true\nUzoamaka Nwachinemere,\n`);
    expect(await monitored()).toEqual([MISTYPED.name, SANCTIONED.name, CLEAR.name]);
  });

  test('no birth and no country: the name alone is screened', async () => {
    const app = await api.createApp();
    for (const body of [{ name: SANCTIONED.name }, { name: SANCTIONED.name, date_of_birth: '', country: '' }])
      expect((await screen(app, body)).hits[0]).toMatchObject({
        source_id: '9900001',
        explanation: { dob: { verdict: 'unknown', effect: 0 }, country: { verdict: 'unknown', effect: 0 } },
      });
  });
});

describe('an app sets', () => {
  test('threshold and lists for requests without their own', async () => {
    const app = await api.createApp({ settings: { amlThreshold: 0.99, amlLists: ['ofac_sdn', 'un_sc'] } });
    const { hits, screening } = await screen(app, MISTYPED);
    expect([hits, screening.threshold, screening.lists.map(({ list }) => list)]).toEqual([[], 0.99, ['ofac_sdn', 'un_sc']]);
    expect((await screen(app, { ...MISTYPED, threshold: 0.75 })).hits).toHaveLength(1);
    expect((await screen(app, { ...MISTYPED, lists: 'eu_fsf' })).screening).toMatchObject({ threshold: 0.99, lists: [{ list: 'eu_fsf' }] });
    const { results } = await run(app, `name,threshold\n${MISTYPED.name},\n${MISTYPED.name},0.7\n`);
    expect(results.map(({ entity }) => [entity.screening.threshold, entity.hits.length])).toEqual([
      [0.99, 0],
      [0.7, 1],
    ]);
  });
});

test('no app is told to screen against a list that does not exist', async () => {
  const app = await api.createApp();
  const settings = { amlLists: ['un_sc', 'no_such_list'] };
  const path = 'settings.amlLists';
  for (const refused of [
    await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ settings }),
    }),
    await api.admin.post('/api/v1/admin/apps', { name: 'Mistyped', settings }),
  ])
    expect([refused.status, refused.body], refused.text).toMatchObject([
      400,
      { code: 'invalid_request', details: [{ path, message: 'must not name unknown lists: no_such_list' }] },
    ]);
  expect((await screen(app, MISTYPED)).hits).toHaveLength(1);
});

describe('a batch', () => {
  test('screens identical rows once, and rows that differ in anything separately', async () => {
    const app = await api.createApp();
    const row = Object.values(SANCTIONED).join(',');
    const { batch, results } = await run(app, `name,date_of_birth,country,threshold\n${row},\n${row},\n${row},0.8\n${row},\n`);
    expect(batch).toMatchObject({ counts: { rows: 4, found: 2, duplicate: 2 }, billed_amount: 2 * PRICE });
    expect(results.map(({ duplicate_of }) => duplicate_of)).toEqual([null, 1, null, 1]);
    for (const { entity } of results) expect(entity.hits[0]!.source_id).toBe('9900001');
  });

  test('has its results as CSV, one line per row', async () => {
    const app = await api.createApp();
    const { path } = await run(
      app,
      `Customer,name,date_of_birth,country\nc1,${Object.values(SANCTIONED).join(',')}\nc2,${Object.values(CLEAR).join(',')}\n`,
    );
    const [head, ...lines] = (await app.get(`${path}/results?format=csv`)).text.trim().split(/\r?\n/);
    for (const column of ['Customer', 'aml_screening.risk_level', 'aml_screening.total_hits', 'aml_screening.hits'])
      expect(head).toContain(column);
    expect(lines.map((line) => line.split(',')[0])).toEqual(['c1', 'c2']);
    expect(lines[0]).toContain('CRITICAL');
    expect(lines[0]).toContain('9900001');
    expect(lines[1]).toContain('LOW');
  });

  test('its cells say which of the listed names matched', async () => {
    const app = await api.createApp();
    const { path } = await run(
      app,
      'name,date_of_birth,country\nBisoye Ogunsaluyi,1964-05-29,NG\nAdebisoye Olufemitan Ogunsaluyi,1964-05-29,NG\n',
    );
    const [, alias, primary] = (await app.get(`${path}/results?format=csv`)).text.trim().split(/\r?\n/);
    expect(alias).toMatch(/sbx-pep-01 pep [\d.]+ Adebisoye Olufemitan Ogunsaluyi, also listed as Bisoye Ogunsaluyi[;"]/);
    expect(primary).toMatch(/sbx-pep-01 pep [\d.]+ Adebisoye Olufemitan Ogunsaluyi[;",]/);
    expect(primary).not.toContain('also listed as');
  });

  test('names the rows that cannot be screened, and screens the others', async () => {
    const app = await api.createApp();
    const { batch } = await run(
      app,
      `name,date_of_birth,country\n,,NG\n${Object.values(CLEAR).join(',')}\nB,,\nAda Obi,2026-02-31,\nAda Obi,,XX\n`,
    );
    expect(batch.counts).toMatchObject({ rows: 5, invalid: 4, found: 1 });
    expect(batch.errors.map(({ row, path }) => [row, path])).toEqual([
      [1, 'name'],
      [3, 'name'],
      [4, 'date_of_birth'],
      [5, 'country'],
    ]);
  });
});

const tomorrow = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 10);

describe('is refused, naming the fault, and costs nothing', () => {
  test.each<[string, string, unknown]>([
    ['no name', 'name', undefined],
    ['an empty name', 'name', ''],
    ['a blank name', 'name', ' \t '],
    ['a name of one letter', 'name', 'A'],
    ['a name of one letter and digits', 'name', 'A 123'],
    ['a name of 5,000 characters', 'name', 'Ada '.repeat(1_250)],
    ['a name of digits', 'name', '70123456789'],
    ['a name of emoji', 'name', '🙂🙂🙂'],
    ['a name of marks', 'name', "-.'"],
    ['a name that cannot be compared with any', 'name', '𒀀𒁀 𒂍'],
    ['a name with a NUL', 'name', 'Ada\0Obi'],
    ['a name with an escape sequence', 'name', 'Ada \u001b[31mObi'],
    ['a name with half of a surrogate pair', 'name', 'Ada \ud83d Obi'],
    ['a name that is not text', 'name', ['Ada', 'Obi']],
    ['a birth tomorrow', 'date_of_birth', tomorrow],
    ['a birth in another century', 'date_of_birth', '1800-01-01'],
    ['31 February', 'date_of_birth', '1990-02-31'],
    ['another form of date', 'date_of_birth', '14/03/1968'],
    ['an unknown country', 'country', 'XX'],
    ['the name of a country', 'country', 'Nigeria'],
    ['another gender', 'gender', 'unknown'],
    ['a threshold below the least', 'threshold', 0.1],
    ['a threshold that is not a number', 'threshold', 'abc'],
    ['a threshold above 100', 'threshold', 101],
    ['a threshold of nothing', 'threshold', 0],
    ['a list that cannot be one', 'lists', 'UN Security Council'],
    ['lists that are not text', 'lists', [7]],
    ['monitor: maybe', 'monitor', 'maybe'],
    ['monitor: 1', 'monitor', 1],
  ])('%s', async (_, field, value) => {
    const app = await api.createApp();
    const body = { ...CLEAR, [field]: value };
    for (const client of [app, app.live]) {
      // A live key is told first that no list is loaded.
      const answer = await send(client, body);
      if (client === app || answer.status !== 503) {
        expect([answer.status, answer.body.code, answer.body.details?.[0]?.path], answer.text.slice(0, 300)).toEqual([
          400,
          'invalid_request',
          field,
        ]);
        expect(answer.body.error).toMatch(new RegExp(`^${field} `));
      }
    }
    const job = await app.job({ check: 'aml_screening', input: body });
    expect([job.status, job.body.details?.[0]?.path]).toEqual([400, `input.${field}`]);
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test('a list that is not loaded, by its id, in a call and a job', async () => {
    const app = await api.createApp();
    const answer = await send(app, { ...CLEAR, lists: 'un_sc,ofac_cons' });
    expect([answer.status, answer.body.code]).toEqual([503, 'lists_not_loaded']);
    expect(answer.body.error).toContain('ofac_cons');
    expect(answer.body.error).not.toContain('un_sc');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const { id } = (await app.job({ check: 'aml_screening', input: { ...CLEAR, lists: 'ofac_cons' } })).body.entity;
    expect(await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).toMatchObject({ status: 'failed', error: { code: 'lists_not_loaded' } });
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test('a list that does not exist here, by its id, in a call and a job, with a test key and a live one', async () => {
    const app = await api.createApp();
    const message = 'must not name unknown lists: dismissed, in_house';
    for (const client of [app, app.live]) {
      const answer = await send(client, { ...CLEAR, lists: ['un_sc', 'in_house', 'dismissed'] });
      expect([answer.status, answer.body.code, answer.body.error]).toEqual([400, 'invalid_request', `lists ${message}`]);
      expect(answer.body.details).toEqual([{ path: 'lists', message, rule: 'unknown_list' }]);
    }
    const job = await app.job({ check: 'aml_screening', input: { ...CLEAR, lists: 'un_sc,in_house,dismissed' } });
    expect([job.status, job.body.details]).toEqual([400, [{ path: 'input.lists', message, rule: 'unknown_list' }]]);
    const many = await send(app, { ...CLEAR, lists: 'abcdefg'.split('').map((letter) => `list_${letter}`) });
    expect(many.body.error).toBe('lists must not name unknown lists: list_a, list_b, list_c, list_d, list_e and 2 more');
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test.each<[string, (csv: string) => string]>([
    ['read here', (csv) => csv],
    // Lines of delimiters are blank and do not count.
    ['read by a thread', (csv) => `${csv}${',,\n'.repeat(100 * 1024)}`],
  ])('rows that name a list that does not exist here, without repeating their cells: %s', async (_, sized) => {
    const app = await api.createApp();
    const query = 'checks=aml_screening&start=manual';
    const sent = await app.csv(query, sized('name,lists\nAda Obi,un_sc\nBola Ade,in_house\nChi Eze,ofac_cons\n'));
    expect([sent.status, sent.body.entity?.counts, sent.body.entity?.errors], sent.text).toMatchObject([
      202,
      { rows: 3, jobs: 2, invalid: 1 },
      [{ row: 2, path: 'lists', rule: 'unknown_list', message: 'must not name unknown lists' }],
    ]);
    const own = await app.csv(`${query}&on_invalid=reject`, sized('name,aml_screening.lists\nAda Obi,in_house\n'));
    expect([own.status, own.body.details]).toMatchObject([400, [{ row: 1, path: 'aml_screening.lists', rule: 'unknown_list' }]]);
    for (const { text } of [sent, own]) expect(text).not.toContain('in_house');
  });

  test('everything with a live key while no list is loaded: never a false "clear"', async () => {
    const { live } = await api.createApp();
    for (const body of [SANCTIONED, CLEAR]) {
      const answer = await send(live, body);
      expect([answer.status, answer.body.code]).toEqual([503, 'lists_not_loaded']);
      expect(answer.body.error).toMatch(/ofac_sdn.*un_sc/);
    }
    const batch = await live.csv('checks=aml_screening', 'name\nAda Obi\n');
    expect([batch.status, batch.body.code]).toEqual([503, 'lists_not_loaded']);
    const job = await live.job({ check: 'aml_screening', input: CLEAR });
    expect([job.status, job.body.code]).toEqual([503, 'lists_not_loaded']);
  });
});

describe('is answered', () => {
  test.each([
    ['a name in two scripts', 'Глеб Voronetsky'],
    ['a name with an emoji', 'Ada 🙂 Obi'],
    ['a name of 200 characters', 'Ada '.repeat(50)],
    ['a name of one Han character', '张'],
    ['a name with direction marks', 'ضرغام \u200fالقرافوي'],
    ['one long word', 'A'.repeat(200)],
    ['the same word many times', 'Musa '.repeat(40)],
    ['only titles', 'Alhaji Chief Dr'],
    ['markup', '<script>alert(1)</script>'],
    ['a format string', "Robert'); drop table jobs; --"],
    ['names of members of objects', '__proto__ constructor'],
  ])('%s', async (_, name) => {
    const app = await api.createApp();
    expect(await screen(app, { name })).toMatchObject({ total_hits: expect.any(Number) });
  });

  test('a name in two scripts as in one', async () => {
    const app = await api.createApp();
    expect((await screen(app, { name: 'Глеб Voronetsky', date_of_birth: '1971-11-02' })).hits[0]).toMatchObject({ source_id: '9900002' });
  });
});

interface ResultLine {
  entity: ScreeningEntity;
  duplicate_of: number | null;
}

/** Uploads CSV, waits for the end, and reads the results of each row. */
async function run(app: Client, csv: string): Promise<{ path: string; batch: BatchEntity; results: ResultLine[] }> {
  const accepted = await app.csv('checks=aml_screening', csv);
  expect(accepted.status, accepted.text).toBe(202);
  const path = `/api/v1/batches/${accepted.body.entity.id}`;
  const batch = await app.ended<BatchEntity>(path);
  const lines = (await app.get(`${path}/results?format=jsonl`)).text.trim().split('\n');
  return { path, batch, results: lines.map((line) => JSON.parse(line).checks.aml_screening as ResultLine) };
}

describe("the operator's own lists and disabled ones", () => {
  const folder = mkdtempSync(join(tmpdir(), 'confam-screening-'));
  const file = join(folder, 'lists.json');
  writeFileSync(file, JSON.stringify({ lists: { in_house: { category: 'sanction' }, interpol_red: { enabled: false } } }));
  const changed = useApi({ CONFAM_LISTS: file });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('an own list is known before it is loaded; a disabled one is known to test keys only, which have invented lists', async () => {
    const app = await changed.createApp();
    const codes = async (client: Client, lists: string) => {
      const { status, body } = await send(client, { ...CLEAR, lists });
      return [status, body.details?.[0]?.rule ?? body.code];
    };
    expect(await codes(app, 'in_house')).toEqual([503, 'lists_not_loaded']);
    expect(await codes(app.live, 'in_house')).toEqual([503, 'lists_not_loaded']);
    expect((await send(app.live, CLEAR)).body.error).toBe('Not loaded: ofac_sdn, un_sc. `confam doctor` tells the operator what to do');
    expect((await send(app, { ...CLEAR, lists: 'interpol_red' })).status).toBe(200);
    expect(await codes(app.live, 'interpol_red')).toEqual([400, 'unknown_list']);
  });
});
