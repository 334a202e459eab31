/** Answers that somebody should look at: marked when they are given, counted in their batch, listed and downloaded by themselves. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { checks } from '../../src/checks/catalog.ts';
import { isFlagged } from '../../src/checks/check.ts';
import { type BatchEntity, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
});

const LISTED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
/** Of the sandbox: its BVN is on the watch list. */
const WATCHED_BVN = '00000000007';

type Flagged = { flagged: boolean };
type Row = JobEntity & Flagged & { row: number | null };
const listed = async (path: string) => (await app.get<{ data: Row[] }>(path)).body.entity.data;

test('rows with hits are flagged, with their duplicates, and can be listed, downloaded and sent by themselves', async () => {
  const lines = ['Chinyere Okwuosa,1990-02-03,NG', `${LISTED.name},${LISTED.date_of_birth},NG`, 'Bolanle Adeyinka,1985-07-08,NG'];
  const text = `name,date_of_birth,country\n${[...lines, lines[1]].join('\n')}\n`;
  const { id } = (await app.csv('checks=aml_screening', text)).body.entity;
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
  expect(batch.counts).toMatchObject({ jobs: 3, found: 3, flagged: 1, duplicate: 1 });
  const rowsOf = async (query: string) => (await listed(`/api/v1/batches/${id}/jobs?${query}`)).map(({ row, flagged }) => [row, flagged]);
  expect(await rowsOf('flagged=true')).toEqual([
    [2, true],
    [4, true],
  ]);
  expect(await rowsOf('flagged=false')).toEqual([
    [1, false],
    [3, false],
  ]);
  const file = await app.get(`/api/v1/batches/${id}/results?format=jsonl&outcome=flagged`);
  const rows = file.text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { row: number }).row);
  expect(rows).toEqual([2, 4]);
  const link = (await app.post<{ path: string }>(`/api/v1/batches/${id}/links`, { format: 'csv', outcome: ['flagged', 'failed'] })).body
    .entity;
  const sent = await (await fetch(`${api.url}${link.path}`)).text();
  expect(
    sent
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
  ).toEqual([LISTED.name, LISTED.name]);
});

test('a cleared hit does not flag the next screening; the earlier one stays flagged', async () => {
  const screen = async () => {
    const { id } = (await app.job({ check: 'aml_screening', input: LISTED })).body.entity;
    return app.ended<JobEntity & Flagged>(`/api/v1/jobs/${id}`);
  };
  const before = await screen();
  const { list, source_id } = (before.result as { hits: { list: string; source_id: string }[] }).hits[0]!;
  const reason = 'Another person: the passport shows another place of birth';
  const cleared = await app.post('/api/v1/aml/clearances', { job: before.id, list, source_id, reason, cleared_by: 'Ada Obi' });
  expect([before.flagged, cleared.status]).toEqual([true, 201]);
  const after = await screen();
  expect((await listed('/api/v1/jobs?check=aml_screening&flagged=true')).map(({ id }) => id)).toEqual([before.id]);
  expect((await listed('/api/v1/jobs?check=aml_screening&flagged=false')).map(({ id }) => id)).toEqual([after.id]);
});

test('a BVN on the watch list is flagged, in calls from the cache too; a person in a registry is not', async () => {
  for (const _ of ['asked', 'from the cache']) expect((await app.get(`/api/v1/kyc/bvn/advance?bvn=${WATCHED_BVN}`)).status).toBe(200);
  expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status).toBe(200);
  const { sql } = api.service;
  const calls = await sql<{ checkId: string; flagged: true | null }[]>`
    select j.check_id, j.flagged from jobs j join apps a on a.id = j.app_id where j.family in ('bvn', 'nin') order by j.id`;
  expect(calls.map(({ checkId, flagged }) => [checkId, flagged])).toEqual([
    ['bvn_advance', true],
    ['bvn_advance', true],
    ['nin_basic', null],
  ]);
});

test.each<[string, Entity, boolean]>([
  ['bvn_match', { bvn: { value: '1', status: true }, last_name: { value: 'A', status: true } }, false],
  ['bvn_match', { bvn: { value: '1', status: true }, last_name: { value: 'A', status: false } }, true],
  ['photoid_verify', { match_status: 'MATCH', liveness_verified: true }, false],
  ['photoid_verify', { match_status: 'REVIEW', liveness_verified: true }, true],
  ['photoid_compare', { match_status: 'MATCH', liveness_verified: null }, true],
  ['nin_verify', { selfie_verification: { match: true }, liveness_verified: true }, false],
  ['bvn_verify', { selfie_verification: { match: false }, liveness_verified: true }, true],
  ['bvn_verify', { selfie_verification: { match: true }, liveness_verified: false }, true],
  ['face_match', { match_result: 'NO_MATCH', liveness_detected: true }, true],
  ['face_match', { match_result: 'MATCH', liveness_detected: true }, false],
  ['email_risk', { reputation: 'low' }, true],
  ['email_risk', { reputation: null }, false],
  ['cac_screening', { overall_risk: { risk_score: 51 } }, true],
  ['cac_screening', { overall_risk: { risk_score: 0 } }, false],
  ['cac_basic', { status: 'INACTIVE' }, false],
])('%s with %o is flagged: %s', (id, entity, flagged) => {
  expect(isFlagged(checks.find((check) => check.id === id)!, entity)).toBe(flagged);
});

test('a filter that is neither true nor false is refused by its name', async () => {
  const refused = await app.get('/api/v1/jobs?flagged=perhaps');
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { code: 'invalid_request', details: [{ path: 'flagged', message: 'must be true or false' }] },
  ]);
});

test('the documentation says for every check when its answers are flagged', () => {
  const page = readFileSync(new URL('../../docs/batches.md', import.meta.url), 'utf8');
  const rows = page
    .match(/\| check \| flagged \|\n\|---\|---\|\n((?:\|.*\n)+)/)![1]!
    .trim()
    .split('\n');
  const said = rows.flatMap((row) => {
    const [, ids, when] = row.split('|').map((cell) => cell.trim());
    return ids!.split(', ').map((id) => [id.replaceAll('`', ''), when]);
  });
  const judging = checks.flatMap(({ id, flag }) => (flag ? [[id, flag.when]] : []));
  expect(said.toSorted()).toEqual(judging.toSorted());
});
