/** A publication is stored whole or not at all, and its changes are counted and readable. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CurrentEntry,
  type CurrentVersion,
  changedSince,
  LISTS_CHANNEL,
  missingLists,
  readCurrentLists,
} from '../../src/aml/current-lists.ts';
import { configureLists, type ListDefinition } from '../../src/aml/definitions.ts';
import { canonicalJson } from '../../src/aml/incoming.ts';
import { listVersions, readStatus } from '../../src/aml/status.ts';
import { storeList } from '../../src/aml/store.ts';
import type { ListEntry, ListFile, ListFormat } from '../../src/engines/aml/list.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import type { Context } from '../../src/foundation/context.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { definitionOf, people, textFile } from './publisher.ts';

const database = useDatabase();
let ctx: Context;

beforeAll(async () => {
  ctx = database.openContext();
});
afterAll(async () => {
  await ctx.close();
});

const store = (definition: ListDefinition, text: string, force = false) =>
  storeList(ctx, definition, [textFile(text)], { origin: 'list.jsonl', fetched: [], force }, formats);

async function inForce(definition: ListDefinition): Promise<{ versions: CurrentVersion[]; entries: CurrentEntry[] }> {
  return readCurrentLists(ctx, [definition], async ({ versions, entries }) => {
    const all: CurrentEntry[] = [];
    for await (const batch of entries) all.push(...batch);
    // Nothing promises an order, and a table that was read in parts has none.
    return { versions, entries: all.sort((a, b) => a.sourceId.localeCompare(b.sourceId)) };
  });
}

const namesOf = async (definition: ListDefinition) => (await inForce(definition)).entries.map(({ entry }) => entry.names[0]!.text).sort();

async function idsChangedSince(version: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of changedSince(ctx.sql, version)) ids.push(...batch.map(({ sourceId }) => sourceId));
  return ids.sort();
}

describe('a publication', () => {
  it('is stored whole, with its counts, label and digests', async () => {
    const list = definitionOf('first');
    const outcome = await store(list, people(1, 5));
    expect(outcome).toMatchObject({
      kind: 'stored',
      version: { format: 'generic', entries: 5, names: 10, skipped: 0, added: 5, changed: 0, removed: 0 },
    });
    const { versions, entries } = await inForce(list);
    expect(versions).toMatchObject([{ list: 'first', entries: 5, publishedOn: null }]);
    expect(versions[0]!.label).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}$/);
    expect(entries.map(({ sourceId }) => sourceId).sort()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
    for (const { digest, entry } of entries) {
      expect(digest).toMatch(/^[0-9a-f]{16}$/);
      expect(entry).toMatchObject({ category: 'sanction', births: [{ from: '1970-01-01', to: '1970-12-31', circa: false }] });
    }
  });

  it('of the Nigeria Sanctions List may be copied off its pages, groups among the people, or be as OpenSanctions has it', async () => {
    const known = configureLists({ CONFAM_LISTS: undefined }).find(({ list }) => list === 'ng_sanctions')!;
    expect(known).toMatchObject({ category: 'sanction', onRequest: true, isRequired: false });
    const copied = 'name,entity_type,countries\nZubairu Testman,,Nigeria\nTestmen of the Plateau,organization,NG\n';
    expect(await store(known, copied)).toMatchObject({ kind: 'stored', version: { format: 'generic', entries: 2, skipped: 0 } });
    const entries = (await inForce(known)).entries.map(({ entry }) => [entry.names[0]!.text, entry.category, entry.type]);
    expect(entries.sort()).toEqual([
      ['Testmen of the Plateau', 'sanction', 'organization'],
      ['Zubairu Testman', 'sanction', undefined],
    ]);
    const properties = { name: ['Zubairu Testman'], topics: ['sanction'], country: ['ng'] };
    const read = `${JSON.stringify({ id: 'nigsac-1', schema: 'Person', caption: 'Zubairu Testman', properties })}\n`;
    expect(await store(known, read, true)).toMatchObject({ kind: 'stored', version: { format: 'opensanctions_json', entries: 1 } });
  });

  it('adds, changes and removes exactly what differs; other rows stay, and every earlier state is readable', async () => {
    const list = definitionOf('diff');
    await store(list, people(1, 10));
    const before = await inForce(list);
    const outcome = await store(list, people(2, 7) + people(9, 1, 'o') + people(10, 2));
    expect(outcome).toMatchObject({ kind: 'stored', version: { entries: 10, added: 1, changed: 1, removed: 1 } });
    const id = outcome.kind === 'stored' ? outcome.version.id : '';
    expect(await idsChangedSince(id)).toEqual(['p11', 'p9']);
    const after = await inForce(list);
    expect(after.entries.find(({ sourceId }) => sourceId === 'p5')).toEqual(before.entries.find(({ sourceId }) => sourceId === 'p5'));
    expect(after.entries.find(({ sourceId }) => sourceId === 'p9')!.digest).not.toBe(
      before.entries.find(({ sourceId }) => sourceId === 'p9')!.digest,
    );
    const kept = await ctx.sql<{ sourceId: string }[]>`
      select source_id from aml_entries where list = 'diff' and from_version = ${before.versions[0]!.id} order by 1`;
    expect(kept).toHaveLength(10);
    const { versions } = (await listVersions(ctx, 'diff', { cursor: null, limit: 10 }))!;
    expect(versions.map(({ added, changed, removed }) => [added, changed, removed])).toEqual([
      [1, 1, 1],
      [10, 0, 0],
    ]);
  });

  it('that equals the current version only confirms it', async () => {
    const list = definitionOf('same');
    await store(list, people(1, 5));
    await ctx.sql`update aml_lists set checked_at = now() - interval '3 days' where list = 'same'`;
    expect(await store(list, people(1, 5))).toEqual({ kind: 'unchanged' });
    const [status] = await readStatus(ctx, [list]);
    expect(status!.ageSeconds).toBeLessThan(60);
    expect((await listVersions(ctx, 'same', { cursor: null, limit: 10 }))!.versions).toHaveLength(1);
  });

  it('with other bytes but the same people makes a version that changes nothing and rescreens nobody', async () => {
    const list = definitionOf('reshuffled');
    await store(list, people(1, 5));
    const outcome = await store(list, people(1, 5).split('\n').reverse().join('\n').trim());
    expect(outcome).toMatchObject({ kind: 'stored', version: { added: 0, changed: 0, removed: 0 } });
    expect(await ctx.sql`select 1 from aml_rescreens where list = 'reshuffled'`).toHaveLength(1);
  });

  it('that adds or changes somebody starts a rescreen and is announced to every process', async () => {
    const heard: string[] = [];
    const listener = await ctx.sql.listen(LISTS_CHANNEL, (list) => heard.push(list));
    const outcome = await store(definitionOf('told'), people(1, 3));
    const id = outcome.kind === 'stored' ? outcome.version.id : '';
    const [run] = await ctx.sql`
      select r.list, finished_at, created_at > loaded_at as is_late from aml_rescreens r join aml_list_versions v on v.id = version_id where v.id = ${id}`;
    expect(run, 'begun when the version was stored, not when storing it began').toMatchObject({
      list: 'told',
      finishedAt: null,
      isLate: true,
    });
    await waitFor('the notification', () => heard.includes('told'));
    await listener.unlisten();
  });
});

describe('a refused publication leaves the old version current', () => {
  it.each([
    ['a fifth of its people are missing', people(1, 79), 'shrunk'],
    [
      'its aliases are missing',
      people(1, 100).replaceAll(/"aliases":\[[^\]]*\]/g, `"url":"https://lists.example/${'x'.repeat(30)}"`),
      'shrunk',
    ],
    [
      'it is shorter by a fifth in bytes',
      people(1, 100)
        .replaceAll(/"(id|date_of_birth)":"[^"]*",?/g, '')
        .replaceAll(',}', '}'),
      'shrunk',
    ],
    ['it ends in the middle of a line', people(1, 100).slice(0, -20), 'truncated'],
    ['two entries share one id', people(1, 100) + people(50, 1), 'duplicate_id'],
    ['it is no list at all', '<html>Service unavailable</html>', 'unknown_format'],
    ['nothing is in it', '', 'unknown_format'],
  ])('%s', async (_, text, reason) => {
    const list = definitionOf(`refused_${reason}`);
    if ((await inForce(list)).versions.length === 0) await store(list, people(1, 100));
    const before = await inForce(list);
    const refusals = async () =>
      (await ctx.metrics.listRefusals.get()).values.find(({ labels }) => labels.list === list.list && labels.reason === reason)?.value ?? 0;
    const counted = await refusals();
    expect(await store(list, text)).toMatchObject({ kind: 'refused', reason });
    expect(await inForce(list)).toEqual(before);
    const [status] = await readStatus(ctx, [list]);
    expect(status!.refusal).toMatchObject({ reason });
    expect(status!.refusal!.detail).not.toMatch(/Testman/);
    expect(await refusals()).toBe(counted + 1);
    expect(await store(list, people(1, 100))).toEqual({ kind: 'unchanged' });
    expect((await readStatus(ctx, [list]))[0]!.refusal).toBeNull();
  });

  it('an operator may insist on a list that shrank', async () => {
    const list = definitionOf('forced');
    await store(list, people(1, 100));
    expect(await store(list, people(1, 10), true)).toMatchObject({ kind: 'stored', version: { entries: 10, removed: 90 } });
  });

  it('exactly four fifths of a list are accepted', async () => {
    const list = definitionOf('four_fifths');
    await store(list, people(100, 100));
    expect(await store(list, people(100, 80))).toMatchObject({ kind: 'stored' });
  });

  it('one list is never mistaken for another', async () => {
    const list = definitionOf('ofac_like', { formats: ['ofac_csv'] });
    expect(await store(list, people(1, 5))).toMatchObject({ kind: 'refused', reason: 'wrong_format' });
  });

  it('endless garbage is refused by its first bytes', async () => {
    const endless: ListFile = {
      name: 'garbage.csv',
      async *open() {
        for (;;) yield Buffer.alloc(65_536, 'garbage ');
      },
    };
    const began = performance.now();
    expect(await storeList(ctx, definitionOf('garbage'), [endless], { origin: 'x', fetched: [] }, formats)).toMatchObject({
      reason: 'unknown_format',
    });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('a broken first file leaves no list behind', async () => {
    const list = definitionOf('broken_first');
    expect(await store(list, people(1, 5).slice(0, -10))).toMatchObject({ kind: 'refused' });
    expect(await readStatus(ctx, [list])).toMatchObject([{ state: 'absent', version: null }]);
  });

  it('an impossible character is refused, but an escaped backslash before "u0000" is text', async () => {
    const read = (text: string): ListFormat => ({
      id: 'raw',
      recognizes: () => true,
      async *read() {
        yield entryOf({ names: [{ text, kind: 'primary' }] });
      },
    });
    const take = (text: string) => storeList(ctx, definitionOf('raw'), [textFile(text)], { origin: 'x', fetched: [] }, [read(text)]);
    expect(await take('Zubairu \u0000')).toMatchObject({ kind: 'refused', reason: 'not_text' });
    expect(await take('Zubairu \ud800')).toMatchObject({ kind: 'refused', reason: 'not_text' });
    expect(await take('Zubairu \\u0000\ttab\nline \\')).toMatchObject({ kind: 'stored' });
    expect(await namesOf(definitionOf('raw'))).toEqual(['Zubairu \\u0000\ttab\nline \\']);
  });
});

describe('at the same time', () => {
  it('two publications of one list are stored one after the other', async () => {
    const list = definitionOf('twice');
    const outcomes = await Promise.all([store(list, people(1, 200)), store(list, people(1, 200)), store(list, people(2, 200))]);
    const stored = outcomes.filter((outcome) => outcome.kind === 'stored');
    const all = stored.map(({ version }) => version.added - version.removed).reduce((sum, one) => sum + one, 0);
    expect(outcomes.every(({ kind }) => kind !== 'refused')).toBe(true);
    expect((await inForce(list)).entries).toHaveLength(all);
    expect(all).toBe(200);
  });

  it('a reader sees one version from its first entry to its last', async () => {
    const list = definitionOf('snapshot');
    await store(list, people(1, 5_000));
    const seen = await readCurrentLists(ctx, [list], async ({ versions, entries }) => {
      const suffixes = new Set<boolean>();
      let count = 0;
      for await (const batch of entries) {
        if (count === 0) await store(list, people(1, 5_000, 'b'));
        count += batch.length;
        for (const { entry } of batch) suffixes.add(entry.names[0]!.text.endsWith('b'));
      }
      return { version: versions[0]!.label, suffixes: [...suffixes], count };
    });
    expect(seen).toMatchObject({ suffixes: [false], count: 5_000 });
    expect((await inForce(list)).versions[0]!.label).not.toBe(seen.version);
    expect((await namesOf(list)).every((name) => name.endsWith('b'))).toBe(true);
  });

  it('a process killed in the middle leaves the old version current and the next one unhindered', async () => {
    const list = definitionOf('killed');
    await store(list, people(1, 50));
    const child = spawn(process.execPath, ['--import', 'tsx', join(packageRoot(), 'test/fixtures/list-storer.ts'), 'killed'], {
      env: { ...process.env, ...database.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await namesOf(list)).toHaveLength(50);
    expect(await store(list, people(1, 60))).toMatchObject({ kind: 'stored', version: { added: 10 } });
  });
});

describe('the canonical form of an entry', () => {
  it('does not depend on the order in which its publisher writes it', () => {
    const [a, b, c] = ['Adamu Q. Testman', 'Adamu Kew', 'A. Kew'];
    const one = entryOf({ names: [named(a!), named(b!), named(c!)], programs: ['X', 'Y'], countries: ['GH', 'NG'] });
    const other = entryOf({ names: [named(a!), named(c!), named(b!), named(c!)], programs: ['Y', 'X'], countries: ['NG', 'GH'] });
    expect(canonicalJson(other)).toBe(canonicalJson(one));
    expect(canonicalJson(entryOf({ names: [named(b!), named(a!), named(c!)] }))).not.toBe(canonicalJson(one));
    expect((JSON.parse(canonicalJson(other)) as ListEntry).names[0]!.text).toBe(a);
  });
});

describe('a required list', () => {
  const required = [definitionOf('un', { isRequired: true, maxAgeDays: 7 }), definitionOf('other', { isRequired: false })];
  const now = Date.parse('2026-11-21T12:00:00Z');
  it.each([
    ['is missing when it was never loaded', [], [{ list: 'un', reason: 'absent' }]],
    [
      'is missing when its publisher was last asked too long ago',
      [{ list: 'un', checkedAt: '2026-11-14 11:59:59+00' }],
      [{ list: 'un', reason: 'too_old' }],
    ],
    ['is there on the last day of its age', [{ list: 'un', checkedAt: '2026-11-14 12:00:01+00' }], []],
  ])('%s', (_, versions, missing) => {
    expect(missingLists(required, versions, now)).toEqual(missing);
  });
});

const named = (text: string) => ({ text, kind: 'alias' as const });
const entryOf = (rest: Partial<ListEntry>): ListEntry => ({
  sourceId: '1',
  category: 'sanction',
  names: [],
  births: [],
  countries: [],
  gender: null,
  programs: [],
  listedOn: null,
  endedOn: null,
  url: null,
  ...rest,
});
