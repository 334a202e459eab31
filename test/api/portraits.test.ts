/** Sandbox portraits over HTTP: whose they are, where they are shown, what is refused. The pictures are made here and have no face. */
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCheck } from '../../src/checks/catalog.ts';
import { IMAGE_BYTES_MAX } from '../../src/checks/inputs.ts';
import type { LookupResult } from '../../src/checks/provider.ts';

import { parseId } from '../../src/foundation/ids.ts';
import { openVerify } from '../../src/pipeline/verify.ts';
import { openPortraits, readPortrait } from '../../src/sandbox/portraits/read.ts';
import { type BatchEntity, type Client, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { counted } from '../setup/database.ts';

interface Portrait {
  object: string;
  id_type: string;
  id_number: string;
  bytes: number;
  type: string;
  enrolled_at: string;
}

const canvas = (width: number, height: number, background: string) => sharp({ create: { width, height, channels: 3, background } });
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;

// Nothing looks for a face in the pictures made here; test/api/faces.test.ts has portraits with one.
const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });
let app: TestApp;
let [jpeg, png, webp, large] = [Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0)];
beforeAll(async () => {
  app = await api.createApp();
  jpeg = await canvas(60, 80, '#406080').jpeg().toBuffer();
  png = await canvas(30, 40, '#804060').png().toBuffer();
  webp = await canvas(40, 40, '#608040').webp().toBuffer();
  large = await sharp({ create: { width: 1200, height: 900, channels: 3, noise, background: '#808080' } })
    .jpeg({ quality: 95 })
    .toBuffer();
});

let seed = 20_000_000_000 + Math.floor(Math.random() * 60_000_000_000);
const freshNumber = (): string => String(seed++);

const at = (idType: string, idNumber: string) => `/api/v1/sandbox/portraits/${idType}/${idNumber}`;
const enrol = (client: Client, idType: string, idNumber: string, image: Uint8Array, type = 'image/jpeg') =>
  client.send<Portrait>('PUT', at(idType, idNumber), { headers: { 'Content-Type': type }, body: image });
const enrolJson = (client: Client, idType: string, idNumber: string, image: unknown) =>
  client.send<Portrait>('PUT', at(idType, idNumber), {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ image }),
  });
const photoOf = async (client: Client, nin: string, tier = 'advance') =>
  (await client.get<{ photo: string }>(`/api/v1/kyc/nin/${tier}?nin=${nin}`)).body.entity.photo;
const imageOf = async (client: Client, bvn: string) =>
  (await client.get<{ image: string }>(`/api/v1/kyc/bvn/advance?bvn=${bvn}`)).body.entity.image;
