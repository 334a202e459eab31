import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newApiKey, newSecretKey, parseApiKey } from '../../src/foundation/crypto.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { openDirectly } from '../setup/keys.ts';

const one = newSecretKey();
const two = newSecretKey();
const index = newSecretKey();

describe('encryption at rest', () => {
  it('opens what it sealed, whatever the text', () => {
    const cipher = openDirectly(`1:${one}`, index);
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => cipher.open(cipher.seal(text, 'input', 'a'), 'input', 'a') === text));
  });

  it('does not open in another column or row, or with one byte changed', () => {
    const cipher = openDirectly(`1:${one}`, index);
    const sealed = cipher.seal('secret', 'input', 'a');
    expect(() => cipher.open(sealed, 'entity', 'a')).toThrow();
    expect(() => cipher.open(sealed, 'input', 'b')).toThrow();
    for (const at of [0, 5, 14, sealed.length - 1]) {
      const altered = Buffer.from(sealed);
      altered[at]! ^= 1;
      expect(() => cipher.open(altered, 'input', 'a')).toThrow();
    }
  });

  it('rotates: a new first key encrypts, the old one still opens', () => {
    const sealed = openDirectly(`1:${one}`, index).seal('old', 'input', 'a');
    const rotated = openDirectly(`2:${two},1:${one}`, index);
    expect(rotated.open(sealed, 'input', 'a')).toBe('old');
    expect(rotated.seal('new', 'input', 'a')[0]).toBe(2);
    expect(() => openDirectly(`2:${two}`, index).open(sealed, 'input', 'a')).toThrow(
      'This was encrypted with key 1, which is not in CONFAM_KEYS',
    );
  });

  it('never uses a nonce twice', () => {
    const cipher = openDirectly(`1:${one}`, index);
    const nonces = new Set(Array.from({ length: 5000 }, () => cipher.seal('', 'input', 'a').subarray(1, 13).toString('hex')));
    expect(nonces.size).toBe(5000);
  });

  it('refuses keys of the wrong length and duplicate ids', () => {
    expect(() => openDirectly(`1:${randomBytes(16).toString('base64')}`, index)).toThrow('CONFAM_KEYS');
    expect(() => openDirectly(`1:${one},1:${two}`, index)).toThrow('CONFAM_KEYS');
    expect(() => openDirectly(`1:${one}`, 'short')).toThrow('CONFAM_INDEX_KEY');
  });

  it('indexes the whole list of parts: shifting a boundary gives another subject', () => {
    const cipher = openDirectly(`1:${one}`, index);
    expect(cipher.index('a', 'bc').equals(cipher.index('ab', 'c'))).toBe(false);
    expect(cipher.index('a', 'b').equals(openDirectly(`1:${two}`, index).index('a', 'b'))).toBe(true);
    expect(cipher.index('a', 'b').equals(openDirectly(`1:${one}`, two).index('a', 'b'))).toBe(false);
  });
});

describe('API keys', () => {
  it('carry a checksum: a changed character is refused without a query', () => {
    for (const kind of ['live', 'test', 'admin'] as const) {
      const key = newApiKey(kind);
      expect(parseApiKey(key)).toBe(kind);
      const at = `cf_${kind}_`.length + 3;
      expect(parseApiKey(`${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`)).toBeNull();
    }
    expect(parseApiKey(newApiKey('test').replace('cf_test_', 'cf_live_'))).toBeNull();
    expect(parseApiKey('')).toBeNull();
  });
});

describe('ids', () => {
  it('are parsed from their text form, and only as their own kind', () => {
    const id = newId();
    expect(parseId('job', showId('job', id))).toBe(id);
    expect(parseId('bat', showId('job', id))).toBeNull();
    for (const text of ['', 'job_', `job_${id}`, `${showId('job', id)}0`, showId('job', id).toUpperCase()])
      expect(parseId('job', text)).toBeNull();
  });
});
