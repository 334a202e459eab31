/**
 * Writes the audit. A change is recorded in its own transaction, by `record`; a read before its answer goes out, by `Audit.read`, and it is refused if that
 * fails. Refused attempts are recorded too, up to a number a minute for each app: a flood of them must not fill the disk.
 */
import { LRUCache } from 'lru-cache';
import type { Action, Purpose } from '../../contract/audit.ts';
import type { Context, Sql, Tx } from '../../foundation/context.ts';
import { group } from '../../foundation/group.ts';
import type { Actor } from '../actor.ts';

/** Who does it, and how they came. */
export interface Author {
  actor: Actor;
  address: string | null;
  requestId: string | null;
  purpose: Purpose | null;
}

/** What is done, and to what. No member may hold personal data. */
export interface NewAuditEntry {
  /** The app that it concerns, or `DEPLOYMENT`. */
  appId: string;
  /** Null: both modes of the app. */
  live: boolean | null;
  action: Action;
  /** The id of what is read or changed, as clients see it. */
  object: string | null;
  /** HMAC of the person or company (`Cipher.index`). */
  subject?: Buffer | null;
  detail?: Record<string, unknown> | null;
}

export const byOperator = (id: string): Author => ({ actor: { kind: 'operator', id }, address: null, requestId: null, purpose: null });
export const bySystem = (id: string): Author => ({ actor: { kind: 'system', id }, address: null, requestId: null, purpose: null });

/** Records a change in the transaction that makes it. Call it last: it locks the app's chain until the commit. Several entries belong to several chains. */
export async function record(tx: Tx, author: Author, ...entries: NewAuditEntry[]): Promise<void> {
  await append(
    tx,
    entries.map((entry) => ({ author, entry, code: null })),
  );
}

interface AuthoredEntry {
  author: Author;
  entry: NewAuditEntry;
  /** The error code of a refusal. */
  code: string | null;
}

async function append(sql: Sql | Tx, entries: AuthoredEntry[]): Promise<void> {
  const rows = entries.map(({ author, entry, code }, seq) => ({
    app_id: entry.appId,
    seq,
    live: entry.live,
    actor_kind: author.actor.kind,
    actor_id: author.actor.id,
    address: author.address,
    action: entry.action,
    object: entry.object,
    subject: entry.subject ? `\\x${entry.subject.toString('hex')}` : null,
    purpose: author.purpose,
    request_id: author.requestId,
    outcome: code === null ? 'allowed' : 'refused',
    code,
    detail: entry.detail ? JSON.stringify(entry.detail) : null,
  }));
  await sql`select audit_append(${JSON.stringify(rows)}::text::jsonb)`;
}

export interface Audit {
  /** Resolves when the read is recorded; rejects if it cannot be. */
  read(author: Author, entry: NewAuditEntry): Promise<void>;
  /** Records an attempt that was refused with `code`, or counts it. Never rejects. */
  refused(author: Author, entry: NewAuditEntry, code: string): Promise<void>;
  close(): Promise<void>;
}

/** Entries in one statement, whose transaction holds the chains of all their apps. */
const GROUP_MAX = 200;
/** Refused attempts that each process records for each app, a minute. */
export const REFUSALS_MAX = 60;
const MINUTE_MS = 60_000;
const APPS_MAX = 10_000;

interface Refusals {
  count: number;
  timer: NodeJS.Timeout | null;
}

export async function openAudit({ sql, log, process }: Context): Promise<Audit> {
  await createPartitions({ sql });
  const add = group<AuthoredEntry, void>(
    async (entries) => {
      await append(sql, entries);
      return entries.map(() => undefined);
    },
    { itemsMax: GROUP_MAX, flushesMax: 1 },
  );
  const attempt = (entry: AuthoredEntry): Promise<void> =>
    add(entry).catch((error: unknown) => log.warn({ err: error }, 'a refused attempt was not recorded'));
  const refusals = new LRUCache<string, Refusals>({ max: APPS_MAX, dispose: (minute, appId) => endMinute(appId, minute) });
  const endMinute = (appId: string, { count, timer }: Refusals): void => {
    if (timer) clearTimeout(timer);
    if (count <= REFUSALS_MAX) return;
    const entry: NewAuditEntry = { appId, live: null, action: 'audit.unrecorded', object: null, detail: { count: count - REFUSALS_MAX } };
    void attempt({ author: bySystem(process), entry, code: null });
  };
  const minuteOf = (appId: string): Refusals => {
    const current = refusals.get(appId);
    if (current) return current;
    const minute = { count: 0, timer: setTimeout(() => refusals.delete(appId), MINUTE_MS) };
    minute.timer.unref();
    refusals.set(appId, minute);
    return minute;
  };

  return {
    read: (author, entry) => add({ author, entry, code: null }),
    async refused(author, entry, code) {
      const minute = minuteOf(entry.appId);
      minute.count++;
      if (minute.count <= REFUSALS_MAX) await attempt({ author, entry, code });
    },
    async close() {
      refusals.clear();
      await add.idle();
    },
  };
}

/** Creates the partitions of this month and the next two; at most one DDL statement a month has anything to do. */
export async function createPartitions({ sql }: Pick<Context, 'sql'>): Promise<void> {
  await sql`select audit_create_partitions()`;
}
