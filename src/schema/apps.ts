/** The tables of apps: their keys, and what requests leave with them. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgEnum, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, kobo } from './columns.ts';

export const keyKind = pgEnum('key_kind', ['live', 'test', 'admin']);

/** What an operator may set per app. Unset members take the default given here. */
export interface AppSettings {
  /** Refuse live jobs without `consent`. Default false. */
  consentRequired?: boolean;
  /** Share of the dispatcher's window relative to other apps. Default 1. */
  weight?: number;
  /** May this app be answered from look-ups that other apps paid for? Default `app` (no). */
  cacheScope?: 'app' | 'deployment';
  /** May a batch begin that the wallet does not cover as a whole? It pauses when the money runs out. Default false. */
  partialRuns?: boolean;
  /** `wallet.low_balance` is told when what is available falls below; naira. Default: never. */
  lowBalance?: number;
  /** Most that may be spent a day (UTC), and by one batch; naira. Default: no limit. */
  dailyCap?: number;
  batchCap?: number;
  /** Requests a minute that each of the app's keys may make; 0: no limit. Default: CONFAM_REQUESTS_PER_MINUTE. */
  requestsPerMinute?: number;
  /** Misses and mismatches about one subject a day, and of single calls and jobs an hour; 0: no limit. Default: CONFAM_MISSES_PER_SUBJECT and _APP. */
  missesPerSubject?: number;
  missesPerApp?: number;
  /** Of screenings that do not say it themselves: 0.5 to 1, and the lists to look into. Default: 0.75, every list that is loaded. */
  amlThreshold?: number;
  amlLists?: string[];
  /** Confidence of a match, 0 to 100, of face checks that do not say it themselves. Default: 90. */
  faceThreshold?: number;
  /** Days for which the pictures of face jobs are kept that were answered. Default: none are. */
  keepImagesDays?: number;
}

export const apps = pgTable('apps', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  settings: jsonb('settings').$type<AppSettings>().notNull().default({}),
  webhookSecret: bytea('webhook_secret').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  disabledAt: instant('disabled_at'),
});

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    /** Null for an admin key, which belongs to the deployment. */
    appId: uuid('app_id').references(() => apps.id),
    kind: keyKind('kind').notNull(),
    hash: bytea('hash').notNull(),
    /** The first characters, for people to tell keys apart. */
    hint: text('hint').notNull(),
    /** Most that this key may spend a day (UTC). */
    dailyCapKobo: kobo('daily_cap_kobo'),
    createdAt: instant('created_at').notNull().defaultNow(),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), check('api_keys_owner', sql`(${t.kind} = 'admin') = (${t.appId} is null)`)],
);

/** Answers of POST requests that carried an Idempotency-Key, to be given again; while the first one is under way, its claim. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    appId: uuid('app_id').notNull(),
    live: boolean('live').notNull(),
    /** Keyed hash of the key: it may hold anything. */
    key: bytea('key').notNull(),
    /** Of the request that may keep its answer here; another one's takes its place when the lock runs out. Null once there is an answer. */
    claim: uuid('claim'),
    /** Of method, path, query and body. Null while the first request is under way, as is the answer. */
    fingerprint: bytea('fingerprint'),
    status: smallint('status'),
    headers: jsonb('headers').$type<Record<string, string>>(),
    /** Ciphertext. */
    body: bytea('body'),
    /** Until when the first request is believed to be under way. */
    lockedUntil: instant('locked_until'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.appId, t.live, t.key] }), index('idempotency_expiry').on(t.expiresAt)],
);

/** Questions that found nobody or contradicted the record, about a subject (by its HMAC) or of an app, within a window. */
export const missCounts = pgTable(
  'miss_counts',
  {
    key: bytea('key').notNull(),
    window: instant('window').notNull(),
    misses: integer('misses').notNull(),
    /** The limit as of the last one; 0: none. */
    allowed: integer('allowed').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.window] }), index('miss_counts_expiry').on(t.expiresAt)],
);

/** Requests of a key within a window, over all processes. */
export const requestCounts = pgTable(
  'request_counts',
  {
    keyId: uuid('key_id').notNull(),
    window: instant('window').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.keyId, t.window] })],
);
