/**
 * An entry of the audit as it is stored, shown and hashed. The hash covers every other column and the hash of the entry before, as SHA-256 over that hash
 * (32 bytes) and the fields in the order of `hashedFields`, each as its length in bytes, a colon, the value and a comma, or `~` for null.
 */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Action, auditAnswer, Purpose } from '../../contract/audit.ts';
import type { Sql, Tx } from '../../foundation/context.ts';
import { NIL_ID, showId } from '../../foundation/ids.ts';
import type { ActorKind } from '../actor.ts';

/** Stands for the deployment where an entry concerns no app. */
export const DEPLOYMENT = NIL_ID;

/** Before the first entry of a chain. */
export const GENESIS = Buffer.alloc(32);

export interface StoredEntry {
  appId: string;
  seq: number;
  /** `2026-11-22T13:00:00.123456Z` */
  at: string;
  live: boolean | null;
  actorKind: ActorKind;
  actorId: string;
  address: string | null;
  action: Action;
  object: string | null;
  subject: Buffer | null;
  purpose: Purpose | null;
  requestId: string | null;
  outcome: 'allowed' | 'refused';
  code: string | null;
  detail: string | null;
  previous: Buffer;
  hash: Buffer;
}

/** Where a chain stands: an entry, a head or a seal. */
export interface Link {
  seq: number;
  hash: Buffer;
}

/** The columns of `audit_entries e`, with the time as it is hashed. */
export const entryColumns = (sql: Sql | Tx) => sql`
  e.app_id, e.seq, to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.live, e.actor_kind, e.actor_id, e.address, e.action, e.object,
  e.subject, e.purpose, e.request_id, e.outcome, e.code, e.detail, e.previous, e.hash`;

const hashedFields = (entry: StoredEntry): (string | null)[] => [
  entry.appId,
  String(entry.seq),
  entry.at,
  entry.live === null ? null : String(entry.live),
  entry.actorKind,
  entry.actorId,
  entry.address,
  entry.action,
  entry.object,
  entry.subject?.toString('hex') ?? null,
  entry.purpose,
  entry.requestId,
  entry.outcome,
  entry.code,
  entry.detail,
];

/** The hash that this entry must have. */
export function hashOf(entry: StoredEntry): Buffer {
  const text = hashedFields(entry).map((field) => (field === null ? '~' : `${Buffer.byteLength(field)}:${field},`));
  return createHash('sha256').update(entry.previous).update(text.join('')).digest();
}

export function showEntry(entry: StoredEntry): z.infer<typeof auditAnswer> {
  return {
    object: 'audit_entry',
    app: entry.appId === DEPLOYMENT ? null : showId('app', entry.appId),
    seq: entry.seq,
    at: entry.at,
    live: entry.live,
    actor: { kind: entry.actorKind, id: entry.actorId },
    address: entry.address,
    action: entry.action,
    target: entry.object,
    subject: entry.subject?.toString('hex') ?? null,
    purpose: entry.purpose,
    request_id: entry.requestId,
    outcome: entry.outcome,
    code: entry.code,
    detail: entry.detail === null ? null : JSON.parse(entry.detail),
    previous: entry.previous.toString('hex'),
    hash: entry.hash.toString('hex'),
  };
}
