/** The ledger as an app sees it: its entries, newest first, a page at a time or all of them as CSV. */
import type { z } from 'zod';
import { naira, showInstant } from '../contract/fields.ts';
import type { entryAnswer } from '../contract/money.ts';
import type { Context } from '../foundation/context.ts';
import { pagesOf } from '../foundation/cursor.ts';
import { showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { csvLine } from '../rows/csv.ts';
import type { ledgerEntries, ledgerKind } from '../schema/money.ts';
import type { WalletKey } from './ledger.ts';

export interface EntryFilter {
  kind: (typeof ledgerKind.enumValues)[number] | null;
  /** ISO times; `until` is exclusive. */
  since: string | null;
  until: string | null;
}

type EntryRow = typeof ledgerEntries.$inferSelect & { batchId: string | null };

/** Null if the cursor does not belong to this list. */
export async function readEntries(
  ctx: Context,
  wallet: WalletKey,
  filter: EntryFilter,
  { cursor, limit }: { cursor: string | null; limit: number },
) {
  const pages = pagesOf(ctx.cipher, `entries ${wallet.appId} ${wallet.live}`);
  const position = pages.begin(cursor);
  if (position === undefined) return null;
  const rows = await readPage(ctx, wallet, filter, position === null ? null : Number(position), limit + 1);
  const { page, nextCursor } = pages.page(rows, limit, ({ id }) => String(id));
  return { entries: page.map(showEntry), nextCursor };
}

/** Entries read at a time: bounds a download's memory, whatever its size. */
const PAGE_ENTRIES = 1_000;
const COLUMNS = ['id', 'at', 'kind', 'from', 'to', 'amount', 'batch', 'job', 'note', 'check', 'jobs'] as const;

/** CSV of all matching entries, a page at a time. Each page is a query of its own, so a slow reader holds no transaction open. */
export async function* streamEntries(ctx: Context, wallet: WalletKey, filter: EntryFilter): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let before: number | null = null; ; ) {
    const rows = await readPage(ctx, wallet, filter, before, PAGE_ENTRIES);
    yield rows
      .map(showEntry)
      .map((entry) => csvLine(COLUMNS.map((column) => entry[column])))
      .join('');
    if (rows.length < PAGE_ENTRIES) return;
    before = rows.at(-1)!.id;
  }
}

async function readPage(
  ctx: Context,
  { appId, live }: WalletKey,
  { kind, since, until }: EntryFilter,
  before: number | null,
  limit: number,
): Promise<EntryRow[]> {
  const { sql } = ctx;
  return sql<EntryRow[]>`
    select e.*, b.id as batch_id
    from (
      select * from ledger_entries
      where app_id = ${appId} and live = ${live} and id < ${before ?? Number.MAX_SAFE_INTEGER}
        ${narrowed(sql, [kind !== null && sql`kind = ${kind}::text::ledger_kind`])}
        and at >= ${since ?? '-infinity'}::timestamptz and at < ${until ?? 'infinity'}::timestamptz
      order by id desc limit ${limit}) e
    left join batches b on b.id = e.hold_id
    order by e.id desc`;
}

/** A hold has the id of its batch, job or single call; the record of a single call is a job. */
function showEntry({
  id,
  at,
  kind,
  fromAccount,
  toAccount,
  amountKobo,
  holdId,
  jobId,
  batchId,
  checkId,
  jobs,
  note,
}: EntryRow): z.infer<typeof entryAnswer> {
  const job = jobId ?? (batchId === null ? holdId : null);
  return {
    id: `ent_${id}`,
    at: showInstant(at),
    kind,
    from: fromAccount,
    to: toAccount,
    amount: naira(amountKobo),
    batch: batchId === null ? null : showId('bat', batchId),
    job: job === null ? null : showId('job', job),
    check: checkId,
    jobs: kind === 'capture' ? (jobs ?? 1) : null,
    note,
  };
}
