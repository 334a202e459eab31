/**
 * The lists Confam knows and their publishers' URLs, and the operator's file (CONFAM_LISTS), which changes them and adds the operator's own lists.
 * docs/lists.md says where each URL was found, and that none was tried from the build machine.
 */
import { z } from 'zod';
import { type Category, categories } from '../engines/aml/list.ts';
import { type Config, ConfigError, readJson } from '../foundation/config.ts';
import { messageOf, parseWith } from '../foundation/validation.ts';

export interface ListDefinition {
  /** `un_sc` */
  list: string;
  title: string;
  publisher: string;
  /** The category of its entries where the file gives none. */
  category: Category;
  /** All files of one publication; empty: imported by hand. */
  addresses: readonly string[];
  /** Live screenings are refused without it. */
  isRequired: boolean;
  /** Maximum age since the publisher last confirmed it; older than this, the list counts as absent. */
  maxAgeDays: number;
  /** Its licence needs a decision by the operator: fetched only when named. */
  onRequest: boolean;
  /** The publisher has never published less: a smaller answer is truncated or an error page. */
  bytesMin: number;
  /** The formats its publisher uses, so that one list cannot be mistaken for another; null: any. */
  formats: readonly string[] | null;
}

const OFAC = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports';
const OPENSANCTIONS = 'https://data.opensanctions.org/datasets/latest';
const MAX_AGE_DAYS = 7;
/** For lists imported by hand, which no refresh confirms. */
const IMPORTED_MAX_AGE_DAYS = 31;

const fetched = { isRequired: false, maxAgeDays: MAX_AGE_DAYS, onRequest: false } as const;
const imported = { isRequired: false, maxAgeDays: IMPORTED_MAX_AGE_DAYS, onRequest: false, addresses: [], bytesMin: 0 } as const;

const known: readonly ListDefinition[] = [
  {
    ...fetched,
    list: 'ofac_sdn',
    title: 'Specially Designated Nationals and Blocked Persons',
    publisher: 'OFAC, US Treasury',
    category: 'sanction',
    addresses: ['SDN.CSV', 'ADD.CSV', 'ALT.CSV', 'SDN_COMMENTS.CSV'].map((file) => `${OFAC}/${file}`),
    isRequired: true,
    bytesMin: 2_000_000,
    formats: ['ofac_csv', 'ofac_xml'],
  },
  {
    ...fetched,
    list: 'ofac_cons',
    title: 'Consolidated list of persons outside the SDN list',
    publisher: 'OFAC, US Treasury',
    category: 'sanction',
    addresses: ['CONS_PRIM.CSV', 'CONS_ADD.CSV', 'CONS_ALT.CSV', 'CONS_COMMENTS.CSV'].map((file) => `${OFAC}/${file}`),
    bytesMin: 20_000,
    formats: ['ofac_csv', 'ofac_xml'],
  },
  {
    ...fetched,
    list: 'un_sc',
    title: 'Consolidated list',
    publisher: 'UN Security Council',
    category: 'sanction',
    addresses: ['https://scsanctions.un.org/resources/xml/en/consolidated.xml'],
    isRequired: true,
    bytesMin: 500_000,
    formats: ['un_xml'],
  },
  {
    // The committee publishes web pages only; OpenSanctions reads them every day. Or the operator copies the entries into a file.
    ...fetched,
    list: 'ng_sanctions',
    title: 'Nigeria Sanctions List',
    publisher: 'Nigeria Sanctions Committee',
    category: 'sanction',
    addresses: [`${OPENSANCTIONS}/ng_nigsac_sanctions/targets.nested.json`],
    onRequest: true,
    bytesMin: 5_000,
    formats: ['opensanctions_json', 'opensanctions_csv', 'generic'],
  },
  {
    ...fetched,
    list: 'uk_sanctions',
    title: 'UK Sanctions List',
    publisher: 'Foreign, Commonwealth and Development Office',
    category: 'sanction',
    addresses: ['https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv'],
    bytesMin: 2_000_000,
    formats: ['uk_sanctions_csv', 'uk_sanctions_xml'],
  },
  {
    // Closed on 28 January 2026. Its old URL still serves that day's file, which would look fresh forever.
    ...imported,
    list: 'uk_ofsi',
    title: 'Consolidated list of asset freeze targets (closed)',
    publisher: 'OFSI, HM Treasury',
    category: 'sanction',
    formats: ['uk_conlist'],
  },
  {
    ...fetched,
    list: 'eu_fsf',
    title: 'Consolidated list of financial sanctions',
    publisher: 'European Commission',
    category: 'sanction',
    // Not a secret: the Commission publishes this token with the URL ("token-2017").
    addresses: ['https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw'],
    bytesMin: 2_000_000,
    formats: ['eu_xml', 'eu_csv'],
  },
  {
    ...fetched,
    list: 'ca_sema',
    title: 'Consolidated Canadian autonomous sanctions list',
    publisher: 'Global Affairs Canada',
    category: 'sanction',
    addresses: [
      'https://www.international.gc.ca/world-monde/assets/office_docs/international_relations-relations_internationales/sanctions/sema-lmes.xml',
    ],
    bytesMin: 300_000,
    formats: ['canada_xml'],
  },
  {
    ...fetched,
    list: 'opensanctions',
    title: 'OpenSanctions Default',
    publisher: 'OpenSanctions',
    category: 'sanction',
    addresses: [`${OPENSANCTIONS}/default/targets.nested.json`],
    onRequest: true,
    bytesMin: 10_000_000,
    formats: ['opensanctions_json', 'opensanctions_csv'],
  },
  {
    ...fetched,
    list: 'opensanctions_peps',
    title: 'OpenSanctions Politically Exposed Persons',
    publisher: 'OpenSanctions',
    category: 'pep',
    addresses: [`${OPENSANCTIONS}/peps/targets.nested.json`],
    onRequest: true,
    bytesMin: 10_000_000,
    formats: ['opensanctions_json', 'opensanctions_csv'],
  },
  {
    ...imported,
    list: 'everypolitician',
    title: 'EveryPolitician',
    publisher: 'mySociety (archive)',
    category: 'pep',
    formats: ['everypolitician_popolo', 'everypolitician_csv'],
  },
  { ...imported, list: 'interpol_red', title: 'Red notices', publisher: 'Interpol', category: 'wanted', formats: ['interpol_json'] },
  {
    ...imported,
    list: 'adverse_media',
    title: 'Adverse media',
    publisher: 'the operator',
    category: 'adverse_media',
    formats: ['generic'],
  },
];

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What a list may be fetched from: https, or plain http on this machine only. No user or password, because URLs are shown. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

