/** Reads RDAP answers about a domain (RFC 9083 5.3), and IANA's bootstrap file, which maps a suffix to its registry (RFC 9224). */
import { z } from 'zod';
import type { Registration } from './email.ts';

const TEXT_MAX = 200;

/** Registrant names that stand for a withheld name. */
const WITHHELD = /redacted|privacy|private|proxy|withheld|not disclosed|data protected|gdpr|statutory masking|\bn\/a\b/i;

const entitySchema = z.object({
  roles: z.array(z.string()).catch([]),
  /** jCard (RFC 7095): `['vcard', [[name, parameters, type, value, …], …]]`. */
  vcardArray: z
    .tuple([z.literal('vcard'), z.array(z.array(z.unknown()))])
    .optional()
    .catch(undefined),
});

const domainSchema = z.object({
  objectClassName: z.literal('domain'),
  ldhName: z.string().optional().catch(undefined),
  events: z.array(z.object({ eventAction: z.string(), eventDate: z.string() }).nullable().catch(null)).catch([]),
  entities: z.array(entitySchema.nullable().catch(null)).catch([]),
});

/** Null if the body is not an answer about `domain`. */
export function readDomain(body: unknown, domain: string): Registration | null {
  const parsed = domainSchema.safeParse(body);
  if (!parsed.success) return null;
  const { ldhName, events, entities } = parsed.data;
  if (ldhName !== undefined && ldhName.toLowerCase().replace(/\.$/, '') !== domain) return null;
  const dateOf = (action: string): string | null => {
    const date = new Date(events.find((event) => event?.eventAction.toLowerCase() === action)?.eventDate ?? Number.NaN);
    return Number.isNaN(date.getTime()) ? null : (/^\d{4}-\d{2}-\d{2}/.exec(date.toISOString())?.[0] ?? null);
  };
  const nameOf = (role: string): string | null => {
    const cards = entities.filter((entity) => entity?.roles.includes(role)).map((entity) => entity?.vcardArray?.[1] ?? []);
    return cards.map((card) => cardValue(card, 'org') ?? cardValue(card, 'fn')).find((name) => name !== null) ?? null;
  };
  const registrant = nameOf('registrant');
  return {
    registered: true,
    created: dateOf('registration'),
    updated: dateOf('last changed'),
    expires: dateOf('expiration'),
    registrar: nameOf('registrar'),
    registrant: registrant !== null && WITHHELD.test(registrant) ? null : registrant,
  };
}

/** `org` may be a list: the organization and its units. */
function cardValue(card: readonly (readonly unknown[])[], name: string): string | null {
  const value = card.find((property) => property[0] === name)?.[3];
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string') return null;
  return (
    text
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, TEXT_MAX) || null
  );
}

const bootstrapSchema = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Maps each suffix to its registry's base URLs, ending in `/`, https first. Null if the body is not a bootstrap file. */
export function readBootstrap(body: unknown): Map<string, string[]> | null {
  const parsed = bootstrapSchema.safeParse(body);
  if (!parsed.success) return null;
  const registries = new Map<string, string[]>();
  for (const [suffixes, addresses] of parsed.data.services) {
    const bases = addresses
      .filter((address) => URL.canParse(address))
      .map((address) => (address.endsWith('/') ? address : `${address}/`))
      .toSorted((a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')));
    if (bases.length > 0) for (const suffix of suffixes) registries.set(suffix.toLowerCase(), bases);
  }
  return registries.size > 0 ? registries : null;
}

/** The base URL for the longest suffix of `domain` that has a registry (RFC 9224 4). */
export function registryOf(registries: ReadonlyMap<string, string[]>, domain: string): string | null {
  const labels = domain.split('.');
  for (let i = 0; i < labels.length; i++) {
    const bases = registries.get(labels.slice(i).join('.'));
    if (bases) return bases[0]!;
  }
  return null;
}
