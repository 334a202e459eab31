/**
 * Column types that the tables of this folder share. Postgres owns every fact: a row is announced only after its commit. Append-only rules (ledger) and
 * storage settings are in the hand-written SQL migrations beside the generated ones (`drizzle/`).
 *
 * Identifiers of people are never stored in the clear: inputs, entities and records are AES-256-GCM ciphertext (`foundation/crypto.ts`), and a subject is found
 * again only by its keyed HMAC.
 */
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
/** Money is an integer number of kobo (₦1 = 100 kobo); bigint columns read as JS numbers, exact up to 2^53 kobo. */
export const kobo = (name: string) => bigint(name, { mode: 'number' });
