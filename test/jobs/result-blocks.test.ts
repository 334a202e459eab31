/** Results in blocks: what goes in comes out, nothing else opens them, and what is taken out is gone. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exampleEntity } from '../../src/api/openapi/examples.ts';
import { checks, knownCheck } from '../../src/checks/catalog.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId } from '../../src/foundation/ids.ts';
import { openEntity, tableReader } from '../../src/jobs/entities.ts';
import { BlockRow, ResultBlock, sealBlock } from '../../src/jobs/result-blocks.ts';
import { sealResults } from '../../src/pipeline/sealed-results.ts';
import { openDirectly } from '../setup/keys.ts';

type Entity = Record<string, unknown>;

const cipher = openDirectly(`1:${newSecretKey()}`, newSecretKey());
const address = { batchId: newId(), id: newId() };
const open = (sealed: Buffer, at = address) => new ResultBlock(cipher, at, sealed);
const asJson = (entity: Entity): Entity => JSON.parse(JSON.stringify(entity));

describe('a block', () => {
  test('gives back the result of every check, in the order of its members', async () => {
    const entities = await Promise.all(checks.map((check) => exampleEntity(check)));
    const found = entities.filter((entity) => entity !== null && entity !== undefined) as Entity[];
    // Those that compare pictures have no example: flat, with numbers and what was left out.
    expect(checks.filter((_, i) => !entities[i]).every(({ family }) => family === 'face')).toBe(true);
    found.push({ match: true, confidence: 97.31, threshold: 80, liveness: null, reasons: [] });
    const block = open(sealBlock(cipher, address, found));
    for (const [slot, entity] of found.entries()) expect(JSON.stringify(block.entity(slot))).toBe(JSON.stringify(entity));
  });

  test('gives back whatever JSON can hold: nulls, Unicode, line breaks, members that are missing here and there', () => {
    const entity = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((name) => name !== '__proto__'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(null, undefined, 'a\nb', '\u2028', '\ud800', 'Ọláyẹmí 🇳🇬')),
      { maxKeys: 6 },
    );
    fc.assert(
      fc.property(fc.array(fc.option(entity), { minLength: 1, maxLength: 20 }), (entities) => {
        const block = open(sealBlock(cipher, address, entities));
        for (const [slot, one] of entities.entries()) expect(block.entity(slot)).toEqual(one === null ? null : asJson(one));
      }),
    );
  });

  test('gives a table the same, as JSON in its place', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '',
        '"',
        '\\',
        '\\"',
        ',',
        ']',
        '\\\\',
        '[{"',
        '\ud800',
        'x'.repeat(60),
        `${'x'.repeat(60)}"`,
        `${'x'.repeat(46)}\\\\`,
      ),
    );
    const value = fc.oneof(fc.jsonValue(), text, fc.constantFrom(undefined, 0.1, -1e21, true));
    const entity = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
    const into = new BlockRow();
    fc.assert(
      fc.property(fc.array(fc.option(entity), { minLength: 1, maxLength: 20 }), (entities) => {
        const block = open(sealBlock(cipher, address, entities));
        for (const [slot, one] of entities.entries()) {
          const row = block.row(slot, into);
          const read =
            row && Object.fromEntries(row.names.map((name, i) => [name, row.bytes.toString('utf8', row.starts[i], row.ends[i])]));
          const asItIs = Object.entries(one ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)]]));
          expect(read).toEqual(one === null ? null : Object.fromEntries(asItIs));
        }
      }),
    );
  });

  test('writes names once and deflates: sixty-four alike take a fraction of what each takes by itself', () => {
    const entities = Array.from({ length: 64 }, (_, i) => ({
      nin: String(70_000_000_000 + i),
      firstname: 'ADAEZE',
      residence_state: 'Lagos',
    }));
    const alone = entities.reduce((sum, entity) => sum + cipher.seal(JSON.stringify(entity), 'entity', newId()).length, 0);
    expect(sealBlock(cipher, address, entities).length).toBeLessThan(alone / 4);
  });

  test('does not open if a byte was changed, as another block, for another batch, or as a result by itself', () => {
    const sealed = sealBlock(cipher, address, [{ nin: '70000000001' }, { nin: '70000000002' }]);
    for (const at of [1, 14, sealed.length >> 1, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => open(changed).entity(0), `byte ${at}`).toThrow('unable to authenticate');
    }
    for (const other of [
      { ...address, id: newId() },
      { ...address, batchId: newId() },
    ])
      expect(() => open(sealed, other).entity(0)).toThrow('unable to authenticate');
    expect(() => openEntity(cipher, { entity: sealed, entityImages: null, entityOf: address.id })).toThrow('unable to authenticate');
    expect(() => open(sealed.subarray(0, 20)).entity(0)).toThrow('cut short');
    for (const slot of [-1, 2]) expect(() => open(sealed).entity(slot)).toThrow('no such slot');
  });

  test('loses what is taken out of it, and nothing else', () => {
    const entities = Array.from({ length: 9 }, (_, i) => ({ nin: String(70_000_000_000 + i) }));
    const rest = open(open(sealBlock(cipher, address, entities)).without([0, 4, 8], cipher));
    expect(entities.map((_, slot) => rest.entity(slot))).toEqual(entities.map((entity, slot) => (slot % 4 === 0 ? null : entity)));
    expect(() => rest.without([9], cipher)).toThrow('no such slot');
  });

  test('must have been read before a job of it is opened: an entity never looks missing by mistake', () => {
    const stored = {
      entity: null,
      entityImages: null,
      entityOf: newId(),
      batchId: address.batchId,
      resultBlock: address.id,
      resultSlot: 0,
    };
    expect(() => openEntity(cipher, stored)).toThrow('was not read');
    expect(() => tableReader(cipher, knownCheck('nin_basic'))(stored)).toThrow('was not read');
    expect(openEntity(cipher, { ...stored, block: null })).toBeNull();
  });
});

describe('a group of results', () => {
  const [one, other] = [newId(), newId()];
  const job = (batchId: string | null, checkId: string, entity: Entity = { nin: '70000000001' }) => ({
    jobId: newId(),
    appId: newId(),
    batchId,
    checkId,
    entity,
  });

  test('has a block for each batch and check, of at most 64; single jobs, large images and lone rows are by themselves', () => {
    const photo = 'cG9y'.repeat(500);
    const rows = Array.from({ length: 130 }, () => job(one, 'nin_basic'));
    const alone = [
      job(null, 'nin_basic'),
      job(one, 'nin_advance', { nin: 'x', photo }),
      job(one, 'nin_advance', { nin: 'y', photo }),
      job(other, 'bvn_full'),
    ];
    const pair = [job(other, 'nin_basic'), job(other, 'nin_basic')];
    const { bytes, blocks, byJob } = sealResults(() => cipher, [...rows, ...alone, ...pair], { inBlocks: true });
    expect(blocks.map(({ batchId, jobIds }) => [batchId, jobIds.length])).toEqual([
      [one, 64],
      [one, 64],
      [one, 2],
      [other, 2],
    ]);
    for (const block of blocks) {
      expect(bytes.subarray(block.start - 1, block.start - 1 + block.sealed.length)).toEqual(block.sealed);
      const shares = block.jobIds.map((id) => byJob.get(id)!.storedBytes);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(block.sealed.length);
    }
    for (const { jobId, entity } of alone) {
      const { block, start, size, imageSize } = byJob.get(jobId)!;
      const [at, end] = [start - 1, start - 1 + size];
      const entityImages = imageSize > 0 ? bytes.subarray(end, end + imageSize) : null;
      expect(block).toBeNull();
      expect(openEntity(cipher, { entity: bytes.subarray(at, end), entityImages, entityOf: jobId })).toEqual(entity);
    }
  });

  test('has none while a process runs that reads none', () => {
    const rows = Array.from({ length: 10 }, () => job(one, 'nin_basic'));
    expect(sealResults(() => cipher, rows, { inBlocks: false }).blocks).toEqual([]);
  });
});