const resultOf = async (client: Client, check: string, input: Record<string, string>) => {
  const { body } = await client.job({ check, input });
  return (await client.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`)).result!;
};

describe('an enrolled portrait', () => {
  it('is reported with a masked number, and replaced by the next one', async () => {
    const nin = freshNumber();
    const first = await enrol(app, 'nin', nin, jpeg);
    expect(first.status).toBe(201);
    const { enrolled_at, ...portrait } = first.body.entity;
    expect(portrait).toEqual({
      object: 'sandbox_portrait',
      id_type: 'nin',
      id_number: `*******${nin.slice(-4)}`,
      bytes: jpeg.length,
      type: 'image/jpeg',
    });
    expect(Date.parse(enrolled_at)).toBeGreaterThan(Date.now() - 60_000);
    expect(await photoOf(app, nin)).toBe(jpeg.toString('base64'));

    const second = await enrol(app, 'NIN', nin, png, 'image/png');
    expect(second.status).toBe(200);
    expect(second.body.entity).toMatchObject({ bytes: png.length, type: 'image/png' });
    expect((await app.get<Portrait>(at('nin', nin))).body.entity).toEqual(second.body.entity);
    expect(await photoOf(app, nin)).toBe(png.toString('base64'));
  });

  it('is shown by every tier that has a portrait, only for the number it was enrolled for', async () => {
    const number = freshNumber();
    await enrol(app, 'nin', number, jpeg);
    expect((await enrol(app, 'bvn', number, webp, 'image/webp')).status).toBe(201);
    expect(await photoOf(app, number, 'premium')).toBe(jpeg.toString('base64'));
    expect(await photoOf(app, number, 'nin_slip')).toBe(jpeg.toString('base64'));
    expect(await imageOf(app, number)).toBe(webp.toString('base64'));
    const full = await app.get(`/api/v1/kyc/bvn/full?bvn=${number}`);
    const basic = await app.get(`/api/v1/kyc/nin?nin=${number}`);
    expect([full.status, basic.status]).toEqual([200, 200]);
    expect([Object.keys(full.body.entity), Object.keys(basic.body.entity)].flat()).not.toEqual(expect.arrayContaining(['image', 'photo']));
    expect(await photoOf(app, freshNumber())).not.toBe(jpeg.toString('base64'));
  });

  it('is shown in a job and in the rows of a batch', async () => {
    const [own, drawn] = [freshNumber(), freshNumber()];
    await enrol(app, 'nin', own, jpeg);
    expect((await resultOf(app, 'nin_advance', { nin: own })).photo).toBe(jpeg.toString('base64'));
    const uploaded = await app.csv('checks=nin_premium', `nin\n${own}\n${drawn}\n`);
    await app.ended<BatchEntity>(`/api/v1/batches/${uploaded.body.entity.id}`);
    const { text } = await app.get(`/api/v1/batches/${uploaded.body.entity.id}/results?format=jsonl`);
    const lines = text.trim().split('\n');
    expect(lines.map((line) => line.includes(jpeg.toString('base64')))).toEqual([true, false]);
  });

  it('may come as base64: bare, wrapped, or as a data: URI, whose type is not trusted', async () => {
    const base64 = jpeg.toString('base64');
    const wrapped = `\n ${base64.replace(/(.{76})/g, '$1\r\n')} `;
    for (const image of [base64, wrapped, `data:image/jpeg;base64,${base64}`, `data:image/gif;base64,${base64}`]) {
      const nin = freshNumber();
      const answer = await enrolJson(app, 'nin', nin, image);
      expect(answer.status).toBe(201);
      expect(answer.body.entity).toMatchObject({ bytes: jpeg.length, type: 'image/jpeg' });
      expect(await photoOf(app, nin)).toBe(base64);
    }
  });

  it("is stored as sent, and shown at a registry's size", async () => {
    const nin = freshNumber();
    await enrol(app, 'nin', nin, large);
    const shown = Buffer.from(await photoOf(app, nin), 'base64');
    expect(large.length).toBeGreaterThan(200_000);
    expect(shown.length).toBeLessThan(64 * 1024);
    expect(await sharp(shown).metadata()).toMatchObject({ format: 'jpeg', width: 400, height: 300 });
    const owner = { appId: parseId('app', app.app)! };
    expect((await readPortrait(api.service, owner, 'nin', nin))!.image.equals(large)).toBe(true);
    expect(await readPortrait(api.service, owner, 'bvn', nin)).toBeNull();
    expect(await readPortrait(api.service, { appId: parseId('app', (await api.createApp()).app)! }, 'nin', nin)).toBeNull();
  });

  it('is shown without what a camera writes into a picture, such as the place', async () => {
    const place = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '6/1 27/1 0/1' } };
    const taken = await sharp(jpeg).keepMetadata().withExif(place).toBuffer();
    const annotated = await sharp(png).withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><creator>Ada</creator></x:xmpmeta>').toBuffer();
    for (const picture of [taken, annotated]) {
      const { exif, xmp, width, height } = await sharp(picture).metadata();
      expect(exif ?? xmp).toBeDefined();
      const nin = freshNumber();
      await enrol(app, 'nin', nin, picture);
      const shown = await sharp(Buffer.from(await photoOf(app, nin), 'base64')).metadata();
      expect(shown).toMatchObject({ format: 'jpeg', width, height });
      expect(shown).not.toHaveProperty('exif');
      expect(shown).not.toHaveProperty('xmp');
    }
  });

  it('is deleted, and the drawn one is shown again', async () => {
    const nin = freshNumber();
    const drawn = await photoOf(await api.createApp(), nin);
    await enrol(app, 'nin', nin, jpeg);
    expect(await photoOf(app, nin)).toBe(jpeg.toString('base64'));
    expect((await app.send('DELETE', at('nin', nin))).body.entity).toEqual({ object: 'sandbox_portrait', id_type: 'nin', deleted: true });
    expect(await photoOf(app, nin)).toBe(drawn);
    for (const answer of [await app.get(at('nin', nin)), await app.send('DELETE', at('nin', nin))]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'portrait_not_enrolled']);
      expect(answer.body.error).toContain('/api/v1/sandbox/portraits/nin/');
      expect(answer.body.error).not.toContain(nin);
    }
  });

  it('is stored as ciphertext, and its number as an HMAC', async () => {
    const nin = freshNumber();
    await enrol(app, 'nin', nin, jpeg);
    const [row] = await api.service.sql<{ all: string; image: Buffer; shown: Buffer; masked: Buffer }[]>`
      select p::text as all, image, shown, masked from sandbox_portraits p order by id desc limit 1`;
    expect(row!.all).not.toContain(nin);
    for (const bytes of [row!.image, row!.shown, row!.masked])
      for (const clear of [jpeg.subarray(0, 20), jpeg.toString('base64').slice(0, 20), nin]) expect(bytes.includes(clear)).toBe(false);
  });
});

describe('an app', () => {
  it("sees no other app's portrait, with its own cache or a shared one", async () => {
    for (const settings of [{}, { cacheScope: 'deployment', shareCache: true } as const]) {
      const [one, other, third] = await Promise.all([1, 2, 3].map(() => api.createApp({ settings })));
      const [nin, known] = [freshNumber(), freshNumber()];
      const drawn = await photoOf(third!, known);
      // Looked up before: the cache does not hide the portrait.
      await photoOf(one!, known);
      await enrol(one!, 'nin', known, jpeg);
      await enrol(one!, 'nin', nin, jpeg);
      await enrol(other!, 'nin', nin, png, 'image/png');
      expect(await photoOf(one!, known)).toBe(jpeg.toString('base64'));
      expect(await photoOf(third!, known)).toBe(drawn);
      // A job's entity may serve the cache, but never one with a portrait.
      expect((await resultOf(one!, 'nin_premium', { nin })).photo).toBe(jpeg.toString('base64'));
      expect((await resultOf(other!, 'nin_premium', { nin })).photo).toBe(png.toString('base64'));
      const others = await resultOf(third!, 'nin_premium', { nin });
      expect(Buffer.from(others.photo as string, 'base64').readUInt32BE(16)).toBe(32);
      expect(await photoOf(one!, nin)).toBe(jpeg.toString('base64'));
      expect((await third!.get(at('nin', nin))).body.code).toBe('portrait_not_enrolled');
      expect((await third!.send('DELETE', at('nin', nin))).body.code).toBe('portrait_not_enrolled');
      expect((await third!.get<{ data: unknown[] }>('/api/v1/sandbox/portraits')).body.entity.data).toEqual([]);
    }
  });

  it('lists its own portraits in pages, newest first', async () => {
    const own = await api.createApp();
    const numbers = [freshNumber(), freshNumber(), freshNumber()];
    for (const number of numbers) await enrol(own, 'bvn', number, png, 'image/png');
    const page = async (query: string) =>
      (await own.get<{ data: Portrait[]; has_more: boolean; next_cursor: string | null }>(`/api/v1/sandbox/portraits?${query}`)).body
        .entity;
    const first = await page('limit=2');
    const rest = await page(`limit=2&cursor=${first.next_cursor}`);
    expect([first.has_more, rest.has_more, rest.next_cursor]).toEqual([true, false, null]);
    const masked = numbers.map((number) => `*******${number.slice(-4)}`);
    expect([...first.data, ...rest.data].map((portrait) => portrait.id_number)).toEqual(masked.toReversed());
    const foreign = await app.get(`/api/v1/sandbox/portraits?cursor=${first.next_cursor}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_request']);
  });

  it('has at most a thousand portraits, and may replace one at the limit', async () => {
    const own = await api.createApp();
    const nin = freshNumber();
    await enrol(own, 'nin', nin, png, 'image/png');
    const appId = parseId('app', own.app)!;
    await api.service.sql`
      insert into sandbox_portraits (id, app_id, id_type, subject, masked, type, bytes, image, shown)
      select gen_random_uuid(), ${appId}, 'nin', decode(md5(n::text), 'hex'), ${randomBytes(40)}, 'image/png', 1, ${randomBytes(40)}, ${randomBytes(40)}
      from generate_series(1, 998) n`;
    expect((await enrol(own, 'nin', freshNumber(), png, 'image/png')).status).toBe(201);
    const refused = await enrol(own, 'bvn', freshNumber(), png, 'image/png');
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(refused.body.error).toContain('1,000');
    expect((await enrol(own, 'nin', nin, jpeg)).status).toBe(200);
  });

  it('without portraits queries none, and with some only for records that show one', async () => {
    const asked: string[] = [];
    const { cache, router } = api.service;
    const verify = openVerify(cache, router, {
      async membersOf(_, kind, identifier) {
        asked.push(`${kind} ${identifier}`);
        return null;
      },
    });
    const appId = parseId('app', app.app)!;
    const ask = (checkId: string, hasPortraits: boolean): Promise<LookupResult['found']> =>
      verify(
        {
          check: findCheck(checkId)!,
          input: { nin: '70123456789' },
          owner: { appId, live: false, settings: {}, scope: 'app', hasPortraits },
          cacheMode: 'use',
          priority: 'call',
          waitMaxMs: 1_000,
          reference: 'test',
          storesEntity: false,
          trail: [],
        },
        async (verdict) => verdict.outcome === 'found',
      );
    expect([await ask('nin_premium', false), await ask('nin_basic', true), await ask('nin_premium', true)]).toEqual([true, true, true]);
    expect(asked).toEqual(['nin 70123456789']);
  });

  it('with portraits pays one query for the look-ups of a chunk', async () => {
    const nin = freshNumber();
    await enrol(app, 'nin', nin, jpeg);
    const { sql, count } = counted(api.service.sql, 'select');
    const { membersOf } = openPortraits({ ...api.service, sql });
    const appId = parseId('app', app.app)!;
    const numbers = [nin, ...Array.from({ length: 499 }, freshNumber)];
    const shown = await Promise.all(numbers.map((number) => membersOf(appId, 'nin', number)));
    expect(shown.filter((members) => members !== null)).toEqual([{ photo: jpeg.toString('base64') }]);
    expect(count()).toBe(1);
    expect(await membersOf(appId, 'cac', nin)).toBeNull();
    expect(count()).toBe(1);
  });
});

