/** Images as bytes: they come back as they were, or are known not to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { knownCheck } from '../../src/checks/catalog.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId } from '../../src/foundation/ids.ts';
import { openEntity, sealEntity, tableReader } from '../../src/jobs/entities.ts';
import { packPictures, readPicture, showPicture, unpackImages } from '../../src/jobs/image-pack.ts';
import { openDirectly } from '../setup/keys.ts';

const PREFIXES = ['', 'data:image/png;base64,', 'data:image/jpeg;charset=binary;base64,'];

test('any images come back as they were, in a quarter less space', () => {
  const image = fc.tuple(fc.constantFrom(...PREFIXES), fc.uint8Array({ maxLength: 3_000 }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), image, { maxKeys: 4, noNullPrototype: true }), (images) => {
      const texts = Object.entries(images).map(
        ([name, [prefix, bytes]]) => [name, prefix + Buffer.from(bytes).toString('base64')] as const,
      );
      const packed = packPictures(new Map(texts.map(([name, text]) => [name, readPicture(text)])));
      expect(Object.entries(unpackImages(packed))).toEqual(Object.entries(Object.fromEntries(texts)));
    }),
  );
  const text = Buffer.alloc(30_000, 'portrait').toString('base64');
  expect(packPictures(new Map([['photo', readPicture(text)]])).length).toBeLessThan(text.length * 0.76);
});

describe('an image that is not canonical base64', () => {
  const cipher = openDirectly(`1:${newSecretKey()}`, newSecretKey());
  const check = knownCheck('nin_advance');
  const base64 = Buffer.alloc(3_001, 'portrait').toString('base64');

  test.each([
    ['in lines', base64.replace(/.{76}/g, '$&\r\n')],
    ['of the alphabet for URLs', Buffer.alloc(3_000, 0xfb).toString('base64url')],
    ['without its padding', base64.replace(/=+$/, '')],
    ['with spare bits set', base64.replace(/.==$/, 'x==')],
    ['an address', `https://registry.example/${'p'.repeat(3_000)}`],
    ['a data: URI without base64', `data:image/svg+xml,${'%3C'.repeat(1_000)}`],
  ])('%s is stored as it is', (_, photo) => {
    expect(showPicture(readPicture(photo))).not.toBe(photo);
    const id = newId();
    const sealed = sealEntity(cipher, check, id, { nin: '70000000001', photo, surname: 'EZEH' });
    expect(sealed.entityImages).toBeNull();
    expect(openEntity(cipher, { ...sealed, entityOf: id })).toEqual({ nin: '70000000001', photo, surname: 'EZEH' });
    expect(tableReader(cipher, check)({ ...sealed, entityOf: id })).toMatchObject({ nin: '70000000001', surname: 'EZEH' });
  });
});
