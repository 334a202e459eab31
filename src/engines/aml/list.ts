/**
 * The shape of a watch list, whoever publishes it: persons and organizations with names, births, countries and reasons for listing. The readers in
 * `lists/` produce it from each publisher's files, and the matcher reads nothing else. Vessels, aircraft and wallets are counted and dropped.
 */

export const categories = ['sanction', 'pep', 'wanted', 'adverse_media'] as const;
export type Category = (typeof categories)[number];

/** What an entry is. Companies, ministries, banks and armed groups are all organizations. */
export const entryTypes = ['person', 'organization'] as const;
export type EntryType = (typeof entryTypes)[number];

/**
 * `weak`: the publisher itself calls the alias unreliable (OFAC's quoted a.k.a., UN `Low`, UK `Low quality`, EU `strong="false"`). `original`: the
 * name in its own script.
 */
export type NameKind = 'primary' | 'alias' | 'weak' | 'former' | 'original';

export interface ListedName {
  /** Given names first, whatever the publisher's order. One line of at most `NAME_LENGTH_MAX` characters. */
  text: string;
  kind: NameKind;
  /** The part of `text` that the publisher marks as the family name. */
  family?: string;
}

/** A date of birth as an inclusive range of days: both ends equal for an exact date, first and last day of the year for a year. */
export interface ListedBirth {
  /** `YYYY-MM-DD` */
  from: string;
  to: string;
  /** The publisher says "about". */
  circa: boolean;
}

export interface ListEntry {
  /** The publisher's own id; unique in the list. */
  sourceId: string;
  category: Category;
  /** Absent for a person: what is stored of persons, and the digests that clearances depend on, is older than organizations. */
  type?: 'organization';
  /** Primary name first. Never empty. */
  names: ListedName[];
  births: ListedBirth[];
  /**
   * ISO 3166-1 alpha-2, upper case, sorted. Of a person: nationalities and citizenships; for a PEP the country of office. Never a birthplace or an
   * address alone. Of an organization: where it is registered, and the countries of its addresses.
   */
  countries: string[];
  gender: 'male' | 'female' | null;
  /** An organization's registration and tax numbers, upper case, letters and digits only, sorted. Absent if there are none. */
  registrations?: string[];
  /** Sanctions programmes, regimes, offices held (PEP), charges (wanted), headlines (adverse media). */
  programs: string[];
  /** `YYYY-MM-DD` */
  listedOn: string | null;
  /** `YYYY-MM-DD`; set for a PEP whose last office has ended. */
  endedOn: string | null;
  /** Page about the entry, for analysts. */
  url: string | null;
}

export const typeOf = ({ type }: Pick<ListEntry, 'type'>): EntryType => type ?? 'person';

/** `CH-217.0.135.719-4` → `CH21701357194`; `RC 1432074` → `1432074`, because people leave that prefix out. */
export const plainRegistration = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '')
    .replace(/^(?:RC|BN|IT)(?=\d)/, '');

/** Longer names are cut at a word boundary. */
export const NAME_LENGTH_MAX = 300;

/** One file of a list, as fetched or imported. */
export interface ListFile {
  name: string;
  /** Decompressed bytes from the start of the file. May be called more than once. */
  open(): AsyncIterable<Uint8Array>;
}

/** What a reader learns about a file besides its entries. */
export interface ListFacts {
  /** `YYYY-MM-DD`, as stated in the file. */
  publishedOn: string | null;
  /** Entries that are neither persons nor organizations. */
  skipped: number;
}

/**
 * What is read of a publication, whatever its format. 1: people; 2: organizations too. A version that was read in less detail is fetched and read again,
 * even if its publisher has changed nothing. Raise it when formats read more.
 */
export const READING = 2;

/** One publisher format. */
export interface ListFormat {
  /** `ofac_csv` */
  id: string;
  /** Decides by the file's name and its first 4 KiB as text. */
  recognizes(name: string, head: string): boolean;
  /**
   * Yields entries as they are read, in constant memory where the format allows, and fills `facts`. All files of one publication are passed together.
   * Throws `ListFileError` for a truncated or malformed file; it never yields fewer entries than the file has.
   */
  read(files: ListFile[], facts: ListFacts, options?: ReadOptions): AsyncIterable<ListEntry>;
}

/** Facts about a list that its files do not state entry by entry. */
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

/** The file is not what it claims to be. The message names the file, the line or record, and the rule; it quotes nothing from the file. */
export class ListFileError extends Error {
  readonly rule: ListFileRule;
  constructor(rule: ListFileRule, message: string) {
    super(message);
    this.name = 'ListFileError';
    this.rule = rule;
  }
}
