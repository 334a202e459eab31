/** Fetches or imports watch lists and reports their state, for `commands/lists.ts`. Every list is reported; one that fails does not hold up the others. */
import { basename } from 'node:path';
import { byOperator } from '../access/audit/append.ts';
import { configureLists, type ListDefinition } from '../aml/definitions.ts';
import { openPaths } from '../aml/files.ts';
import type { ListOutcome } from '../aml/refusal.ts';
import { type ListStatus, readStatus, showAge, showStatus } from '../aml/status.ts';
import { storeList } from '../aml/store.ts';
import { updateList } from '../aml/update.ts';
import { ListFileError } from '../engines/aml/list.ts';
import { formats } from '../engines/aml/lists/formats.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { withDatabase } from './database.ts';
import { troubleOf } from './trouble.ts';
import { UsageError } from './usage-error.ts';

const by = byOperator('cli');

/** One connection for the lock of a list, one for the work. */
const POOL_MAX = 2;

/** Without names: all that have an address and need no decision of the operator's. */
export async function updateLists(names: string[], options: { force?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const chosen = chooseFetched(configureLists(config), names);
  await withLists(config, async (ctx) => {
    for (const definition of chosen) {
      try {
        report(definition, await updateList(ctx, definition, formats, { ...options, by }));
      } catch (error) {
        console.error(`${definition.list}: failed:`, troubleOf(error) ?? error);
        process.exitCode = 1;
      }
    }
  });
}

export async function importList(name: string, paths: string[], options: { force?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const definition = findList(configureLists(config), name);
  await withLists(config, async (ctx) => {
    const files = await openPaths(paths);
    const origin = paths.map((path) => basename(path)).join(' ');
    report(definition, await storeList(ctx, definition, files, { origin, fetched: [], by, ...options }, formats));
  });
}

export async function printStatus(options: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  await withLists(config, async (ctx) => {
    const status = await readStatus(ctx, configureLists(config));
    console.log(options.json ? JSON.stringify(status.map(showStatus), null, 2) : asTable(status));
  });
}

async function withLists(config: Config, work: (ctx: Context) => Promise<void>): Promise<void> {
  try {
    await withDatabase(work, { config, poolMax: POOL_MAX });
  } catch (error) {
    throw error instanceof ListFileError ? new ConfigError(error.message) : error;
  }
}

function chooseFetched(definitions: readonly ListDefinition[], names: readonly string[]): ListDefinition[] {
  if (names.length === 0) return definitions.filter(({ addresses, onRequest }) => addresses.length > 0 && !onRequest);
  const chosen = names.map((name) => findList(definitions, name));
  const without = chosen.filter(({ addresses }) => addresses.length === 0).map(({ list }) => list);
  if (without.length > 0)
    throw new ConfigError(`${without.join(', ')}: no address is known; import the list, or give it addresses in CONFAM_LISTS`);
  return chosen;
}

function findList(definitions: readonly ListDefinition[], name: string): ListDefinition {
  const definition = definitions.find(({ list }) => list === name);
  if (!definition) throw new UsageError(`there is no list ${name}; the lists are ${definitions.map(({ list }) => list).join(', ')}`);
  return definition;
}

function report({ list }: ListDefinition, outcome: ListOutcome): void {
  switch (outcome.kind) {
    case 'stored': {
      const { label, entries, names, skipped, added, changed, removed } = outcome.version;
      console.log(`${list}: ${label}: ${entries} entries, ${names} names (+${added} ~${changed} -${removed}); ${skipped} others skipped`);
      return;
    }
    case 'unchanged':
      console.log(`${list}: unchanged`);
      return;
    case 'busy':
      console.error(`${list}: another process is bringing it up to date; try again later`);
      break;
    case 'refused':
      console.error(`${list}: refused (${outcome.reason}): ${outcome.detail}. The version in force stays.`);
  }
  process.exitCode = 1;
}

const HEADINGS = ['list', 'state', 'required', 'version', 'published', 'loaded', 'checked', 'age', 'entries', 'names', '+/~/-', 'refusal'];

function asTable(status: readonly ListStatus[]): string {
  const rows = status.map(({ definition: { list, isRequired }, state, version, checkedAt, ageSeconds, refusal }) => [
    list,
    state,
    isRequired ? 'yes' : '',
    version?.label ?? '',
    version?.publishedOn ?? '',
    minute(version?.loadedAt),
    minute(checkedAt),
    ageSeconds === null ? '' : showAge(ageSeconds),
    version ? String(version.entries) : '',
    version ? String(version.names) : '',
    version ? `${version.added}/${version.changed}/${version.removed}` : '',
    refusal ? `${minute(refusal.at)} ${refusal.reason}` : '',
  ]);
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]!.length)));
  const line = (row: string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [HEADINGS, ...rows].map(line).join('\n');
}

const minute = (instant: string | null | undefined): string =>
  instant ? new Date(instant).toISOString().slice(0, 16).replace('T', ' ') : '';
