/** API keys: bodies and answers. */
import { z } from 'zod';
import { checks } from '../checks/catalog.ts';
import type { KeyKind } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import { isNetwork, networkOf } from '../foundation/networks.ts';
import {
  AMOUNT_MAX,
  amount,
  cleanText,
  hasUsualYear,
  instant,
  instantOrNull,
  kobo,
  naira,
  nairaUpTo,
  sentTime,
  showInstant,
  showInstantOrNull,
  text,
  YEARS_RULE,
} from './fields.ts';
import { page, partOf, yesOrNo } from './queries.ts';
import { type Scope, scopes } from './scopes.ts';

/** What a key may do. Null leaves it unrestricted in that respect. */
export interface KeyLimits {
  scopes: readonly Scope[] | null;
  /** Ids of the checks that it may run. */
  checks: readonly string[] | null;
  /** Networks in CIDR notation that it may be used from. */
  addresses: readonly string[] | null;
  /** ISO. */
  expiresAt: string | null;
  /** The most that it may spend a day (UTC). */
  dailyCapKobo: number | null;
}

export interface KeyTerms extends KeyLimits {
  name: string | null;
}

export interface StoredKey extends KeyTerms {
  id: string;
  kind: KeyKind;
  /** The first characters, so that people can tell keys apart. */
  hint: string;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string | null;
  revokedAt: string | null;
  /** Revoked, or past its expiry. */
  over: boolean;
  /** The key that takes its place. */
  rotatedTo: string | null;
  /** The person who made it, also by a key of theirs. Null: the operator or the command line, or an earlier release. */
  madeBy: string | null;
}

const NAME_MAX = 100;
const NETWORKS_MAX = 50;
const OVERLAP_SECONDS_DEFAULT = 24 * 3600;
const OVERLAP_SECONDS_MAX = 30 * 24 * 3600;

const scope = z.enum(Object.keys(scopes) as [Scope, ...Scope[]]);
const checkId = z.string().refine((id) => checks.some((check) => check.id === id), 'must be the id of a check');
const network = z.string().refine(isNetwork, 'must be a network such as 203.0.113.0/24 or an address').transform(networkOf);
const future = z
  .union([sentTime(), z.iso.date({ abort: true }).refine(hasUsualYear, YEARS_RULE)], 'must be a date or an ISO time with an offset')
  .transform((text) => new Date(text).toISOString())
  .refine((at) => Date.parse(at) > Date.now(), 'must be in the future');

const terms = {
  name: cleanText(NAME_MAX).nullable(),
  scopes: z.array(scope).min(1).nullable().describe('What it may do; null: everything'),
  checks: z.array(checkId).min(1).nullable().describe('Ids of the checks that it may run; null: all'),
  addresses: z.array(network).min(1).max(NETWORKS_MAX).nullable().describe('Networks (CIDR) that it may be used from; null: any'),
  expires_at: future.nullable().describe('null: it does not expire'),
  daily_cap: nairaUpTo(AMOUNT_MAX).nullable().describe('The most that it may spend a day (UTC), in naira; null: no limit'),
};

/** By the operator. */
export const keyBody = z.strictObject({ mode: z.enum(['live', 'test']), ...z.strictObject(terms).partial().shape });

/** By a key of the app. */
export const ownKeyBody = z
  .strictObject(terms)
  .partial()
  .describe('The new key has the mode of the key that makes it, and may do no more; what is left out is taken over from it');

/** An admin key has no scopes, checks or cap: it may do everything that the operator may. */
export const adminKeyBody = z
  .strictObject({ name: terms.name, addresses: terms.addresses, expires_at: terms.expires_at })
  .partial()
  .describe('If an admin key makes it, it may do no more than that key; what is left out is taken over from it');

/** Members that are absent stay as they are. */
export const keyPatch = z
  .strictObject(terms)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

export const rotateBody = z.strictObject({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(OVERLAP_SECONDS_DEFAULT).describe('How long the old key keeps working'),
});

export const keysQuery = z.object({
  name: partOf(NAME_MAX).describe('Only those with this in their name or `hint`, in upper or lower case'),
  active: yesOrNo.describe('`true`: only those that work; `false`: only those that have expired or were revoked'),
  ...page,
});

export const keyAnswer = z.object({
  id: text.describe('key_…'),
  object: z.literal('key'),
  mode: z.enum(['live', 'test']),
  name: text.nullable(),
  hint: text.describe('First characters of the key'),
  scopes: z.array(text).nullable().describe('null: everything'),
  checks: z.array(text).nullable().describe('null: all'),
  addresses: z.array(text).nullable().describe('null: any'),
  daily_cap: amount.nullable(),
  created_at: instant,
  expires_at: instantOrNull,
  last_used_at: instantOrNull.describe('To the minute'),
  revoked_at: instantOrNull,
  rotated_to: text.nullable().describe('The key that takes its place'),
  made_by: text.nullable().describe('per_…: the person who made it, also by a key of theirs; null: the operator, or not known'),
});

export const adminKeyAnswer = keyAnswer.omit({ scopes: true, checks: true, daily_cap: true }).extend({ mode: z.literal('admin') });

/** The text of the key is shown only this once. */
const secret = { key: text };

export const newKeyAnswer = keyAnswer.extend(secret);

export const newAdminKeyAnswer = adminKeyAnswer.extend(secret);

export function showKey(key: StoredKey): z.infer<typeof keyAnswer> | z.infer<typeof adminKeyAnswer> {
  const common = {
    id: showId('key', key.id),
    object: 'key' as const,
    name: key.name,
    hint: key.hint,
    addresses: key.addresses === null ? null : [...key.addresses],
    created_at: showInstant(key.createdAt),
    expires_at: showInstantOrNull(key.expiresAt),
    last_used_at: showInstantOrNull(key.lastUsedAt),
    revoked_at: showInstantOrNull(key.revokedAt),
    rotated_to: key.rotatedTo && showId('key', key.rotatedTo),
    made_by: key.madeBy && showId('per', key.madeBy),
  };
  if (key.kind === 'admin') return { ...common, mode: key.kind };
  return {
    ...common,
    mode: key.kind,
    scopes: key.scopes === null ? null : [...key.scopes],
    checks: key.checks === null ? null : [...key.checks],
    daily_cap: key.dailyCapKobo === null ? null : naira(key.dailyCapKobo),
  };
}

/** The members that were sent, as terms. */
export function termsOf({
  name,
  scopes,
  checks,
  addresses,
  expires_at,
  daily_cap,
}: Partial<z.infer<z.ZodObject<typeof terms>>>): Partial<KeyTerms> {
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(checks !== undefined && { checks }),
    ...(addresses !== undefined && { addresses }),
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    ...(daily_cap !== undefined && { dailyCapKobo: daily_cap === null ? null : kobo(daily_cap) }),
  };
}

/** Terms by the names that bodies have for them. */
export const memberOf: Readonly<Record<keyof KeyTerms, string>> = {
  name: 'name',
  scopes: 'scopes',
  checks: 'checks',
  addresses: 'addresses',
  expiresAt: 'expires_at',
  dailyCapKobo: 'daily_cap',
};
