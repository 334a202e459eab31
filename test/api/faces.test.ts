/** Face checks over HTTP, compared by the real engine. Needs the models and the development pairs; without them it is skipped with a notice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPhotograph } from '../../bench/photographs.ts';
import { findCheck } from '../../src/checks/catalog.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { skipNote } from '../engines/face/faces.ts';
import { type Answer, type Client, type Entity, type TestApp, useApi } from '../setup/api.ts';
import { again, base64, canCompare, enrol, one, other, plain, twoPeople } from '../setup/face-pictures.ts';
import { startVendor, type VendorServer } from '../vendors/vendor.ts';

const PHOTO_ID = '/api/v1/kyc/photoid/verify';
const NIN_VERIFY = '/api/v1/kyc/nin/verify';
const BVN_VERIFY = '/api/v1/kyc/bvn/verify';
const FACE_MATCH = '/v1/verify/biometrics/face-match';
let seed = 20_000_000_000;
const freshNumber = (): string => String(seed++);
const codeOf = ({ status, body }: Answer<Entity>) => [status, body.code];

function entityOf(check: string, answer: Answer<Entity>): Entity {
  expect(answer.status, answer.text).toBe(200);
  expect(findCheck(check)!.entity.safeParse(answer.body.entity).error).toBeUndefined();
  expect(answer.body).toMatchObject({ billed_amount: 150, cached: false, meta: { service: findCheck(check)!.service } });
  return answer.body.entity;
}

/** Onto the photograph of 250 × 250. */
const drawnOver = (inside: string): Promise<Buffer> =>
  sharp(one())
    .composite([{ input: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="250" height="250">${inside}</svg>`) }])
    .jpeg({ quality: 92 })
    .toBuffer();

describe.skipIf(!canCompare)(skipNote('face checks with a test key'), () => {
  const api = useApi({ CONFAM_FACE_THREADS: '1' });
  let app: TestApp;
  let nin: string;
  beforeEach(async () => {
    app = await api.createApp();
    nin = freshNumber();
    expect((await enrol(app, 'nin', nin, again())).status).toBe(201);
  });
  const spent = async () => 100_000 - (await app.wallet()).available;
  const photoId = (picture: Buffer, extra: object = {}) =>
    app.post(PHOTO_ID, { id_type: 'NIN', id_number: nin, image: base64(picture), ...extra });

  it('tell a person from a stranger by the enrolled portrait', async () => {
    const same = entityOf('photoid_verify', await photoId(one()));
    expect(same).toMatchObject({ match_status: 'MATCH', threshold: 90, replay_suspected: false, faces: { selfie: 1, portrait: 1 } });
    expect(same.confidence_score).toBeGreaterThan(95);
    const stranger = entityOf('photoid_verify', await photoId(other()));
    expect(stranger).toMatchObject({ match_status: 'NO_MATCH', replay_suspected: false });
    expect(await spent()).toBe(300);
  });

  it('answer liveness as true, false or null, with the measurements; what could not be judged accuses nobody', async () => {
    const live = entityOf('photoid_verify', await photoId(one()));
    const { decision } = live.liveness as { decision: string };
    expect(live.liveness_verified).toBe(decision === 'inconclusive' ? null : decision === 'live');
    const near = await sharp(one())
      .extract({ left: 75, top: 65, width: 102, height: 125 })
      .resize({ width: 400 })
      .jpeg({ quality: 95 })
      .toBuffer();
    const tooNear = entityOf('photoid_verify', await photoId(near));
    expect(tooNear).toMatchObject({
      match_status: 'MATCH',
      liveness_verified: null,
      liveness: {
        score: null,
        decision: 'inconclusive',
        reason: 'face_too_close',
        advice: expect.stringMatching(/^Take another picture from farther away/),
      },
    });
    expect((live.liveness as { advice: unknown }).advice).toBeNull();
    const gray = await sharp(again()).linear(0.72, 70).grayscale().jpeg({ quality: 95 }).toBuffer();
    const withoutColours = entityOf('photoid_verify', await photoId(gray));
    expect(withoutColours.liveness).toMatchObject({ reason: 'no_colours', advice: expect.stringMatching(/in colour/) });
    const matched = entityOf('face_match', await app.post(FACE_MATCH, { id_type: 'NIN', id_number: nin, image: base64(near) }));
    expect(matched, 'nobody is accused').toMatchObject({ match_result: 'MATCH', liveness_detected: null, spoof_risk: null });
  });

  it('a selfie lying on its side is compared as if upright', async () => {
    const lying = await sharp(one()).rotate(90).jpeg().toBuffer();
    expect(entityOf('photoid_verify', await photoId(lying))).toMatchObject({ match_status: 'MATCH' });
    const stranger = await sharp(other()).rotate(270).jpeg().toBuffer();
    expect(entityOf('photoid_verify', await photoId(stranger))).toMatchObject({ match_status: 'NO_MATCH' });
  });

  it('NIN and BVN answer the record with its portrait, the verification and liveness', async () => {
    const answer = entityOf('nin_verify', await app.post(NIN_VERIFY, { nin, selfie_image: base64(one()), threshold: 80 }));
    expect(answer).toMatchObject({ nin, selfie_verification: { match: true }, threshold: 80, image: base64(again()) });
    const record = (await app.get(`/api/v1/kyc/nin?nin=${nin}`)).body.entity;
    expect(answer).toMatchObject(record);
    const bvn = freshNumber();
    await enrol(app, 'bvn', bvn, again());
    const stranger = entityOf('bvn_verify', await app.post(BVN_VERIFY, { bvn, selfie_image: base64(other()) }));
    expect(stranger).toMatchObject({ bvn, selfie_verification: { match: false } });
    expect(stranger.first_name).not.toBe('');
  });

  it('large pictures are compared like small ones, each with its own person, however many at a time', async () => {
    // Whatever follows the end of a JPEG is no part of it.
    const large = (picture: Buffer, filler: string) => base64(Buffer.concat([picture, Buffer.alloc(1_500_000, filler)]));
    const small = await photoId(one());
    // 25 MB together: within the share of an app whose neighbours find the event loop late.
    const asked = [one(), other(), one(), other(), one(), other()].map((picture, i) =>
      app.post(PHOTO_ID, { selfie_image: large(picture, `${i}`), photoid_image: large(again(), 'x') }),
    );
    const statuses = (await Promise.all(asked)).map((answer) => entityOf('photoid_compare', answer).match_status);
    expect(statuses).toEqual(['MATCH', 'NO_MATCH', 'MATCH', 'NO_MATCH', 'MATCH', 'NO_MATCH']);
    const same = { selfie_image: large(one(), 'x'), photoid_image: large(one(), 'x') };
    expect(entityOf('photoid_compare', await app.post(PHOTO_ID, same))).toMatchObject({ match_status: 'REVIEW', replay_suspected: true });
    const body = { id_type: 'NIN', id_number: nin, image: large(one(), 'y') };
    expect(entityOf('photoid_verify', await app.post(PHOTO_ID, body)).confidence_score).toBe(
      entityOf('photoid_verify', small).confidence_score,
    );
    const refused = await app.post(NIN_VERIFY, { nin, selfie_image: large(Buffer.from('GIF89a'), 'z') });
    expect([...codeOf(refused), refused.body.details[0]!.path]).toEqual([400, 'invalid_image', 'selfie_image']);
  });

  it('face-match answers result, liveness and risk', async () => {
    const entity = entityOf('face_match', await app.post(FACE_MATCH, { id_type: 'NIN', id_number: nin, image: base64(one()) }));
    expect(entity).toMatchObject({ match_result: 'MATCH', threshold: 90 });
    const { decision } = entity.liveness as { decision: string };
    expect(entity.spoof_risk).toBe(decision === 'spoof' ? 'HIGH' : decision === 'live' ? 'LOW' : 'MEDIUM');
  });

  it.each(['photoid_image', 'photo_id'])('two photographs are compared without a registry, the second as %s', async (second) => {
    const body = { selfie_image: base64(one()), [second]: `data:image/jpeg;base64,${base64(again())}`, first_name: 'Tony', last_name: 'B' };
    const entity = entityOf('photoid_compare', await app.post(PHOTO_ID, body));
    expect(entity).toMatchObject({ match_status: 'MATCH', selfie: { match: true, confidence_value: entity.confidence_score } });
    const refused = await app.post(PHOTO_ID, { ...body, [second]: base64(await plain('#c8b090')) });
    expect(codeOf(refused)).toEqual([422, 'no_face_detected']);
    expect(refused.body.error.startsWith(`${second}: `)).toBe(true);
    expect(refused.body.details[0]!.path).toBe(second);
    expect(await spent()).toBe(150);
  });

  it('a threshold is a percentage or a fraction, and the app may have its own', async () => {
    const { confidence_score: score } = entityOf('photoid_verify', await photoId(one())) as { confidence_score: number };
    const asked: [unknown, number, string][] = [
      [0, 0, 'MATCH'],
      [0.5, 50, 'MATCH'],
      ['0.905', 90.5, 'MATCH'],
      [60, 60, 'MATCH'],
      ['85.5', 85.5, 'MATCH'],
      [1, 100, score >= 100 ? 'MATCH' : 'REVIEW'],
      [100, 100, score >= 100 ? 'MATCH' : 'REVIEW'],
    ];
    for (const [threshold, applied, status] of asked)
      expect((await photoId(one(), { threshold })).body.entity, String(threshold)).toMatchObject({
        threshold: applied,
        match_status: status,
      });
    for (const threshold of [-1, 101, 'high', [90], true])
      expect((await photoId(one(), { threshold })).body, String(threshold)).toMatchObject({ details: [{ path: 'threshold' }] });
    const strict = await api.createApp({ settings: { faceThreshold: 99.99 } });
    await enrol(strict, 'nin', nin, again());
    const answer = await strict.post(PHOTO_ID, { id_type: 'NIN', id_number: nin, image: base64(one()) });
    expect(answer.body.entity).toMatchObject({ threshold: 99.99 });
  });

  it('the portrait itself as the selfie is flagged for review', async () => {
    const entity = entityOf('nin_verify', await app.post(NIN_VERIFY, { nin, selfie_image: base64(again()) }));
    expect(entity).toMatchObject({ replay_suspected: true, selfie_verification: { match: false } });
    const matched = entityOf('face_match', await app.post(FACE_MATCH, { id_type: 'NIN', id_number: nin, image: base64(again()) }));
    expect(matched).toMatchObject({ match_result: 'REVIEW', spoof_risk: 'HIGH' });
  });

  it.each<[string, () => Promise<Buffer>, string]>([
    ['of a wall', () => plain('#c8b090'), 'no_face_detected'],
    ['of two people', twoPeople, 'multiple_faces'],
    ['with few pixels', () => sharp(one()).resize({ width: 130 }).jpeg().toBuffer(), 'face_too_small'],
    [
      'cut by the edge',
      () => sharp(one()).extract({ left: 90, top: 80, width: 60, height: 125 }).resize({ width: 300 }).jpeg().toBuffer(),
      'face_too_close',
    ],
    ['out of focus', () => sharp(one()).blur(2.4).jpeg().toBuffer(), 'image_blurry'],
    ['taken in the dark', () => plain('black'), 'image_too_dark'],
    ['with sunglasses', () => drawnOver('<rect x="88" y="98" width="66" height="32" rx="10"/>'), 'eyes_covered'],
    ['with a mask', () => drawnOver('<path d="M94 145 L108 130 L174 140 L163 172 L138 188 L116 187 Z" fill="#a9cfe0"/>'), 'mouth_covered'],
    ['in profile', async () => readPhotograph('g_Phil_Gramm_0002'), 'face_turned_away'],
  ])('a selfie %s is refused, naming its field, free of charge', async (_, make, code) => {
    const answer = await photoId(await make());
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.code).toBe(code);
    expect(answer.body.error).toMatch(/^image: .*; nothing was charged$/);
    expect(answer.body.details).toMatchObject([{ path: 'image', rule: answer.body.code }]);
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  it('a number without a portrait says how to enrol one', async () => {
    const answer = await app.post(BVN_VERIFY, { bvn: nin, selfie_image: base64(one()) });
    expect(codeOf(answer)).toEqual([404, 'portrait_not_enrolled']);
    expect(answer.body.error).toContain('/api/v1/sandbox/portraits/bvn/');
    expect(answer.body.error).not.toContain(nin);
    const elsewhere = await (await api.createApp()).post(NIN_VERIFY, { nin, selfie_image: base64(one()) });
    expect(codeOf(elsewhere)).toEqual([404, 'portrait_not_enrolled']);
    expect(await spent()).toBe(0);
  });

  it('a picture without a face is not enrolled', async () => {
    const answer = await enrol(app, 'nin', freshNumber(), await plain('#c8b090'));
    expect(codeOf(answer)).toEqual([422, 'no_face_detected']);
    const small = await sharp(one()).resize({ width: 60 }).jpeg().toBuffer();
    expect((await enrol(app, 'nin', freshNumber(), small)).status).toBe(422);
  });

  const scripted = (digit: number, picture = one()) =>
    app.post(FACE_MATCH, { id_type: 'BVN', id_number: `0000000000${digit}`, image: base64(picture) });

  it.each<[number, object]>([
    [0, { match_result: 'MATCH', confidence_score: 99.5, liveness_detected: true, spoof_risk: 'LOW' }],
    [2, { match_result: 'NO_MATCH', confidence_score: 3.5, spoof_risk: 'LOW' }],
    [5, { match_result: 'MATCH' }],
    [6, { match_result: 'MATCH' }],
    [7, { match_result: 'REVIEW', confidence_score: 70 }],
    [8, { match_result: 'MATCH', liveness_detected: false, spoof_risk: 'HIGH' }],
    [9, { match_result: 'REVIEW', replay_suspected: true, spoof_risk: 'HIGH' }],
  ])('the scripted number %i has its outcome once the selfie has a face', async (digit, expected) => {
    expect(entityOf('face_match', await scripted(digit))).toMatchObject({ ...expected, faces: { selfie: 1, portrait: null } });
  });

  it('the scripted numbers look at the selfie first, whatever their outcome', async () => {
    const wall = await plain('#c8b090');
    for (const digit of [0, 1, 3]) expect(codeOf(await scripted(digit, wall))).toEqual([422, 'no_face_detected']);
    const missing = await scripted(1);
    expect([codeOf(missing), missing.body.error]).toEqual([[404, 'record_not_found'], 'The registry has no record for this id_number']);
    expect(codeOf(await scripted(3))).toEqual([424, 'provider_failed']);
    expect(await spent()).toBe(0);
  });
});

describe.skipIf(!canCompare)(skipNote('face checks with a live key'), () => {
  let vendor: VendorServer;
  let live: Client;
  const folder = mkdtempSync(join(tmpdir(), 'confam-faces-'));
  afterAll(async () => {
    await vendor.close();
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
  const api = useApi(async () => {
    vi.stubEnv('VENDOR_KEY', 'cf_live_of_a_vendor');
    vendor = await startVendor();
    const path = join(folder, 'upstreams.json');
    const credentials = { key: { env: 'VENDOR_KEY' }, app_id: { env: 'VENDOR_KEY' } };
    const providers = { vendor: { adapter: 'native', credentials, base_url: vendor.url, cost_kobo: { nin: 80_00, bvn: 80_00 } } };
    writeFileSync(path, JSON.stringify({ providers, records: { nin: ['vendor'], bvn: ['vendor'] } }));
    return { CONFAM_UPSTREAMS: path, CONFAM_FACE_THREADS: '1' };
  });
  beforeEach(async () => {
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 1_000_00, null);
    live = app.live;
  });

  const person = { firstname: 'Bisi', surname: 'Okorocha', birthdate: '1990-02-03', telephoneno: '08030000017' };
  const record = (nin: string, photo: string) => ({ status: 200, body: { status: 'success', entity: { nin, ...person, photo } } });

  it('look up the registry portrait', async () => {
    const nin = freshNumber();
    vendor.script(record(nin, `data:image/jpeg;base64,${base64(again())}`));
    const entity = entityOf('nin_verify', await live.post(NIN_VERIFY, { nin, selfie_image: base64(one()) }));
    expect(entity).toMatchObject({ nin, surname: 'Okorocha', selfie_verification: { match: true } });
    expect(vendor.requests.map(({ path }) => path)).toEqual(['/api/v1/kyc/nin/nin_slip']);
    expect(JSON.stringify(vendor.requests)).not.toContain(base64(one()).slice(100, 200));
    expect((await live.wallet()).available).toBe(850);
  });

  it('ask no registry about a selfie that cannot be compared', async () => {
    vendor.script();
    const answer = await live.post(PHOTO_ID, { id_type: 'NIN', id_number: freshNumber(), image: base64(await twoPeople()) });
    expect(codeOf(answer)).toEqual([422, 'multiple_faces']);
    expect(vendor.requests).toEqual([]);
  });

  it.each<[string, () => Promise<string>, number, string]>([
    ['no portrait', async () => '', 404, 'portrait_not_on_record'],
    ['a portrait that is not a picture', async () => 'aGVsbG8=', 404, 'portrait_not_on_record'],
    ['a portrait without a face', async () => base64(await plain('#c8b090')), 422, 'no_face_detected'],
  ])('a record with %s costs nothing', async (_, photo, status, code) => {
    const nin = freshNumber();
    vendor.script(record(nin, await photo()));
    const answer = await live.post(FACE_MATCH, { id_type: 'NIN', id_number: nin, image: base64(one()) });
    expect(codeOf(answer), answer.text).toEqual([status, code]);
    if (status === 422) expect(answer.body.error).toMatch(/^the portrait on record: /);
    expect(await live.wallet()).toMatchObject({ available: 1_000, held: 0 });
  });

  it('a number not on record is not found', async () => {
    vendor.script({ status: 404, body: { status: 'error', error: 'none', code: 'record_not_found', meta: { request_id: 'r' } } });
    const answer = await live.post(NIN_VERIFY, { nin: freshNumber(), selfie_image: base64(one()) });
    expect(codeOf(answer)).toEqual([404, 'record_not_found']);
  });

  it('two photographs need no registry', async () => {
    vendor.script();
    const answer = await live.post(PHOTO_ID, { selfie_image: base64(one()), photoid_image: base64(again()) });
    expect(entityOf('photoid_compare', answer)).toMatchObject({ match_status: 'MATCH' });
    expect(vendor.requests).toEqual([]);
  });
});
