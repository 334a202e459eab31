/** The tables of apps: their keys, and the state that their requests leave behind. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgEnum, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, kobo } from './columns.ts';

export const keyKind = pgEnum('key_kind', ['live', 'test', 'admin']);

/** What an operator may set for one app. Unset members take the default given here. */
export interface AppSettings {
  /** Refuse live jobs without `consent`. Default false. */
  consentRequired?: boolean;
  /** The app's share of the dispatcher's window, relative to other apps. Default 1. */
  weight?: number;
  /** Whether the app is offered a cache that apps of the deployment share (`shareCache`). Default `app` (no). */
  cacheScope?: 'app' | 'deployment';
  /** Whether the app shares its cache, if the operator offers that. Default false. */
  shareCache?: boolean;
  /** Whether addresses that the app checks may be disclosed to Have I Been Pwned, and to mail hosts. Default: CONFAM_EMAIL_OUTSIDE, and without that false. */
  emailBreaches?: boolean;
  emailMailboxes?: boolean;
  /** Whether a batch may start when the wallet does not cover all of it. It pauses when the money runs out. Default false. */
  partialRuns?: boolean;
  /** `wallet.low_balance` is sent when the available balance falls below this; naira. Default: never. */
  lowBalance?: number;
  /** Spending caps per day (UTC) and per batch; naira. Default: no limit. */
  dailyCap?: number;
  batchCap?: number;
  /** Requests a minute for each of the app's keys; 0: no limit. Default: CONFAM_REQUESTS_PER_MINUTE. */
  requestsPerMinute?: number;
  /**
   * Misses and mismatches allowed about one subject a day, and over the app's single calls and jobs an hour; 0: no limit. Default: CONFAM_MISSES_PER_SUBJECT
   * and _APP.
   */
  missesPerSubject?: number;
  missesPerApp?: number;
  /** Gigabytes (10^9 bytes) that the app may store, in both modes together; uploads beyond it are refused. Default: no limit. */
  storageGb?: number;
  /** For screenings that set neither: the threshold, 0.5 to 1, and the lists to search. Default: 0.75 and every loaded list. */
  amlThreshold?: number;
  amlLists?: string[];
  /** Match confidence, 0 to 100, for face checks that set none. Default: 90. */
  faceThreshold?: number;
  /** Which results a person must decide about: doubtful faces, liveness that could not be judged, screenings from a risk level on. Default: none. */
  reviews?: { face?: boolean; liveness?: boolean; amlLevel?: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | null; twoPerson?: boolean };
  /** Days that data is kept, by mode and kind. Defaults: `contract/retention.ts`. */
  retention?: { live?: Record<string, number>; test?: Record<string, number> };
  /** Days to keep the pictures of answered face jobs. Default: not kept. */
  keepImagesDays?: number;
  /** A second person must approve the start of a batch whose quote is above this amount, in kobo. Default: no approval is needed. */
  approveStartAboveKobo?: number;
  /** Whether a second person must approve what a person wants to see in clear, or what anybody wants to export as a file. Default false. */
  approveReveal?: boolean;
  approveExport?: boolean;
  /** Whether a person must say why they want to see a job in clear. Default false. */
  revealNeedsReason?: boolean;
  /** Whether people need a second factor to act for the app. Default false. */
  secondFactorRequired?: boolean;
}

/** Members that are absent stay as they are; null restores the default. */
export type SettingsPatch = { [Name in keyof AppSettings]: AppSettings[Name] | null };

