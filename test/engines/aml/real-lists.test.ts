/** The publishers' own files, where they are installed, are stored as they are; a later file changes only what it changed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCurrentLists } from '../../../src/aml/current-lists.ts';
import { configureLists } from '../../../src/aml/definitions.ts';
import { openPaths } from '../../../src/aml/files.ts';
import { storeList } from '../../../src/aml/store.ts';
import { formats } from '../../../src/engines/aml/lists/formats.ts';
import type { Context } from '../../../src/foundation/context.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';
import { createDatabase, type TestDatabase } from '../../setup/database.ts';

const DATA = join(packageRoot(), '../shared/data/aml');
const isHere = existsSync(DATA);

describe.skipIf(!isHere)(isHere ? 'real lists' : 'real lists (SKIPPED: ../shared/data/aml is not here)', () => {
  const definitions = configureLists({ CONFAM_LISTS: undefined });
  let database: TestDatabase;
  let ctx: Context;
  beforeAll(async () => {
    database = await createDatabase();
    ctx = database.openContext();
  });
  afterAll(async () => {
    await ctx.close();
    await database.drop();
  });

  async function load(list: string, paths: string[]) {
    const definition = definitions.find((one) => one.list === list)!;
    const began = performance.now();
    const files = await openPaths(paths.map((path) => join(DATA, path)));
    const outcome = await storeList(ctx, definition, files, { origin: 'test', fetched: [] }, formats);
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
    const { entries, names } = outcome.version;
    console.log(`${list}: ${entries} people, ${names} names in ${Math.round(performance.now() - began)} ms`);
    return outcome.version;
  }

  const ofac = (sdn: string) => [sdn, 'ofac/alt-2024-01-08.csv', 'ofac/add-2024-01-08.csv', 'ofac/sdn_comments-2024-01-08.csv'];

  it.each([
    ['ofac_sdn', ofac('ofac/sdn-2024-01-11.csv'), { entries: 12_682, skipped: 1_145 }],
    ['un_sc', ['un/UN_consolidated-2026-02-27.xml'], { entries: 1_003, skipped: 0, label: expect.stringMatching(/^2026-02-27-/) }],
    ['uk_ofsi', ['uk/UK_Sanctions_List-2025-04.csv.gz'], { entries: 4_671, skipped: 15, label: expect.stringMatching(/^2025-04-10-/) }],
    ['everypolitician', ['peps/everypolitician-2015-11.csv'], { format: 'everypolitician_csv' }],
  ])('%s is stored', { timeout: 60_000 }, async (list, paths, expected) => {
    expect(await load(list, paths)).toMatchObject(expected);
  });

  it('four months of OFAC are told apart: who was added, changed, removed', { timeout: 60_000 }, async () => {
    const { entries, added, changed, removed } = await load('ofac_sdn', ofac('ofac/sdn-2024-05-03.csv'));
    expect(entries).toBe(13_738);
    expect(added - removed).toBe(13_738 - 12_682);
    expect(removed).toBeLessThan(150);
    expect(changed).toBeLessThan(300);
  });

  it('all of them are read in one snapshot', async () => {
    let count = 0;
    const began = performance.now();
    const versions = await readCurrentLists(ctx, definitions, async (inForce) => {
      for await (const batch of inForce.entries) count += batch.length;
      return inForce.versions;
    });
    console.log(`${count} entries read in ${Math.round(performance.now() - began)} ms`);
    expect(count).toBe(versions.reduce((sum, { entries }) => sum + entries, 0));
  });
});