const listId = z.string().regex(/^[a-z][a-z0-9_]{1,40}$/, 'must be 2 to 41 lower-case letters, digits or _, starting with a letter');

const overrides = z.strictObject({
  enabled: z.boolean().default(true).describe('false: neither fetched nor screened against'),
  title: z.string().min(1).max(200).optional(),
  publisher: z.string().min(1).max(200).optional(),
  category: z.enum(categories).optional().describe('Category of its entries where the file gives none; required for a list of your own'),
  addresses: z
    .array(z.string().refine(isAddress, 'must be an https URL (plain http only to this machine) without user and password'))
    .max(16)
    .optional()
    .describe('All files of one publication; empty: imported by hand'),
  required: z.boolean().optional().describe('Live screenings answer 503 lists_not_loaded without it'),
  max_age_days: z.number().positive().max(366).optional().describe('Maximum age since the publisher last confirmed it'),
  bytes_min: z.int().min(0).optional().describe('A smaller answer from the publisher is refused'),
});

export const listsFile = z.strictObject({
  $schema: z.string().optional(),
  lists: z.record(listId, overrides).describe('By list: changes to the lists Confam knows, and lists of your own'),
});

/** The lists of this deployment. Throws `ConfigError` naming every path in the file that is wrong. */
export function configureLists(config: Pick<Config, 'CONFAM_LISTS'>): readonly ListDefinition[] {
  if (!config.CONFAM_LISTS) return known;
  const parsed = parseWith(listsFile, readJson('CONFAM_LISTS', config.CONFAM_LISTS));
  if (!parsed.success) {
    throw refusal(
      parsed.error.issues.map(
        (issue) => `${issue.path.join('.')}: ${issue.code === 'invalid_key' ? issue.issues[0]!.message : messageOf(issue)}`,
      ),
    );
  }
  const changed = new Map(Object.entries(parsed.data.lists));
  const own = [...changed].filter(([list]) => !known.some((one) => one.list === list));
  const unclear = own.filter(([, { category }]) => !category);
  if (unclear.length > 0)
    throw refusal(unclear.map(([list]) => `lists.${list}.category: is required, because Confam does not know this list`));
  return [...known, ...own.map(([list, { category }]) => houseList(list, category!))]
    .filter(({ list }) => changed.get(list)?.enabled !== false)
    .map((definition) => ({ ...definition, ...changesOf(changed.get(definition.list)) }));
}

const houseList = (list: string, category: Category): ListDefinition => ({
  ...imported,
  list,
  title: list,
  publisher: 'the operator',
  category,
  formats: null,
});

function changesOf(override: z.infer<typeof overrides> | undefined): Partial<ListDefinition> {
  if (!override) return {};
  const { title, publisher, category, addresses, required, max_age_days, bytes_min } = override;
  const changes = { title, publisher, category, addresses, isRequired: required, maxAgeDays: max_age_days, bytesMin: bytes_min };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const refusal = (problems: string[]): ConfigError => new ConfigError(problems.map((problem) => `CONFAM_LISTS: ${problem}`).join('\n'));
