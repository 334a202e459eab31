/** `GET /jobs/{id}/report`: the evidence of a screening over HTTP, for its owner only. */
import { describe, expect, test } from 'vitest';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { sealOf } from '../../src/reports/seal.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { textOfPdf } from '../setup/pdf.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1' });

/** Sanctioned in the sandbox (docs/sandbox.md), with accents that we added. */
const PERSON = { name: 'Músá Danjumare Bàlárábẹwà', date_of_birth: '1968-03-14', country: 'NG' };

/** A screening that has ended. */
async function screened(app: TestApp, reference = 'onboarding-7741'): Promise<string> {
  const { id } = (await app.job({ check: 'aml_screening', input: PERSON, reference })).body.entity;
  expect(await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).toMatchObject({ outcome: 'found', live: false });
  return id;
}

async function download(app: TestApp, job: string): Promise<{ headers: Headers; text: string }> {
  const answer = await fetch(`${api.url}/api/v1/jobs/${job}/report`, { headers: { Authorization: app.key, AppId: app.app } });
  expect(answer.status).toBe(200);
  const text = textOfPdf(new Uint8Array(await answer.arrayBuffer()))
    .flat()
    .join(' ');
  return { headers: answer.headers, text };
}

describe('the report of a screening', () => {
  test('is a PDF named after the job, which no cache keeps', async () => {
    const app = await api.createApp();
    const job = await screened(app);
    const { headers } = await download(app, job);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${job}.pdf"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  test('has the person as sent, the result of the job, and a seal over both', async () => {
    const app = await api.createApp();
    const job = await screened(app);
    const { text } = await download(app, job);
    for (const part of [
      `Name ${PERSON.name}`,
      'Country NG',
      'Screened for Test',
      `Job ${job}`,
      'onboarding-7741',
      'Risk: CRITICAL',
      'Decision none recorded',
    ])
      expect(text.normalize('NFC'), part).toContain(part.normalize('NFC'));
    const { result } = (await app.get<JobEntity>(`/api/v1/jobs/${job}`)).body.entity;
    expect(text).toContain(`Seal ${sealOf(result)}`);
    expect(text).toContain('Screened with a test key against invented lists');
  });

  test('says what the reviewers of the app have decided by then', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const job = await screened(app);
    const review = (await app.get<{ data: { id: string }[] }>(`/api/v1/reviews?job=${job}`)).body.entity.data[0]!.id;
    expect((await download(app, job)).text).toContain(`Decision case open (${review})`);
    const { browser, id } = await signedInAs(api, app, 'operator');
    expect((await browser.post(`/api/v1/reviews/${review}/decide`, { decision: 'reject', reason: 'On the list' })).status).toBe(200);
    const { text } = await download(app, job);
    expect(text).toContain(`Decision rejected by Ada Obi (${id}) on `);
    expect(text).not.toContain('On the list');
  });

  test('of a row whose result is in a block is the same as of a single job', async () => {
    const app = await api.createApp();
    const columns = Object.keys(PERSON).join(',');
    const people = Array.from({ length: 12 }, (_, i) => ({
      ...PERSON,
      name: i === 0 ? PERSON.name : `Tamunoemi ${'abcdefghijkl'[i]} Briggs-Pepple`,
    }));
    const made = await app.csv('checks=aml_screening', `${columns}\n${people.map((one) => Object.values(one).join(',')).join('\n')}\n`);
    const { id } = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
    const { data } = (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${id}/jobs`)).body.entity;
    // A row that was settled alone is not.
    const inBlocks = await api.service.sql<{ row: number }[]>`
      select j.row_number as row from jobs j join result_blocks b on b.batch_id = j.batch_id and b.id = j.result_block where j.batch_id = ${parseId('bat', id)}`;
    expect(inBlocks.length).toBeGreaterThan(people.length / 2);
    for (const { id: job, row, result } of data.filter((one) => inBlocks.some(({ row }) => row === one.row))) {
      const { text } = await download(app, job);
      expect(text.normalize('NFC')).toContain(`Name ${people[row! - 1]!.name}`.normalize('NFC'));
      expect(text).toContain(`Seal ${sealOf(result)}`);
    }
    expect((await download(app, data[0]!.id)).text).toContain('Risk: CRITICAL');
  });

  test('is complete for each of twenty concurrent requests', async () => {
    const app = await api.createApp();
    const jobs = await Promise.all(Array.from({ length: 20 }, (_, i) => screened(app, `reference-${i}.`)));
    const reports = await Promise.all(jobs.map((job) => download(app, job)));
    for (const [i, { text }] of reports.entries()) {
      expect(text).toContain(`Job ${jobs[i]}`);
      expect(text).toContain(`Reference reference-${i}.`);
      expect(text).toMatch(/Seal [0-9a-f]{64}/);
    }
  });

  test('of a batch row reads the person through the mapping of its columns', async () => {
    const app = await api.createApp();
    const uploaded = await app.csv(
      'checks=aml_screening&map.name=Who&map.date_of_birth=Born&map.country=Where',
      `Customer,Who,Born,Where\nc1,${PERSON.name},${PERSON.date_of_birth},ng\n`,
    );
    const batch = uploaded.body.entity.id;
    await app.ended(`/api/v1/batches/${batch}`);
    const [row] = (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${batch}/jobs`)).body.entity.data;
    const { text } = await download(app, row!.id);
    expect(text).toContain('Country NG');
    expect(text).toContain('Date of birth 1968-03-14');
    expect(text).toContain(`Batch ${batch}, row 1`);
  });
});

describe('there is no report', () => {
  const refusalOf = async (app: TestApp['live'], job: string) => {
    const { status, body } = await app.get(`/api/v1/jobs/${job}/report`);
    return [status, body.code, body.error];
  };
  const unknown = [404, 'resource_not_found', 'There is no such job'];

  test('of an unknown job, nor for another app, a key of the other mode, or no key', async () => {
    const [owner, stranger] = [await api.createApp(), await api.createApp()];
    const job = await screened(owner);
    expect(await refusalOf(stranger, job)).toEqual(unknown);
    expect(await refusalOf(owner.live, job)).toEqual(unknown);
    for (const id of [showId('job', newId()), 'job_1', 'x'.repeat(300), job.toUpperCase()])
      expect(await refusalOf(owner, id), id).toEqual(unknown);
    expect((await fetch(`${api.url}/api/v1/jobs/${job}/report`)).status).toBe(401);
  });

  test('of a job of another check', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    expect(await refusalOf(app, id)).toEqual([409, 'conflict', 'Reports exist only for aml_screening jobs; this is a job of nin_basic']);
  });

  test('of a job that has not ended', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=aml_screening&start=manual', `name\n${PERSON.name}\n`)).body.entity;
    const [row] = (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${id}/jobs`)).body.entity.data;
    expect(await refusalOf(app, row!.id)).toEqual([409, 'conflict', 'A report needs a completed job with a result; this one is queued']);
  });
});
