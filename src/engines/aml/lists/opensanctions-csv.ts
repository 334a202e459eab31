/** OpenSanctions' `targets.simple.csv`: one line a target, columns by name, several values separated by `;`. It has no topics. */
import type { Category, ListEntry, ListFacts, ListFile, ListFormat } from '../list.ts';
import { readTable } from './csv.ts';
import { isoDay } from './dates.ts';
import { SourceIds, toEntry } from './fields.ts';
import { isOrganization } from './opensanctions.ts';

export const openSanctionsCsvFormat: ListFormat = {
  id: 'opensanctions_csv',
  recognizes: (_name, head) => /^\ufeff?"?id"?,"?schema"?,"?name"?,/.test(head),
  read: readTargets,
};

const REQUIRED = ['id', 'schema', 'name'] as const;
const OPTIONAL = ['aliases', 'birth_date', 'countries', 'identifiers', 'sanctions', 'last_seen'] as const;
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

async function* readTargets(
  files: ListFile[],
  facts: ListFacts,
  options: { category: Category } = { category: 'pep' },
): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const ids = new SourceIds();
  for (const file of files) {
    for await (const { where, read } of readTable<Column>(file, { delimiter: ',' }, REQUIRED, OPTIONAL)) {
      const seenOn = isoDay(read('last_seen'));
      if (seenOn !== null && seenOn > (facts.publishedOn ?? '')) facts.publishedOn = seenOn;
      const schema = read('schema');
      if (schema === 'Person' || isOrganization(schema)) yield readTarget(read, options.category, ids, where);
      else facts.skipped += 1;
    }
  }
  ids.end(files);
}

function readTarget(cell: (column: Column) => string, usual: Category, ids: SourceIds, where: string): ListEntry {
  const many = (column: Column): string[] => cell(column).split(';');
  const organization = isOrganization(cell('schema'));
  return toEntry(
    {
      sourceId: ids.add(cell('id'), where),
      category: cell('sanctions') === '' ? usual : 'sanction',
      names: [{ text: cell('name'), kind: 'primary' }, ...many('aliases').map((text) => ({ text, kind: 'alias' as const }))],
      type: organization ? 'organization' : undefined,
      births: organization ? [] : many('birth_date'),
      countries: many('countries'),
      registrations: organization ? many('identifiers') : [],
      programs: many('sanctions'),
      url: `https://www.opensanctions.org/entities/${encodeURIComponent(cell('id'))}/`,
    },
    where,
  );
}
