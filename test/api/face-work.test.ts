/** Face checks as jobs and in batches: the same engine and refusals, consistent counts and money, and no picture left behind. */
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { dropExpired } from '../../src/lifecycle/expired.ts';
import { skipNote } from '../engines/face/faces.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, startApi, type TestApp, useApi } from '../setup/api.ts';
import { asOwner } from '../setup/database.ts';
import { again, base64, bomb, canCompare, enrol, one, other, plain, twoPeople } from '../setup/face-pictures.ts';
import { never } from '../setup/work.ts';
import { archive } from '../setup/zip.ts';

let seed = 20_700_000_000;
const freshNumber = (): string => String(seed++);

interface Line {
  checks: Record<string, { status: string; billed_amount: number; error: { code: string; message: string } | null; entity: Entity | null }>;
}

describe.skipIf(!canCompare)(skipNote('faces in bulk'), () => {
  const api = useApi({ CONFAM_FACE_THREADS: '1' });
  let app: TestApp;
  let nin: string;
  beforeEach(async () => {
    app = await api.createApp();
    nin = freshNumber();
    await enrol(app, 'nin', nin, again());
  });

  const job = async (check: string, input: object): Promise<JobEntity> => {
    const made = await app.job({ check, input });
    expect(made.status, made.text).toBe(202);
    return app.ended<JobEntity>(`/api/v1/jobs/${made.body.entity.id}`);
  };
  const imagesKept = async (batch: string): Promise<number> => {
    const [row] = await api.service.sql<{ kept: number }[]>`
      select count(images)::int as kept from jobs where batch_id = ${parseId('bat', batch)}`;
    return row!.kept;
  };
  const results = async (id: string): Promise<Line[]> => {
    const { text: lines } = await app.get(`/api/v1/batches/${id}/results?format=jsonl`);
    return lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  it('a job answers like a call, and keeps no picture', async () => {
    const made = await job('photoid_verify', { id_type: 'NIN', id_number: nin, image: base64(one()) });
    expect(made).toMatchObject({ status: 'completed', billed_amount: 150, result: { match_status: 'MATCH' } });
    const [row] = await api.service.sql<{ images: Buffer | null; input: Buffer }[]>`
      select images, input from jobs where id = ${parseId('job', made.id)}`;
    expect(row!.images).toBeNull();
    expect(row!.input.length).toBeLessThan(200);
  });

  it.each<[string, () => Promise<object>, string, string]>([
    ['a blurred selfie', async () => ({ selfie_image: base64(await plain('#c8b090')) }), 'no_face_detected', 'selfie_image'],
    ['two people', async () => ({ selfie_image: base64(await twoPeople()) }), 'multiple_faces', 'selfie_image'],
    ['a broken picture', async () => ({ selfie_image: base64(one().subarray(0, 4_000)) }), 'invalid_image', 'selfie_image'],
    ['nobody enrolled', async () => ({ nin: freshNumber(), selfie_image: base64(one()) }), 'portrait_not_enrolled', 'portrait'],
  ])('a job with %s fails with the code of a call, and the picture is deleted', async (_, input, code, names) => {
    const made = await job('nin_verify', { nin, ...(await input()) });
    expect(made).toMatchObject({ status: 'failed', billed_amount: 0, error: { code } });
    expect(made.error!.message).toContain(names);
    const [row] = await api.service.sql<{ images: Buffer | null }[]>`select images from jobs where id = ${parseId('job', made.id)}`;
    expect(row!.images).toBeNull();
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  it('a job whose picture is invalid is refused at once', async () => {
    const made = await app.job({ check: 'nin_verify', input: { nin, selfie_image: 'aGVsbG8=' } });
    expect([made.status, made.body.code, made.body.details[0]!.path]).toEqual([400, 'invalid_image', 'input.selfie_image']);
  });

  it('NDJSON with good and bad rows: counts and money add up, and each row says what was wrong', async () => {
    const missing = freshNumber();
    const rows: [object, string][] = [
      [{ id_number: nin, image: base64(one()) }, 'MATCH'],
      [{ id_number: nin, image: base64(other()) }, 'NO_MATCH'],
      [{ id_number: nin, image: base64(await plain('#c8b090')) }, 'no_face_detected'],
      [{ id_number: nin, image: base64(await plain('black')) }, 'image_too_dark'],
      [{ id_number: nin, image: base64(bomb(30_000, 30_000)) }, 'image_too_large'],
      [{ id_number: missing, image: base64(one()) }, 'portrait_not_enrolled'],
      [{ id_number: nin, image: base64(await twoPeople()), id_type: 'TIN' }, 'invalid'],
      [{ id_number: nin, image: 'aGVsbG8=' }, 'invalid'],
      [{ id_number: '00000000001', image: base64(one()) }, 'not_found'],
    ];
    const body = rows.map(([row]) => `${JSON.stringify({ id_type: 'NIN', ...row })}\n`).join('');
    const accepted = await app.post<BatchEntity>('/api/v1/batches?checks=photoid_verify', body, { 'Content-Type': 'application/x-ndjson' });
    expect(accepted.status, accepted.text).toBe(202);
    const path = `/api/v1/batches/${accepted.body.entity.id}`;
    const batch = await app.ended<BatchEntity>(path);
    expect(batch.counts).toMatchObject({ rows: 9, jobs: 7, invalid: 2, completed: 3, found: 2, not_found: 1, failed: 4 });
    expect(batch.billed_amount).toBe(300);
    expect(await app.wallet()).toMatchObject({ available: 99_700, held: 0 });
    const lines = await results(accepted.body.entity.id);
    const told = lines.map(({ checks: { photoid_verify: check } }) => check?.error?.code ?? check?.entity?.match_status);
    expect(told.slice(0, 6)).toEqual(rows.slice(0, 6).map(([, expected]) => expected));
    const csv = (await app.get(`${path}/results?format=csv`)).text.split('\r\n');
    expect(csv[0]).toContain('photoid_verify.match_status');
    expect(csv[3]).toContain(',failed,,no_face_detected,');
    // What would fail again is not kept; a person enrolled later can be retried.
    expect(await imagesKept(accepted.body.entity.id)).toBe(1);
    await enrol(app, 'nin', missing, again());
    expect((await app.post(`${path}/retry`)).status).toBe(200);
    const retried = await app.ended<BatchEntity>(path);
    expect(retried.counts).toMatchObject({ completed: 4, found: 3, failed: 3 });
    expect(retried.billed_amount).toBe(450);
    expect(await imagesKept(accepted.body.entity.id)).toBe(0);
    const refused = await app.post(`${path}/retry`);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.error).toContain('pictures');
  });

  it('a ZIP of manifest and files runs two checks per row', async () => {
    const upload = archive([
      { name: 'manifest.csv', content: `nin,selfie_image,photoid_image,reference\n${nin},a.jpg,b.jpg,r1\n${nin},c.jpg,b.jpg,r2\n` },
      { name: 'a.jpg', content: one() },
      { name: 'b.jpg', content: again() },
      { name: 'c.jpg', content: other() },
    ]);
    const accepted = await app.post<BatchEntity>('/api/v1/batches?checks=nin_verify,photoid_compare', upload, {
      'Content-Type': 'application/zip',
    });
    expect(accepted.status, accepted.text).toBe(202);
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${accepted.body.entity.id}`);
    expect(batch.counts).toMatchObject({ rows: 2, jobs: 4, found: 4, failed: 0 });
    expect(await app.wallet()).toMatchObject({ available: 100_000 - 600, held: 0 });
    const [first, second] = await results(accepted.body.entity.id);
    expect(first!.checks).toMatchObject({
      nin_verify: { entity: { selfie_verification: { match: true } } },
      photoid_compare: { entity: { match_status: 'MATCH' } },
    });
    expect(second!.checks.photoid_compare!.entity).toMatchObject({ match_status: 'NO_MATCH' });
    expect(await imagesKept(accepted.body.entity.id)).toBe(0);
  });

  it('pictures of failed rows are deleted after a week', async () => {
    const body = `${JSON.stringify({ id_type: 'NIN', id_number: freshNumber(), image: base64(one()) })}\n`;
    const { entity } = (await app.post<BatchEntity>('/api/v1/batches?checks=face_match', body, { 'Content-Type': 'application/x-ndjson' }))
      .body;
    await app.ended(`/api/v1/batches/${entity.id}`);
    await dropExpired(api.service, never);
    expect(await imagesKept(entity.id)).toBe(1);
    const [row] = await api.service.sql<{ days: number }[]>`
      select round(extract(epoch from images_until - now()) / 86400)::int as days from jobs where batch_id = ${parseId('bat', entity.id)}`;
    expect(row!.days).toBe(7);
    await api.service.sql`update jobs set images_until = now() where batch_id = ${parseId('bat', entity.id)}`;
    await dropExpired(api.service, never);
    expect(await imagesKept(entity.id)).toBe(0);
    expect((await app.post(`/api/v1/batches/${entity.id}/retry`)).body.code).toBe('conflict');
  });

  it('only an app that keeps pictures can read those of its jobs, until their time is over', async () => {
    const keeper = await api.createApp({ settings: { keepImagesDays: 30 } });
    const input = { selfie_image: base64(one()), photoid_image: base64(again()) };
    const made = await keeper.job({ check: 'photoid_compare', input });
    const path = `/api/v1/jobs/${made.body.entity.id}`;
    expect((await keeper.ended<JobEntity>(path)).result).toMatchObject({ match_status: 'MATCH' });
    const read = async (key: Client, side: string) => {
      const answer = await fetch(`${api.url}${path}/images/${side}`, { headers: { Authorization: key.key, AppId: key.app } });
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const selfie = await read(keeper, 'selfie');
    expect([selfie.status, selfie.headers.get('content-type'), selfie.headers.get('cache-control')]).toEqual([
      200,
      'image/jpeg',
      'private, no-store',
    ]);
    expect(selfie.bytes.equals(one())).toBe(true);
    expect((await read(keeper, 'portrait')).bytes.equals(again())).toBe(true);
    expect((await read(keeper, 'signature')).status).toBe(400);
    for (const stranger of [app, keeper.live]) expect((await read(stranger, 'selfie')).status).toBe(404);
    const id = parseId('job', made.body.entity.id);
    const [row] = await api.service.sql<{ days: number; images: Buffer }[]>`
      select round(extract(epoch from images_until - now()) / 86400)::int as days, images from jobs where id = ${id}`;
    expect(row!.days).toBe(30);
    expect(row!.images.includes(one().subarray(600, 640))).toBe(false);
    await api.service.sql`update jobs set images_until = now() where id = ${id}`;
    await dropExpired(api.service, never);
    expect((await read(keeper, 'selfie')).status).toBe(404);
    // Nothing is kept of refused pictures, nor of people not on record.
    const refused = await keeper.job({ check: 'photoid_compare', input: { ...input, selfie_image: base64(await plain('#c8b090')) } });
    const unknown = await keeper.job({ check: 'face_match', input: { id_type: 'NIN', id_number: '00000000001', image: base64(one()) } });
    for (const { body } of [refused, unknown]) {
      await keeper.ended(`/api/v1/jobs/${body.entity.id}`);
      expect((await keeper.get(`/api/v1/jobs/${body.entity.id}/images/selfie`)).status).toBe(404);
    }
  });

  it.each([0, 366, 1.5, '30'])('pictures are not kept for %s days', async (keepImagesDays) => {
    const answer = await api.admin.post('/api/v1/admin/apps', { name: 'Keeper', settings: { keepImagesDays } });
    expect([answer.status, answer.body.details[0]!.path]).toEqual([400, 'settings.keepImagesDays']);
  });

  it('no picture of a call, job or batch is in the database in the clear, and only portraits are stored sealed', async () => {
    const body = { id_type: 'NIN', id_number: nin, image: base64(one()) };
    const key = { 'Idempotency-Key': `face-${nin}` };
    expect((await app.post('/api/v1/kyc/photoid/verify', body, key)).status).toBe(200);
    expect((await app.post('/api/v1/kyc/photoid/verify', body, key)).status).toBe(200);
    const rows = `${JSON.stringify(body)}\n`;
    const batch = await app.post<BatchEntity>('/api/v1/batches?checks=photoid_verify', rows, { 'Content-Type': 'application/x-ndjson' });
    await app.ended(`/api/v1/batches/${batch.body.entity.id}`);
    const clear = [one(), again()].flatMap((picture) => [
      picture.subarray(600, 640).toString('hex'),
      base64(picture).slice(800, 860),
      Buffer.from(base64(picture).slice(800, 860)).toString('hex'),
    ]);
    for (const { name, dump } of await dumps(api.service.databaseUrl)) {
      for (const part of clear) expect(dump.includes(part), name).toBe(false);
      // A sealed picture is as large as the picture; results of NIN and BVN hold the portrait on record.
      if (!/^(sandbox_portraits|results(_.*)?)$/.test(name))
        expect(Math.max(...dump.split(/[\s,()]/).map((value) => value.length)), name).toBeLessThan(16_000);
    }
  });
});

/** Every table as text. */
const dumps = (url: string) =>
  asOwner(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
    return Promise.all(
      tables.map(async ({ name }) => {
        const [row] = await sql<{ dump: string }[]>`select coalesce(string_agg(t::text, ' '), '') as dump from ${sql(name)} t`;
        return { name, dump: row!.dump };
      }),
    );
  });

describe('without models', () => {
  it('face checks answer 503, and everything else works', async () => {
    const api = await startApi({ CONFAM_FACE_MODELS: '/nowhere' });
    const app = await api.createApp();
    const image = `data:image/jpeg;base64,${base64(await plain('white'))}`;
    const answers = [
      await app.post('/api/v1/kyc/photoid/verify', { id_type: 'NIN', id_number: '70123456789', image }),
      await app.post('/api/v1/kyc/photoid/verify', { selfie_image: image, photoid_image: image }),
      await app.job({ check: 'nin_verify', input: { nin: '70123456789', selfie_image: image } }),
    ];
    for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([503, 'provider_not_configured']);
    expect((await app.get('/readyz')).status).toBe(200);
    expect((await app.get('/api/v1/kyc/nin?nin=70123456789')).status).toBe(200);
    expect((await enrol(app, 'nin', '70123456789', await plain('white'))).status).toBe(201);
    await api.stop();
  });

  it('a process says once which file it lacks and what to do', () => {
    const script = `
      import { openFaces } from './src/faces/faces.ts';
      const log = { error: (line) => console.log(line) };
      console.log(await openFaces({ config: { CONFAM_FACE_MODELS: '/nowhere' }, log }));`;
    const said = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(said).toMatch(/^face checks answer provider_not_configured: CONFAM_FACE_MODELS: \/nowhere\/manifest\.json .*\nnull\n$/);
  });
});
