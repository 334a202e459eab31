/** `confam lists …`: fetches or imports watch lists and reports their state. Every list is reported; one that fails does not hold up the others. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { byOperator } from '../access/audit/append.ts';
import { configureLists, type ListDefinition } from '../aml/definitions.ts';
import { openPaths } from '../aml/files.ts';
import type { ListOutcome } from '../aml/refusal.ts';
import { type ListStatus, readStatus, showAge, showStatus } from '../aml/status.ts';
import { storeList } from '../aml/store.ts';
import { updateList } from '../aml/update.ts';
import { ListFileError, type ListFormat } from '../engines/aml/list.ts';
import { ConfigError, readConfig } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { withDatabase } from './database.ts';
import { troubleOf } from './trouble.ts';
import { UsageError } from './usage-error.ts';

const by = byOperator('cli');

/** One connection for the lock of a list, one for the work. */
const POOL_MAX = 2;

export function addListCommands(lists: Command): void {
  lists
    .command('update')
    .description('fetch lists from their publishers; from then on they are refreshed automatically')
    .argument('[lists...]', 'default: all with an address whose licence needs no decision of yours')
    .option('--force', 'also take lists that have not changed or have shrunk')
    .action((names: string[], options: { force?: boolean }) =>
      withLists(async (ctx, definitions, formats) => {
        for (const definition of chooseFetched(definitions, names)) {
          try {
            report(definition, await updateList(ctx, definition, formats, { ...options, by }));
          } catch (error) {
            console.error(`${definition.list}: failed:`, troubleOf(error) ?? error);
            process.exitCode = 1;
          }
        }
      }),
    );
  lists
    .command('import')
    .description('put a list into force from one or more files or a folder, gzipped or not')
    .argument('<list>')
    .argument('<paths...>')
    .option('--force', 'take it even if it has shrunk or is already in force')
    .action((name: string, paths: string[], options: { force?: boolean }) =>
      withLists(async (ctx, definitions, formats) => {
        const definition = findList(definitions, name);
        const files = await openPaths(paths);
        const origin = paths.map((path) => basename(path)).join(' ');
        report(definition, await storeList(ctx, definition, files, { origin, fetched: [], by, ...options }, formats));
      }),
    );
  lists
    .command('status')
    .description('show what is in force, how old it is, and what was refused')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) =>
      withLists(async (ctx, definitions) => {
        const status = await readStatus(ctx, definitions);
        console.log(options.json ? JSON.stringify(status.map(showStatus), null, 2) : asTable(status));
      }),
    );
}

async function withLists(
  work: (ctx: Context, definitions: readonly ListDefinition[], formats: readonly ListFormat[]) => Promise<void>,
): Promise<void> {
  // Loaded here so that every other command starts sooner.
  const { formats } = await import('../engines/aml/lists/formats.ts');
  const config = readConfig(process.env);
  const definitions = configureLists(config);
  try {
    await withDatabase((ctx) => work(ctx, definitions, formats), { config, poolMax: POOL_MAX });
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
