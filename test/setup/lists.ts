/** Watch list versions with invented people, as the list store leaves them, and monitors started by settled screenings. */
import { createHash, randomBytes } from 'node:crypto';
import type { Owner } from '../../src/access/owner.ts';
import { writeMonitors } from '../../src/aml/start-monitoring.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import type { Monitored } from '../../src/checks/check.ts';
import type { ListEntry } from '../../src/engines/aml/list.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import type { Service } from '../../src/pipeline/service.ts';

/** An entry with only a name. */
export const listed = (sourceId: string, name: string, more: Partial<ListEntry> = {}): ListEntry => ({
  sourceId,
  category: 'sanction',
  names: [{ text: name, kind: 'primary' }],
  births: [],
  countries: [],
  gender: null,
  programs: ['TEST'],
  listedOn: '2026-01-02',
  endedOn: null,
  url: null,
  ...more,
});

export const digestOf = (entry: ListEntry): string => createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 16);

/** Stores a version that adds or changes `entries` and removes `removed`, with an open rescreen. Returns its id. */
export async function putVersion(ctx: Context, list: string, entries: ListEntry[], removed: string[] = []): Promise<string> {
  const id = newId();
  await ctx.sql.begin(async (tx) => {
    await tx`
      insert into aml_list_versions (id, list, label, format, origin, checksum, bytes, entries, names, skipped, added, changed, removed)
      values (${id}, ${list}, ${`2026-11-21-${id.slice(-8)}`}, 'test', 'test', ${randomBytes(32)}, 1, ${entries.length}, ${entries.length}, 0,
        ${entries.length}, 0, ${removed.length})`;
    await tx`
      update aml_entries set to_version = ${id}
      where list = ${list} and to_version is null and source_id = any(${[...removed, ...entries.map((entry) => entry.sourceId)]}::text[])`;
    await tx`
      insert into aml_entries (list, source_id, digest, entry, from_version)
      select ${list}, source_id, decode(digest, 'hex'), entry::jsonb, ${id}::uuid
      from unnest(${entries.map((e) => e.sourceId)}::text[], ${entries.map(digestOf)}::text[], ${entries.map((e) => JSON.stringify(e))}::text[])
        as t(source_id, digest, entry)`;
    await tx`
      insert into aml_lists (list, version_id) values (${list}, ${id}) on conflict (list) do update set version_id = excluded.version_id`;
    if (entries.length > 0) await tx`insert into aml_rescreens (version_id, list) values (${id}, ${list})`;
  });
  return id;
}

type Input = Record<string, string | undefined>;

/** Settles a single call that screened `input` and asked for monitoring; returns its record's id. */
export async function settleScreening(
  service: Service,
  owner: Pick<Owner, 'appId' | 'live'>,
  input: Input,
  monitor = true,
  shown: Monitored['shown'] = {},
): Promise<string> {
  const jobId = newId();
  const check = knownCheck('aml_screening');
  await service.settle.call({
    jobId,
    appId: owner.appId,
    live: owner.live,
    checkId: check.id,
    family: check.family,
    subject: service.cipher.index('subject', check.family, check.subject(input)),
    priceKobo: 0,
    cachedPriceKobo: 0,
    held: false,
    by: { keyId: null, personId: null },
    trail: [],
    result: { ...screenedResult, monitor: monitor ? { input, shown } : undefined },
  });
  return jobId;
}

/** A free screening in the shape `settle` takes. */
export const screenedResult = {
  status: 'completed',
  outcome: 'found',
  entity: {},
  billedKobo: 0,
  cached: false,
  provider: 'lists',
  latencyMs: 1,
  cacheEntries: [] as never[],
} as const;

/** A different name for each number: names cannot contain digits. */
export const numbered = (name: string, number: number): string =>
  `${name} Zu${[...String(number)].map((digit) => `${'bdgklmnrtz'[Number(digit)]}a`).join('')}`;

/** Adds monitors of `count` people named `numbered(name, 0)` and so on, without screenings. Each matches only itself. */
export async function watchMany(ctx: Context, owner: Pick<Owner, 'appId' | 'live'>, name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1_000) {
    const monitors = Array.from({ length: Math.min(1_000, count - at) }, (_, i) => ({
      jobId: newId(),
      ...owner,
      checkId: 'aml_screening',
      input: { name: numbered(name, at + i), date_of_birth: '1990-01-01', country: 'NG', threshold: '0.99' },
      shown: {},
    }));
    await ctx.sql.begin((tx) => writeMonitors(tx, ctx, monitors));
  }
}