describe('refused', () => {
  it('for a live key, on every path', async () => {
    const path = at('nin', '70123456789');
    const answers = [
      await enrol(app.live, 'nin', '70123456789', jpeg),
      await app.live.get(path),
      await app.live.send('DELETE', path),
      await app.live.get('/api/v1/sandbox/portraits'),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'forbidden']);
      expect(body.error).toContain('test key');
    }
  });

  it.each([
    ['a NIN of 10 digits', 'nin', '1234567890'],
    ['a BVN with letters', 'bvn', '1234567890a'],
    ['a type that has no portrait', 'passport', '12345678901'],
  ])('for %s', async (_, idType, idNumber) => {
    for (const answer of [await enrol(app, idType, idNumber, jpeg), await app.get(at(idType, idNumber))])
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  const text = (content: string) => async () => Buffer.from(content);
  it.each([
    ['nothing', text(''), 400, 'invalid_image'],
    ['text', text('hello'), 400, 'invalid_image'],
    ['an SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 400, 'invalid_image'],
    ['a GIF', () => canvas(9, 9, '#fff').gif().toBuffer(), 400, 'invalid_image'],
    ['a PDF', text('%PDF-1.7\n%%EOF\n'), 400, 'invalid_image'],
    ['the first bytes of a JPEG', async () => jpeg.subarray(0, 3), 400, 'invalid_image'],
    ['half a JPEG', async () => large.subarray(0, large.length / 2), 400, 'invalid_image'],
    ['a PNG without its end', async () => png.subarray(0, png.length - 20), 400, 'invalid_image'],
    ['more than 10 MB', async () => Buffer.concat([jpeg, Buffer.alloc(11 * 1024 * 1024)]), 413, 'image_too_large'],
    ['more pixels than are decoded', () => canvas(8_000, 6_000, '#fff').png().toBuffer(), 413, 'image_too_large'],
  ])('for %s, as bytes and in JSON', async (_, made, status, code) => {
    const image = await made();
    const nin = freshNumber();
    const sent = await enrol(app, 'nin', nin, image);
    expect([sent.status, sent.body.code]).toEqual([status, code]);
    if (image.length > 0) {
      const json = await enrolJson(app, 'nin', nin, image.toString('base64'));
      expect([json.status, json.body.code]).toEqual([status, code]);
    }
    expect((await app.get(at('nin', nin))).body.code).toBe('portrait_not_enrolled');
  });

  it('for a picture in JSON of slightly more than 10 MB', async () => {
    const image = Buffer.concat([jpeg, Buffer.alloc(IMAGE_BYTES_MAX)]).toString('base64');
    const answer = await enrolJson(app, 'nin', freshNumber(), image);
    expect([answer.status, answer.body.code]).toEqual([413, 'image_too_large']);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 7],
    ['an array', []],
    ['not base64', 'not/base64!'],
    ['in the base64url alphabet', '_-8_'.repeat(20)],
    ['a data: URI without content', 'data:image/png;base64,'],
  ])('for an image in JSON that is %s', async (_, image) => {
    const answer = await enrolJson(app, 'nin', freshNumber(), image);
    expect([answer.status, answer.body.code, answer.body.details[0]!.path]).toEqual([400, 'invalid_request', 'image']);
  });

  it.each(['image/gif', 'image/svg+xml', 'application/pdf', 'application/octet-stream', ''])('for the type "%s"', async (type) => {
    const answer = await enrol(app, 'nin', freshNumber(), jpeg, type);
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    expect(answer.body.error).toContain('image/webp');
  });
});
