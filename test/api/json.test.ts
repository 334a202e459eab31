/** JSON from outside: pictures that are cut out beforehand change nothing but the time that it takes. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseBody, parseJson } from '../../src/api/json.ts';

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
  'the same member twice': `{"image":"${LARGE}","image":"x"}`,
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
