/** Whatever is sent as a selfie is compared, or refused with a code, naming the field and free of charge; the service keeps running. */
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { skipNote } from '../engines/face/faces.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { again, bomb, canCompare, one, plain } from '../setup/face-pictures.ts';
import { picture } from '../setup/zip.ts';

const PATH = '/api/v1/kyc/photoid/verify';
const NIN = '20500000001';

let app: TestApp;

const send = (image: unknown) => app.post(PATH, { id_type: 'NIN', id_number: NIN, image });
const jpeg = (): string => one().toString('base64');
const made =
  (make: () => Promise<Buffer> | Buffer): (() => Promise<string>) =>
  async () =>
    (await make()).toString('base64');
const text = (content: string) => async () => Buffer.from(content).toString('base64');

describe.skipIf(!canCompare)(skipNote('a selfie'), () => {
  const api = useApi({ CONFAM_FACE_THREADS: '1' });
  beforeAll(async () => {
    app = await api.createApp();
    const portrait = { headers: { 'Content-Type': 'image/jpeg' }, body: again() };
    expect((await app.send('PUT', `/api/v1/sandbox/portraits/nin/${NIN}`, portrait)).status).toBe(201);
  });

  it.each<[string, () => Promise<unknown>, number, string]>([
    ['that is a truncated JPEG', made(() => one().subarray(0, 4_000)), 400, 'invalid_image'],
    ['of zero bytes', async () => '', 400, 'invalid_request'],
    ['of only the first bytes', made(() => one().subarray(0, 3)), 400, 'invalid_image'],
    ['that is a PNG bomb', made(() => bomb(30_000, 30_000)), 413, 'image_too_large'],
    ['of more than 10 MB', made(() => picture(10 * 1024 * 1024 + 1)), 413, 'image_too_large'],
    ['of 40 MB', async () => '/9j/'.padEnd(40 * 1024 * 1024, 'A'), 413, 'image_too_large'],
    ['that is an SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 400, 'invalid_image'],
    ['that is a GIF', made(() => sharp(one()).gif().toBuffer()), 400, 'invalid_image'],
    ['that is a PDF', text('%PDF-1.7\n%%EOF\n'), 400, 'invalid_image'],
    ['that is HEIC', text('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 400, 'invalid_image'],
    ['that is a TIFF', made(() => sharp(one()).tiff().toBuffer()), 400, 'invalid_image'],
    [
      'that is an animated WebP',
      made(async () => {
        const frames = [await plain('red', 40), await plain('blue', 40)];
        return sharp(frames, { join: { animated: true } })
          .webp()
          .toBuffer();
      }),
      400,
      'invalid_image',
    ],
    ['in the base64url alphabet', async () => jpeg().replaceAll('+', '-').replaceAll('/', '_'), 400, 'invalid_image'],
    ['with a stray character', async () => `${jpeg().slice(0, 400)}*${jpeg().slice(400)}`, 400, 'invalid_image'],
    ['that is a number', async () => 7, 400, 'invalid_request'],
    ['that is a list', async () => [jpeg()], 400, 'invalid_request'],
    ['of a black frame', made(() => plain('black')), 422, 'image_too_dark'],
    ['of a single pixel', made(() => plain('white', 1)), 422, 'no_face_detected'],
  ])('%s is refused', async (_, make, status, code) => {
    const { body, ...answer } = await send(await make());
    expect([answer.status, body.code], answer.text.slice(0, 300)).toEqual([status, code]);
    if (body.details) expect(body.details).toMatchObject([{ path: 'image' }]);
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  it('HEIC is refused with advice on what to send instead', async () => {
    expect((await send(Buffer.from('\0\0\0\x18ftypheic').toString('base64'))).body.error).toContain('JPEG, PNG or WebP');
  });

  const good: [string, () => Promise<string>][] = [
    ['bare', async () => jpeg()],
    ['as a data: URI', async () => `data:image/jpeg;base64,${jpeg()}`],
    ['as a data: URI with another type', async () => `data:image/gif;base64,${jpeg()}`],
    ['with line breaks', async () => jpeg().replace(/(.{76})/g, '$1\r\n')],
    ['with spaces', async () => ` ${jpeg().replace(/(.{40})/g, '$1 ')} `],
    ['without padding', async () => jpeg().replace(/=+$/, '')],
    ['as PNG', made(() => sharp(one()).png().toBuffer())],
    ['as WebP', made(() => sharp(one()).webp({ quality: 90 }).toBuffer())],
    ['in CMYK', made(() => sharp(one()).toColourspace('cmyk').jpeg().toBuffer())],
    ['of 16 bits', made(() => sharp(one()).toColourspace('rgb16').png().toBuffer())],
    ['turned by EXIF', made(() => sharp(one()).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer())],
    ['mirrored', made(() => sharp(one()).flop().jpeg().toBuffer())],
  ];
  it.each(good)('%s is compared', async (_, make) => {
    const payer = await api.createApp();
    const portrait = { headers: { 'Content-Type': 'image/jpeg' }, body: again() };
    await payer.send('PUT', `/api/v1/sandbox/portraits/nin/${NIN}`, portrait);
    const answer = await payer.post(PATH, { id_type: 'NIN', id_number: NIN, image: await make() });
    expect(answer.body.entity, answer.text).toMatchObject({ match_status: 'MATCH' });
  });
});