export const apps = pgTable('apps', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  settings: jsonb('settings').$type<AppSettings>().notNull().default({}),
  webhookSecret: bytea('webhook_secret').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  disabledAt: instant('disabled_at'),
  /** When the app last stopped sharing its cache; null if it never has. Whether it shares now is in its settings. */
  sharedUntil: instant('shared_until'),
  /** When its deletion was asked for (`lifecycle/app-deletion.ts`). This row stays, so that its id is never reused and the ledger can name the app. */
  deletedAt: instant('deleted_at'),
});

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    /** Null for an admin key, which belongs to the deployment. */
    appId: uuid('app_id').references(() => apps.id),
    kind: keyKind('kind').notNull(),
    hash: bytea('hash').notNull(),
    /** The first characters, so that people can tell keys apart. */
    hint: text('hint').notNull(),
    name: text('name'),
    /** Null: every scope, as keys of earlier releases have. */
    scopes: text('scopes').array(),
    /** Ids of the checks that it may run; null: all. */
    checks: text('checks').array(),
    /** Networks (CIDR) that it may be used from; null: any. */
    addresses: text('addresses').array(),
    /** The most this key may spend a day (UTC). */
    dailyCapKobo: kobo('daily_cap_kobo'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at'),
    /** To the minute. */
    lastUsedAt: instant('last_used_at'),
    /** The key that takes its place. */
    rotatedTo: uuid('rotated_to'),
    /** The person who made it, or who made the key that made it. They cannot approve what it asks for. Null: not known. */
    madeBy: uuid('made_by'),
    /** The key that made it. Null: a person or a command did, or it is not known. */
    madeByKey: uuid('made_by_key'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), check('api_keys_owner', sql`(${t.kind} = 'admin') = (${t.appId} is null)`)],
);

/** Signed links to a batch's files. A link stops working when the key that made it is revoked, or when the person who made it leaves the app. Links from releases without this table have no row here. */
export const links = pgTable(
  'links',
  {
    id: uuid('id').primaryKey(),
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    batchId: uuid('batch_id').notNull(),
    /** Null: a person made it. */
    keyId: uuid('key_id'),
    /** Null for links that people made in earlier releases. */
    personId: uuid('person_id'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
  },
  (t) => [index('links_batch').on(t.batchId, t.id), index('links_expiry').on(t.expiresAt)],
);

/** The stored answer to a POST that carried an Idempotency-Key, replayed to repeats; until there is one, the claim of the request in progress. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Keyed hash of the key: clients may put anything into a key. */
    key: bytea('key').notNull(),
    /** The request that may store its answer here. Another takes over when its lock expires. Null once the answer is stored. */
    claim: uuid('claim'),
    /** The first claim, also the id of the call that it makes. A later one replaces it once that call was not charged and never will be. */
    firstClaim: uuid('first_claim'),
    /** Hash of method, path, query and body. Null, like the answer, while the first request is in progress. */
    fingerprint: bytea('fingerprint'),
    status: smallint('status'),
    headers: jsonb('headers').$type<Record<string, string>>(),
    /** What the key could do that got the answer: it is for no key that may do less. Null: everything. */
    terms: jsonb('terms'),
    /** Ciphertext. */
    body: bytea('body'),
    /** How long the first request is presumed to be still running. */
    lockedUntil: instant('locked_until'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.appId, t.live, t.key] }),
    index('idempotency_expiry').on(t.expiresAt),
    // Finds the answer to the request that created what is being deleted.
    index('idempotency_location')
      .on(t.appId, t.live, sql`(${t.headers} ->> 'Location')`)
      .where(sql`${t.headers} ->> 'Location' is not null`),
  ],
);

/** Look-ups within a window that found nobody or contradicted the record, counted per subject (by HMAC) or per app. */
export const missCounts = pgTable(
  'miss_counts',
  {
    key: bytea('key').notNull(),
    window: instant('window').notNull(),
    misses: integer('misses').notNull(),
    /** The limit when the last one was counted; 0: none. */
    allowed: integer('allowed').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.window] }), index('miss_counts_expiry').on(t.expiresAt)],
);

/** Requests of one key within a window, over all processes. */
export const requestCounts = pgTable(
  'request_counts',
  {
    keyId: uuid('key_id').notNull(),
    window: instant('window').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.keyId, t.window] })],
);
