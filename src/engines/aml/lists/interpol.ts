/**
 * Interpol notices as its public service returns them: search pages, single notices or arrays of notices, all files of a folder together. Searches
 * overlap, so a notice may appear more than once; the copy with charges counts.
 */
import { z } from 'zod';
import { type ListEntry, type ListFacts, type ListFile, ListFileError, type ListFormat } from '../list.ts';
import { SourceIds, toEntry } from './fields.ts';
import { readJsonDocument } from './json-document.ts';

export const interpolFormat: ListFormat = {
  id: 'interpol_json',
  recognizes: (_name, head) => /^\s*[[{]/.test(head) && (/"entity_id"\s*:/.test(head) || /"notices"\s*:\s*\[/.test(head)),
  read: readNotices,
};

const text = z.string().nullish();
const noticeSchema = z.object({
  entity_id: z.string(),
  forename: text,
  name: text,
  date_of_birth: text,
  nationalities: z.array(z.string()).nullish(),
  sex_id: text,
  arrest_warrants: z.array(z.object({ issuing_country_id: text, charge: text, charge_translation: text })).nullish(),
  _links: z.object({ self: z.object({ href: text }).nullish() }).nullish(),
});
type Notice = z.infer<typeof noticeSchema>;
const pageSchema = z.object({ _embedded: z.object({ notices: z.array(z.unknown()) }) });

/** The service has about 6,500 red notices. All are held until the last file is read. */
const NOTICES_MAX = 200_000;

async function* readNotices(files: ListFile[], facts: ListFacts): AsyncGenerator<ListEntry> {
  facts.publishedOn = null;
  facts.skipped = 0;
  const notices = new Map<string, { notice: Notice; where: string }>();
  for (const file of files) {
    for (const [index, value] of noticesOf(await readJsonDocument(file), file.name).entries()) {
      const where = `${file.name}, notice ${index + 1}`;
      const notice = noticeSchema.safeParse(value);
      if (!notice.success) throw new ListFileError('malformed', `${where} is not in Interpol's format`);
      const known = notices.get(notice.data.entity_id);
      if (known === undefined || !known.notice.arrest_warrants) notices.set(notice.data.entity_id, { notice: notice.data, where });
      if (notices.size > NOTICES_MAX) throw new ListFileError('too_large', `${where}: more than ${NOTICES_MAX} notices`);
    }
  }
  const ids = new SourceIds();
  for (const { notice, where } of notices.values()) {
    if (isWanted(notice)) yield readNotice(notice, ids, where);
    else facts.skipped += 1;
  }
  ids.end(files);
}

function noticesOf(document: unknown, name: string): unknown[] {
  if (document === undefined) throw new ListFileError('empty', `${name} is empty`);
  if (Array.isArray(document)) return document;
  const page = pageSchema.safeParse(document);
  if (page.success) return page.data._embedded.notices;
  if (noticeSchema.safeParse(document).success) return [document];
  throw new ListFileError('malformed', `${name} is neither an Interpol notice nor a page of them`);
}

/** Yellow notices concern missing people, and a red notice without a name can match nobody. */
function isWanted(notice: Notice): boolean {
  return !/\/notices\/v1\/yellow\//.test(pageOf(notice)) && /\p{L}/u.test(`${notice.forename ?? ''}${notice.name ?? ''}`);
}

function readNotice(notice: Notice, ids: SourceIds, where: string): ListEntry {
  const [given, family] = [notice.forename ?? '', notice.name ?? ''];
  return toEntry(
    {
      sourceId: ids.add(notice.entity_id, where),
      // Interpol's special notices concern people under Security Council sanctions.
      category: /\/notices\/v1\/un\//.test(pageOf(notice)) ? 'sanction' : 'wanted',
      names: [{ text: `${given} ${family}`, kind: 'primary', family }],
      births: [notice.date_of_birth ?? ''],
      countries: notice.nationalities ?? [],
      gender: notice.sex_id ?? '',
      programs: (notice.arrest_warrants ?? []).map((warrant) => {
        const charge = warrant.charge_translation || warrant.charge || '';
        return warrant.issuing_country_id && charge ? `${charge} (${warrant.issuing_country_id})` : charge;
      }),
      url: pageOf(notice),
    },
    where,
  );
}

const pageOf = (notice: Notice): string => notice._links?.self?.href ?? '';
