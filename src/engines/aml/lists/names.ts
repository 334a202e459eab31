/** Reads names as publishers write them: puts their parts in one order and separates several names in one field. */
import type { NameKind } from '../list.ts';
import { oneLine } from './fields.ts';

export interface DraftName {
  text: string;
  kind: NameKind;
  family?: string;
}

/** Given names first. A name of a single part has no separate family name. */
export function personName(given: readonly string[], family: string, kind: NameKind): DraftName {
  const parts = given.map((part) => part.trim()).filter((part) => part !== '');
  const last = family.trim();
  const text = [...parts, last].join(' ').trim();
  return parts.length > 0 && last !== '' ? { text, kind, family: last } : { text, kind };
}

/** Suffixes that follow a whole name, with or without a comma. */
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i;

/** `FEREPADE, Olamidotun`, `FEREPADE, JR., Olamidotun`: the family name comes before the first comma. */
export function lastFirst(text: string, kind: NameKind): DraftName {
  const parts = text.split(',').map((part) => part.trim());
  const suffixes = parts.slice(1).filter((part) => SUFFIX.test(part));
  const given = parts.slice(1).filter((part) => !SUFFIX.test(part));
  const name = personName(given, parts[0]!, kind);
  return { ...name, text: [name.text, ...suffixes].join(' ') };
}

/** The names of an organization in one field, separated by semicolons. Commas and brackets belong to the name. */
export const organizationNames = (field: string, kind: NameKind): DraftName[] =>
  oneLine(field)
    .split(';')
    .map((text) => ({ text: text.trim().replace(LABEL, ''), kind }))
    .filter(({ text }) => text !== '');

/** `Belarusian: …`, `original script: …` */
const LABEL = /^[a-z][a-z ]{2,31}: ?/i;
/** `a) … b) …` */
const NUMBERING = /(?:^|\s)\(?[a-h1-9]\)\s/;
/** A remark after a name: `…, born 1 Jan. 1953`. */
const REMARK = /,? (?:born|previously listed|also known)\b/i;

/**
 * Several names in one field: separated by semicolons or numbering, or one in brackets after a name in another script. Brackets in the same script
 * usually hold remarks, and are dropped.
 */
export function namesIn(field: string): string[] {
  return oneLine(field)
    .split(';')
    .flatMap((text) => text.split(NUMBERING))
    .flatMap(outOfBrackets)
    .map((text) => withoutCommas(text.trim().replace(LABEL, '').split(REMARK, 1)[0]!.replace(/[()]/g, '')))
    .filter((text) => text !== '');
}

function outOfBrackets(text: string): string[] {
  const match = /^([^()]*)\(([^()]*)(?:\)([^()]*))?$/.exec(text);
  if (!match) return [text];
  const [, before, within, after] = match;
  const around = `${before} ${after ?? ''}`;
  const name = within!.trim().replace(LABEL, '');
  return around.trim() !== '' && /\p{L}/u.test(name) && isLatin(around) !== isLatin(name) ? [around, name] : [around];
}

const isLatin = (text: string): boolean => /\p{Script=Latin}/u.test(text);

/** Trims commas at both ends. A regular expression anchored at the end would take quadratic time on a field of commas. */
function withoutCommas(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ',' || text[end - 1] === ' ')) end -= 1;
  return text.slice(0, end).replace(/^[ ,]+/, '');
}
