/** Reads the audit: a page at a time, newest first, or everything that matches as CSV. */
import { type AuditQuery, auditAnswer } from '../../contract/audit.ts';
import type { Context } from '../../foundation/context.ts';
import { pagesOf } from '../../foundation/cursor.ts';
import { narrowed } from '../../foundation/lists.ts';
import { csvLine } from '../../rows/csv.ts';
import { entryColumns, type StoredEntry, showEntry } from './entry.ts';

/** Whose entries: all apps, one app, or one app as one of its modes sees it (entries of the other mode are hidden). */
export interface AuditScope {
  appId: string | null;
  live: boolean | null;
}

type Filter = Partial<Pick<AuditQuery, 'since' | 'until' | 'action' | 'actor' | 'object' | 'outcome' | 'purpose'>>;

/** After which entry a page begins. */
interface Position {
  at: string;
  appId: string;
  seq: number;
}

/** Null if the cursor does not belong to this list. */
export async function readAudit(ctx: Context, scope: AuditScope, query: Filter & { cursor?: string | undefined; limit: number }) {
  const pages = pagesOf(ctx.cipher, `audit ${scope.appId} ${scope.live}`);
  const position = pages.begin(query.cursor);
  if (position === undefined) return null;
  const rows = await readPage(ctx, scope, query, position === null ? null : parsePosition(position), query.limit + 1);
  const { page, nextCursor } = pages.page(rows, query.limit, ({ at, appId, seq }) => `${at} ${appId} ${seq}`);
  return { entries: page.map(showEntry), nextCursor };
}

const parsePosition = (text: string): Position => {
  const [at, appId, seq] = text.split(' ') as [string, string, string];
  return { at, appId, seq: Number(seq) };
};

/** Entries read at a time: bounds a download's memory, whatever its size. */
const PAGE_ENTRIES = 1_000;
const COLUMNS = Object.keys(auditAnswer.shape).filter((name) => name !== 'object' && name !== 'actor');

/** CSV of all that matches. Each page is a query of its own, so a slow reader holds no transaction open. */
export async function* streamAudit(ctx: Context, scope: AuditScope, filter: Filter): AsyncGenerator<string> {
  yield csvLine([...COLUMNS, 'actor_kind', 'actor_id']);
  for (let position: Position | null = null; ; ) {
    const rows: StoredEntry[] = await readPage(ctx, scope, filter, position, PAGE_ENTRIES);
    yield rows.map(asCsv).join('');
    if (rows.length < PAGE_ENTRIES) return;
    position = rows.at(-1)!;
  }
}

function asCsv(entry: StoredEntry): string {
  const shown: Record<string, unknown> = { ...showEntry(entry), detail: entry.detail };
  const cells = COLUMNS.map((name) => shown[name] as string | number | boolean | null);
  return csvLine([...cells.map((cell) => (typeof cell === 'boolean' ? String(cell) : cell)), entry.actorKind, entry.actorId]);
}

/** Ordered by time, then by chain, so that the page of one app and that of all are read from an index. */
async function readPage(
  { sql }: Context,
  { appId, live }: AuditScope,
  { since, until, action, actor, object, outcome, purpose }: Filter,
  before: Position | null,
  limit: number,
): Promise<StoredEntry[]> {
  return sql<StoredEntry[]>`
    select ${entryColumns(sql)} from audit_entries e
    where e.at >= ${since ?? '-infinity'}::timestamptz and e.at < ${until ?? 'infinity'}::timestamptz
      ${narrowed(sql, [
        appId !== null && sql`e.app_id = ${appId}`,
        live !== null && sql`(e.live is null or e.live = ${live})`,
        action !== undefined && sql`e.action = ${action}`,
        actor !== undefined && sql`e.actor_id = ${actor}`,
        object !== undefined && sql`e.object = ${object}`,
        outcome !== undefined && sql`e.outcome = ${outcome}`,
        purpose !== undefined && sql`e.purpose = ${purpose}`,
        before !== null && sql`(e.at, e.app_id, e.seq) < (${before.at}::timestamptz, ${before.appId}::uuid, ${before.seq}::bigint)`,
      ])}
    order by e.at desc, e.app_id desc, e.seq desc limit ${limit}`;
}
