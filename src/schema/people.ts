/**
 * The tables of people who sign in. E-mail addresses, names and TOTP secrets are ciphertext; an address is found by its keyed HMAC. Tokens, links and recovery
 * codes are kept as hashes only.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgEnum, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { apps } from './apps.ts';
import { bytea, instant } from './columns.ts';

/** What a person may do in an app; each role includes those before it. */
export const personRole = pgEnum('person_role', ['viewer', 'operator', 'approver', 'owner']);
export const linkKind = pgEnum('person_link_kind', ['invitation', 'sign_in']);
export const challengeKind = pgEnum('sign_in_challenge_kind', ['passkey_registration', 'passkey', 'oidc']);

export const people = pgTable(
  'people',
  {
    id: uuid('id').primaryKey(),
    emailIndex: bytea('email_index').notNull(),
    email: bytea('email').notNull(),
    name: bytea('name'),
    /** The argon2id hash, encrypted: a copy of the database alone is not enough to guess passwords. */
    password: bytea('password'),
    totp: bytea('totp'),
    /** A secret that is not in use until its owner has shown a code of it. */
    totpPending: bytea('totp_pending'),
    /** The time step of the last code that was accepted: a code works once. */
    totpStep: bigint('totp_step', { mode: 'number' }),
    /** Keyed HMAC of issuer and subject at the OIDC provider. */
    oidcIndex: bytea('oidc_index'),
    /** Administers the deployment. */
    administrator: boolean('administrator').notNull().default(false),
    /** Who invited them to administer it, as the audit names actors. Null: nobody yet, or not known. */
    administratorBy: text('administrator_by'),
    createdAt: instant('created_at').notNull().defaultNow(),
    disabledAt: instant('disabled_at'),
  },
  (t) => [uniqueIndex('people_email').on(t.emailIndex), uniqueIndex('people_oidc').on(t.oidcIndex)],
);

/** Who belongs to which app. Without `accepted_at` it is an invitation, which allows nothing. */
export const appPeople = pgTable(
  'app_people',
  {
    appId: uuid('app_id')
      .notNull()
      .references(() => apps.id, { onDelete: 'cascade' }),
    personId: uuid('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    role: personRole('role').notNull(),
    /** Who invited them, and who gave them the role that they have, as the audit names actors. Null: not known. */
    invitedBy: text('invited_by'),
    roleBy: text('role_by'),
    createdAt: instant('created_at').notNull().defaultNow(),
    acceptedAt: instant('accepted_at'),
  },
  (t) => [primaryKey({ columns: [t.appId, t.personId] }), index('app_people_person').on(t.personId)],
);

/** One-time links. An invitation without an app is one to administer the deployment. */
export const personLinks = pgTable(
  'person_links',
  {
    hash: bytea('hash').primaryKey(),
    kind: linkKind('kind').notNull(),
    personId: uuid('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    appId: uuid('app_id').references(() => apps.id, { onDelete: 'cascade' }),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('person_links_person').on(t.personId),
    index('person_links_expiry').on(t.expiresAt),
    check('person_links_app', sql`${t.kind} = 'invitation' or ${t.appId} is null`),
  ],
);

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    personId: uuid('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    hash: bytea('hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.personId, t.hash] })],
);

export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    personId: uuid('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    credentialId: bytea('credential_id').notNull(),
    publicKey: bytea('public_key').notNull(),
    /** Its signatures so far; 0 for authenticators that do not count. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    /** What its owner calls it; ciphertext. */
    name: bytea('name').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    usedAt: instant('used_at'),
  },
  (t) => [uniqueIndex('passkeys_credential').on(t.credentialId), index('passkeys_person').on(t.personId)],
);

/** What a browser has to answer: the challenge of a passkey, or the state of an OIDC sign-in. Each is deleted when it is answered. */
export const signInChallenges = pgTable(
  'sign_in_challenges',
  {
    hash: bytea('hash').primaryKey(),
    kind: challengeKind('kind').notNull(),
    personId: uuid('person_id').references(() => people.id, { onDelete: 'cascade' }),
    /** Ciphertext: the nonce and the code verifier of an OIDC sign-in. */
    data: bytea('data'),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sign_in_challenges_expiry').on(t.expiresAt)],
);

/** Failed attempts to sign in, by keyed HMAC of the network, the address or the browser that they count for. */
export const signInFailures = pgTable(
  'sign_in_failures',
  {
    key: bytea('key').primaryKey(),
    failures: integer('failures').notNull(),
    waitUntil: instant('wait_until'),
    failedAt: instant('failed_at').notNull().defaultNow(),
  },
  (t) => [index('sign_in_failures_failed').on(t.failedAt)],
);

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    personId: uuid('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    hash: bytea('hash').notNull(),
    /** The hash before the last rotation; accepted a little longer for requests that were on their way. */
    previousHash: bytea('previous_hash'),
    rotatedAt: instant('rotated_at').notNull().defaultNow(),
    method: text('method').notNull(),
    /** The person has set up a second factor in this session, and so has shown it. */
    enrolled: boolean('enrolled').notNull().default(false),
    /** Ciphertext: address and browser at sign-in. */
    about: bytea('about').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    seenAt: instant('seen_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('sessions_hash').on(t.hash),
    index('sessions_previous').on(t.previousHash),
    index('sessions_person').on(t.personId),
    index('sessions_seen').on(t.seenAt),
  ],
);
