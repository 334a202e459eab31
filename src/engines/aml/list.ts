/**
 * What a watch list is, whoever publishes it: natural persons with their names, births, countries and why they are listed. The readers in
 * `lists/` make it of each publisher's files; the matcher reads nothing else. Companies, vessels and aircraft are counted and left out.
 */

export const categories = ['sanction', 'pep', 'wanted', 'adverse_media'] as const;
export type Category = (typeof categories)[number];

/**
 * `weak`: the publisher itself calls the alias unreliable (OFAC's quoted a.k.a., UN `Low`, UK `Low quality`, EU `strong="false"`).
 * `original`: the name in its own script.
 */
export type NameKind = 'primary' | 'alias' | 'weak' | 'former' | 'original';

export interface ListedName {
  /** Given names first, as the publisher writes it otherwise; one line, at most `NAME_LENGTH_MAX` characters. */
  text: string;
  kind: NameKind;
  /** The part of `text` that the publisher marks as family name. */
  family?: string;
}

/** A birth between two days, both included: an exact one has them equal, a year is its first and last day. */
export interface ListedBirth {
  /** `YYYY-MM-DD` */
  from: string;
  to: string;
  /** The publisher says about. */
  circa: boolean;
}

export interface ListEntry {
  /** The publisher's number of it; unique in the list. */
  sourceId: string;
  category: Category;
  /** The primary one first; at least one. */
  names: ListedName[];
  births: ListedBirth[];
  /** Nationalities, citizenships, of a PEP the country of office: ISO 3166-1 alpha-2, upper case, sorted. Never a mere place of birth or address. */
  countries: string[];
  gender: 'male' | 'female' | null;
  /** Sanctions programmes, regimes, offices held (PEP), charges (wanted), headlines (adverse media). */
  programs: string[];
  /** `YYYY-MM-DD` */
  listedOn: string | null;
  /** Of a PEP whose last office has ended: `YYYY-MM-DD`. */
  endedOn: string | null;
  /** A page about the entry, for an analyst. */
  url: string | null;
}

/** Longer names are cut at a word. */
export const NAME_LENGTH_MAX = 300;

/** One file of a list as it was fetched or handed in. */
export interface ListFile {
  name: string;
  /** Its bytes from the start, gzip undone; may be called more than once. */
  open(): AsyncIterable<Uint8Array>;
}

/** What a reader learns of a file beside its entries. */
export interface ListFacts {
  /** `YYYY-MM-DD`, as the publisher states it in the file. */
  publishedOn: string | null;
  /** Entries that are no natural persons. */
  skipped: number;
}

/** One format of a publisher. */
export interface ListFormat {
  /** `ofac_csv` */
  id: string;
  /** By the file's name and its first 4 KiB as text. */
  recognises(name: string, head: string): boolean;
  /**
   * Entries as they come, in constant memory where the format allows it; fills `facts`. All files of one publication are handed in together.
   * Throws `ListFileError` for what is truncated or not of the format: never fewer entries than the file has.
   */
  read(files: ListFile[], facts: ListFacts, options?: ReadOptions): AsyncIterable<ListEntry>;
}

/** What a list is known to be, for formats whose files do not say it of each entry. */
export interface ReadOptions {
  category: Category;
}

export type ListFileRule =
  | 'unknown_format'
  | 'not_text'
  | 'malformed'
  | 'truncated'
  | 'missing_column'
  | 'missing_file'
  | 'bad_value'
  | 'duplicate_id'
  | 'too_large'
  | 'forbidden_markup'
  | 'empty';

/** A file that cannot be what it claims to be. The message names file, line or record, and rule, and quotes nothing of the file. */
export class ListFileError extends Error {
  readonly rule: ListFileRule;
  constructor(rule: ListFileRule, message: string) {
    super(message);
    this.name = 'ListFileError';
    this.rule = rule;
  }
}
