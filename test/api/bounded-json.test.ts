/** JSON from outside: pictures that are cut out beforehand change nothing but the time that it takes. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseBody, parseJson } from '../../src/api/bounded-json.ts';
import { base64 as base64Text } from '../../src/checks/inputs.ts';
import { decodePictures, SentPictures } from '../../src/checks/sent-pictures.ts';

const picture = (bytes: number): string => Buffer.alloc(bytes, 'a picture').toString('base64');
const parse = (text: string) => parseJson('', Buffer.from(text));
const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return 'refused';
  }
};

const LARGE = picture(300_000);
const BODIES: Record<string, string> = {
  'two pictures': JSON.stringify({ selfie_image: LARGE, photoid_image: picture(200_000), threshold: 80 }),
  'a data: URI': JSON.stringify({ image: `data:image/jpeg;base64,${LARGE}`, id_number: '70123456789' }),
  'escaped quotes beside it': JSON.stringify({ 'a"b\\': 'c\\"d\\\\', image: LARGE, last: '\\' }),
  'escaped slashes in it': JSON.stringify({ image: LARGE }).replaceAll('/', '\\/').replaceAll('a', '\\u0061'),
  'white space': JSON.stringify({ image: LARGE, list: [LARGE, { deep: LARGE }] }, null, 4),
  'text that is not ASCII': JSON.stringify({ image: LARGE, name: 'Ọlá' }),
  'much beside it': JSON.stringify({ image: LARGE, rows: Array.from({ length: 9_000 }, (_, i) => `row number ${i}`) }),
  'a long text that is no base64': JSON.stringify({ note: 'hello world. '.repeat(20_000) }),
  'a number': `{"image":${'1'.repeat(100_000)}}`,
  'a text alone': JSON.stringify(LARGE),
  'a line break in a text': `{"image":"${LARGE}\n"}`,
  'a line break in the beginning of a data: URI': `{"image":"data:image/\njpeg;base64,${LARGE}"}`,
  base64url: JSON.stringify({ image: LARGE.replaceAll('a', '-') }),
  'no end': `{"image":"${LARGE}`,
  'an escaped quote at the end': `{"image":"${LARGE}\\"}`,
  'a bare word': `{"image":${'a'.repeat(100_000)}}`,
  'one quote too many': `{"image":"${LARGE}""}`,
};

describe('a large body', () => {
  it.each(Object.entries(BODIES))('with %s is what JSON.parse makes of it', (_, text) => {
    expect(
      isDeepStrictEqual(
        outcomeOf(() => parse(text)),
        outcomeOf(() => JSON.parse(text)),
      ),
    ).toBe(true);
  });

  it('lets others go on while it is parsed', async () => {
    const text = JSON.stringify({ selfie_image: picture(3_000_000), photoid_image: picture(3_000_000) });
    let turns = 0;
    const other = () => {
      turns++;
      next = setImmediate(other);
    };
    let next = setImmediate(other);
    const parsed = await parseBody(Buffer.from(text));
    clearImmediate(next);
    expect(parsed).toEqual(JSON.parse(text));
    // Before and after each picture becomes text.
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('is refused with a member twice', () => {
    for (const text of [`{"image":"${LARGE}","image":"x"}`, `{"deep":[{"image":"x","image":"${LARGE}"}]}`])
      expect(() => parse(text)).toThrow('image is given more than once');
  });

  it('is refused if it is not UTF-8', () => {
    expect(() => parseJson('', Buffer.concat([Buffer.from(`{"image":"${LARGE}`), Buffer.from([0xff]), Buffer.from('"}')]))).toThrow(
      'is not valid JSON',
    );
  });

  it('is refused with more values than any request needs, before they are parsed', () => {
    expect(parse(JSON.stringify(Array(9_000).fill('')))).toHaveLength(9_000);
    for (const text of [`[${'"",'.repeat(5_000_000)}""]`, '['.repeat(20_000), `{${'"a":{'.repeat(20_000)}`])
      expect(() => parse(text)).toThrow('more than 10000 values');
  });
});

describe('pictures of a call', () => {
  const read = async (body: unknown) => {
    const sent = new SentPictures(['selfie_image', 'image']);
    const parsed = (await parseBody(Buffer.from(JSON.stringify(body)), sent)) as Record<string, string>;
    return { parsed, bytesOf: (text: string) => sent.bytesOf(text), decoded: (selfie: string) => decodePictures({ selfie }, sent).selfie };
  };
  const mib = Buffer.alloc(3_000_001, 'a picture');

  it('are decoded and named in the value, by their first bytes and their content', async () => {
    const body = { selfie_image: mib.toString('base64'), image: `data:image/png;base64,${mib.toString('base64').replace(/=+$/, '')}` };
    const { parsed, decoded } = await read(body);
    expect(parsed.image).toBe(`data:image/png;base64,${parsed.selfie_image}`);
    expect(parsed.selfie_image).toHaveLength(60);
    expect(Buffer.from(parsed.selfie_image!, 'base64').subarray(0, 12)).toEqual(mib.subarray(0, 12));
    expect(base64Text.parse(parsed.image), 'a name passes for a picture').toBe(parsed.selfie_image);
    expect(decoded(parsed.selfie_image!).equals(mib)).toBe(true);
  });

  it('that differ in one byte have different names', async () => {
    const other = Buffer.from(mib);
    other[2_000_000]!++;
    const { parsed, decoded } = await read({ selfie_image: mib.toString('base64'), image: other.toString('base64') });
    expect(parsed.image).not.toBe(parsed.selfie_image);
    expect(decoded(parsed.image!).equals(other)).toBe(true);
  });

  it.each([
    ['in a member that holds none', { note: mib.toString('base64') }],
    ['that are not base64', { image: `${mib.toString('base64').slice(0, -8)}!AAAAAAA` }],
    ['in base64url', { image: `${mib.toString('base64')}-_` }],
    ['with padding in the middle', { image: `${mib.toString('base64')}==${mib.toString('base64')}` }],
    ['with a lone last character', { image: `${Buffer.alloc(300_000).toString('base64')}A` }],
    ['larger than 10 MB', { image: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') }],
    ['with a comma before them', { image: `one, two,${'?'.repeat(100_000)}` }],
  ])('%s stay as they were sent', async (_, body) => {
    const { parsed, bytesOf } = await read(body);
    expect(isDeepStrictEqual(parsed, body)).toBe(true);
    expect(bytesOf(Object.values(parsed)[0]!)).toBeUndefined();
  });

  it('cannot be had twice once a thread has them', async () => {
    const { parsed, bytesOf, decoded } = await read({ selfie_image: mib.toString('base64') });
    const given = bytesOf(parsed.selfie_image!)!;
    structuredClone(given.buffer, { transfer: [given.buffer as ArrayBuffer] });
    expect(() => decoded(parsed.selfie_image!)).toThrow('has taken these pictures over');
  });
});
