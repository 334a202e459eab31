/**
 * The lists that test keys are screened against: invented people (docs/sandbox.md) in the publishers' own formats, read by the readers of the real lists.
 * `lists/later/` holds the next version of one of them, to try out a changed list.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Category, ListEntry, ListFacts, ListFile, ListFormat } from '../engines/aml/list.ts';
import { euXmlFormat } from '../engines/aml/lists/eu-xml.ts';
import { genericFormat } from '../engines/aml/lists/generic.ts';
import { interpolFormat } from '../engines/aml/lists/interpol.ts';
import { ofacCsvFormat } from '../engines/aml/lists/ofac-csv.ts';
import { openSanctionsFormat } from '../engines/aml/lists/opensanctions.ts';
import { ukSanctionsCsvFormat } from '../engines/aml/lists/uk-sanctions-list.ts';
import { unXmlFormat } from '../engines/aml/lists/un-xml.ts';
import { packageRoot } from '../foundation/package-root.ts';

export interface SandboxList {
  list: string;
  /** The publisher's date, if the format has one, and the start of the checksum. */
  version: string;
  publishedOn: string | null;
  entries: ListEntry[];
}

interface Source {
  list: string;
  format: ListFormat;
  category: Category;
}

const SOURCES: readonly Source[] = [
  { list: 'ofac_sdn', format: ofacCsvFormat, category: 'sanction' },
  { list: 'un_sc', format: unXmlFormat, category: 'sanction' },
  { list: 'uk_sanctions', format: ukSanctionsCsvFormat, category: 'sanction' },
  { list: 'eu_fsf', format: euXmlFormat, category: 'sanction' },
  { list: 'opensanctions', format: openSanctionsFormat, category: 'pep' },
  { list: 'interpol_red', format: interpolFormat, category: 'wanted' },
  { list: 'adverse_media', format: genericFormat, category: 'adverse_media' },
];

export const SANDBOX_LISTS: readonly string[] = SOURCES.map(({ list }) => list);

/** The list that has a later version: one person more, and another changed. */
const LATER = 'un_sc';

export async function readSandboxLists(): Promise<SandboxList[]> {
  const lists: SandboxList[] = [];
  for (const source of SOURCES) lists.push(await readList(source, join(folder(), source.list)));
  return lists;
}

export function readLaterSandboxList(): Promise<SandboxList> {
  return readList(SOURCES.find(({ list }) => list === LATER)!, join(folder(), 'later', LATER));
}

/** The build does not copy these files: they are not code. */
const folder = (): string => join(packageRoot(), 'src/sandbox/watch-lists');

async function readList({ list, format, category }: Source, path: string): Promise<SandboxList> {
  const names = (await readdir(path)).sort();
  const files: ListFile[] = names.map((name) => ({ name, open: () => createReadStream(join(path, name)) }));
  const facts: ListFacts = { publishedOn: null, skipped: 0 };
  const entries: ListEntry[] = [];
  for await (const entry of format.read(files, facts, { category })) entries.push(entry);
  const checksum = createHash('sha256');
  for (const file of files) for await (const bytes of file.open()) checksum.update(bytes);
  return {
    list,
    version: `${facts.publishedOn ?? 'sandbox'}-${checksum.digest('hex').slice(0, 8)}`,
    publishedOn: facts.publishedOn,
    entries,
  };
}
