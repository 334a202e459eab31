/** The charges of batches as an app sees them: a line for each batch, check and price, newest batch first. The entries behind them: `entries.ts`. */
import type { z } from 'zod';
import type { Owner } from '../access/owner.ts';
import { openAbout } from '../contract/about.ts';
import { naira, showInstant } from '../contract/fields.ts';
import type { batchChargeAnswer } from '../contract/money.ts';
import type { Context } from '../foundation/context.ts';
import { pagesOf } from '../foundation/cursor.ts';
import { showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { csvLine } from '../rows/csv.ts';

/** `terms`: those of the key that asks. */
type Asking = Pick<Owner, 'appId' | 'live' | 'terms'>;

/** When the batch was submitted: ISO times; `until` is exclusive. */
interface Period {
  since: string | null;
  until: string | null;
}

interface ChargeRow {
  batch: string;
  /** What the client said about the batch: sealed, or its reference in the clear as earlier releases stored it. */
  about: Buffer | null;
  reference: string | null;
  checkId: string | null;
  priceKobo: number;
  jobs: number;
  kobo: number;
  firstAt: string;
  lastAt: string;
}

/** Null if the cursor does not belong to this list. */
export async function readBatchCharges(
  ctx: Context,
  asking: Asking,
  period: Period,
  { cursor, limit }: { cursor: string | null; limit: number },
) {
  const pages = pagesOf(ctx.cipher, `batch-charges ${asking.appId} ${asking.live}`);
  const position = pages.begin(cursor);
  if (position === undefined) return null;
  const { page, nextCursor } = pages.page(await readPage(ctx, asking, period, position, limit + 1), limit, positionOf);
  return { charges: await showCharges(ctx, asking, page), nextCursor };
}

const PAGE_LINES = 1_000;
const COLUMNS = ['batch', 'kind', 'check', 'price', 'jobs', 'amount', 'first_at', 'last_at', 'jobs_url', 'reference'] as const;

/** CSV of all of them, a page at a time. */
export async function* streamBatchCharges(ctx: Context, asking: Asking, period: Period): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let after: string | null = null; ; ) {
    const rows: ChargeRow[] = await readPage(ctx, asking, period, after, PAGE_LINES);
    const charges = await showCharges(ctx, asking, rows);
    yield charges.map((charge) => csvLine(COLUMNS.map((column) => charge[column]))).join('');
    if (rows.length < PAGE_LINES) return;
    after = positionOf(rows.at(-1)!);
  }
}

const positionOf = ({ batch, checkId, priceKobo }: ChargeRow): string => `${batch} ${checkId ?? ''} ${priceKobo}`;

/**
 * Each batch that was billed has at least one line, so the lines come from as many batches as there are lines, and the batch where the last page ended. The index
 * `ledger_batch_captures` has nothing but these entries; captures of earlier releases name a job each, and not always their check.
 */
async function readPage(
  { sql }: Context,
  { appId, live }: Asking,
  { since, until }: Period,
  after: string | null,
  limit: number,
): Promise<ChargeRow[]> {
  const [batch = null, check = '', price = '0'] = after?.split(' ') ?? [];
  const rows = await sql<ChargeRow[]>`
    select b.id as batch, b.about, b.reference, c.check_id, c.price_kobo, c.jobs, c.kobo, c.first_at, c.last_at
    from (
      select id, about, reference from batches
      where ${ownedBy(sql, { appId, live })} and billed_kobo > 0 ${narrowed(sql, [batch !== null && sql`id <= ${batch}`])}
        and created_at >= ${since ?? '-infinity'}::timestamptz and created_at < ${until ?? 'infinity'}::timestamptz
      order by live desc, id desc limit ${limit + 1}) b
    cross join lateral (
      select coalesce(e.check_id, j.check_id) as check_id, (e.amount_kobo / coalesce(e.jobs, 1))::int as price_kobo, sum(coalesce(e.jobs, 1))::int as jobs,
        sum(e.amount_kobo)::bigint as kobo, min(e.at) as first_at, max(e.at) as last_at
      from ledger_entries e left join jobs j on e.check_id is null and j.id = e.job_id
      where e.hold_id = b.id and e.kind = 'capture' and (e.job_id is null or e.job_id <> e.hold_id) and e.app_id = ${appId} and e.live = ${live}
      group by 1, 2) c
    where b.id is distinct from ${batch}::uuid or (coalesce(c.check_id, ''), c.price_kobo) > (${check}::text, ${Number(price)}::int)
    order by b.id desc, coalesce(c.check_id, ''), c.price_kobo limit ${limit}`;
  return [...rows];
}

type Charge = z.infer<typeof batchChargeAnswer>;

/** A reference may be personal data, so a key that may not read results does not see it. */
async function showCharges({ cipher }: Context, { terms }: Asking, rows: readonly ChargeRow[]): Promise<Charge[]> {
  if (terms?.scopes && !terms.scopes.includes('results:read')) return rows.map((row) => showCharge(row, null));
  const opener = await cipher.opener(rows.map(({ about }) => about));
  return rows.map((row) => showCharge(row, openAbout(opener, showId('bat', row.batch), row.about).reference ?? row.reference));
}

function showCharge({ batch, checkId, priceKobo, jobs, kobo, firstAt, lastAt }: ChargeRow, reference: string | null): Charge {
  const id = showId('bat', batch);
  const price = naira(priceKobo);
  return {
    batch: id,
    reference,
    kind: 'capture',
    check: checkId,
    price,
    jobs,
    amount: naira(kobo),
    first_at: showInstant(firstAt),
    last_at: showInstant(lastAt),
    jobs_url: `/api/v1/batches/${id}/jobs?${checkId === null ? '' : `check=${checkId}&`}billed=${price}`,
  };
}
