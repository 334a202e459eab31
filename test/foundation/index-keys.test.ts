import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { parseCursor, showCursor } from '../../src/foundation/cursor.ts';
import { openIndexer } from '../../src/foundation/index-keys.ts';

const [one, two, three] = [newSecretKey(), newSecretKey(), newSecretKey()];
const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));

describe('the chain of index keys', () => {
  it('makes the hashes of earlier releases with a single key, whether or not it has an id', () => {
    const expected = createHmac('sha256', Buffer.from(one, 'base64')).update('subject\u0000nin\u000070123456789').digest();
    for (const keys of [one, `1:${one}`]) {
      const indexer = openIndexer(keys);
      expect(indexer.index('subject', 'nin', '70123456789').equals(expected)).toBe(true);
      expect(indexer.shortIndex('subject', 'nin', '70123456789').equals(expected.subarray(0, 16))).toBe(true);
      expect(indexer.indexes('a')).toHaveLength(1);
    }
  });

  it('carries a hash on without the text, to what the later key would have made of the text', () => {
    const old = openIndexer(one);
    const both = openIndexer(`2:${two},1:${one}`);
    const all = openIndexer(`3:${three},2:${two},1:${one}`);
    for (const kind of ['index', 'shortIndex'] as const) {
      const stored = old[kind]('a', 'b');
      expect(hex([both.renewed(stored)])).toEqual(hex([both[kind]('a', 'b')]));
      expect(hex([all.renewed(both[kind]('a', 'b'))])).toEqual(hex([all[kind]('a', 'b')]));
      expect(hex(all.later(stored))).toEqual(hex([stored, both[kind]('a', 'b'), all[kind]('a', 'b')]));
      expect(hex([both.renewed(both[kind]('a'))])).toEqual(hex([both[kind]('a')]));
      expect([stored, both[kind]('a'), all[kind]('a')].map(all.keyOf)).toEqual([1, 2, 3]);
    }
    expect(both.index('a').length - old.index('a').length).toBe(1);
  });

  it('looks for the hashes of all keys, the current one first, in whatever order the settings have them', () => {
    const old = openIndexer(one);
    const before = openIndexer(`1:${one},2:${two}`);
    const after = openIndexer(`2:${two},1:${one}`);
    expect(hex(before.indexes('a'))).toEqual(hex([old.index('a'), after.index('a')]));
    expect(hex(after.indexes('a'))).toEqual(hex([after.index('a'), old.index('a')]));
    expect([before.currentKey, before.newestKey, after.currentKey]).toEqual([1, 2, 2]);
    // A key that only the database still has counts the same.
    const retired = openIndexer(`2:${two}`, new Map([[1, Buffer.from(one, 'base64')]]));
    expect(hex(retired.indexes('a'))).toEqual(hex(after.indexes('a')));
  });

  it('takes signatures of every key in the settings, and of a retired one only where that is asked for', () => {
    const old = openIndexer(one);
    const both = openIndexer(`2:${two},1:${one}`);
    const retired = openIndexer(`2:${two}`, new Map([[1, Buffer.from(one, 'base64')]]));
    expect(hex(both.signatures('link', 'x'))).toEqual(hex([both.sign('link', 'x'), old.sign('link', 'x')]));
    expect(hex(retired.signatures('link', 'x'))).toEqual(hex([both.sign('link', 'x')]));
    expect(hex(retired.signatures('link', 'x', { retired: true }))).toEqual(hex([both.sign('link', 'x'), old.sign('link', 'x')]));
    const cursor = showCursor(old, 'jobs', 'p');
    expect([parseCursor(both, 'jobs', cursor), parseCursor(retired, 'jobs', cursor)]).toEqual(['p', null]);
    expect(parseCursor(both, 'batches', cursor)).toBeNull();
  });

  it('indexes nothing while a key is missing, and refuses what is no key', () => {
    expect(() => openIndexer(`2:${two}`).index('a')).toThrow('CONFAM_INDEX_KEY: key 1 is missing');
    for (const wrong of ['short', `0:${one}`, `101:${one}`, `x:${one}`, `1:${one},1:${two}`, `${one},${two}`, `2:${two},`])
      expect(() => openIndexer(wrong), wrong).toThrow('CONFAM_INDEX_KEY: expected');
  });
});
