/**
 * The statement of a month (UTC): opening balance, movements, closing balance. It is computed backwards from the current balance in one snapshot, so a
 * recent month costs little. Charges by check come from the usage, which is counted in the same transactions.
 */
import { bound, type Context } from '../foundation/context.ts';
import type { ledgerKind } from '../schema/money.ts';
import type { WalletKey } from './ledger.ts';
import { readUsage } from './usage.ts';

type LedgerKind = (typeof ledgerKind.enumValues)[number];

interface Balance {
  availableKobo: number;
  heldKobo: number;
}

interface Movement {
  count: number;
  kobo: number;
}

export interface Statement {
  opening: Balance;
  topUps: Movement;
  /** From available to held, and back. */
  holds: Movement;
  releases: Movement;
  /** From held, or straight from available (cached answers of single calls). */
  charges: Movement & { fromAvailableKobo: number };
  byCheck: (Movement & { checkId: string })[];
  closing: Balance;
}

/** Entries of the ledger, summed by kind and by the account that they were taken from. */
interface Move extends Movement {
  kind: LedgerKind;
  fromAvailable: boolean;
}

/** `month`: `YYYY-MM`. Null if the month has not begun. */
export async function readStatement(ctx: Context, wallet: WalletKey, month: string): Promise<Statement | null> {
  const { appId, live } = wallet;
  const first = `${month}-01`;
  return ctx.sql.begin('isolation level repeatable read read only', async (tx) => {
    // For an old month, all entries since then are added up.
    await bound(tx, 'large');
    const [limits] = await tx<{ start: string; end: string; last: string; begun: boolean }[]>`
      select d::text as start, (d + interval '1 month')::text as "end", (d + interval '1 month' - interval '1 day')::date::text as last,
             d <= now() at time zone 'utc' as begun
      from (select ${first}::text::timestamp as d) t`;
    if (!limits!.begun) return null;
    const usage = await readUsage(tx, wallet, { from: first, to: limits!.last, byDay: false, byCheck: true });
    const [now] = await tx<Balance[]>`
      select available_kobo, held_kobo - coalesce((select sum(captured_kobo) from holds
               where app_id = ${appId} and live = ${live} and released_at is null), 0)::bigint as held_kobo
      from wallets where app_id = ${appId} and live = ${live}`;
    const moves = await tx<(Move & { later: boolean })[]>`
      select at >= ${limits!.end}::text::timestamp at time zone 'utc' as later, kind, from_account = 'available' as from_available,
             sum(case when kind = 'capture' then coalesce(jobs, 1) else 1 end)::bigint as count, sum(amount_kobo)::bigint as kobo
      from ledger_entries where app_id = ${appId} and live = ${live} and at >= ${limits!.start}::text::timestamp at time zone 'utc'
      group by 1, 2, 3`;
    const [during, since] = [moves.filter((move) => !move.later), moves.filter((move) => move.later)];
    const closing = balanceBefore(now ?? { availableKobo: 0, heldKobo: 0 }, since);
    return {
      opening: balanceBefore(closing, during),
      topUps: sum(during, 'topup'),
      holds: sum(during, 'hold'),
      releases: sum(during, 'release'),
      charges: { ...sum(during, 'capture'), fromAvailableKobo: sum(during, 'capture', 'available').kobo },
      byCheck: usage.filter((u) => u.charged > 0).map((u) => ({ checkId: u.checkId!, count: u.charged, kobo: u.billedKobo })),
      closing,
    };
  });
}

function sum(moves: readonly Move[], kind: LedgerKind, from?: 'available' | 'held'): Movement {
  const fit = moves.filter((move) => move.kind === kind && (from === undefined || move.fromAvailable === (from === 'available')));
  return { count: fit.reduce((n, move) => n + move.count, 0), kobo: fit.reduce((n, move) => n + move.kobo, 0) };
}

/** What the balance was before it moved. */
const balanceBefore = ({ availableKobo, heldKobo }: Balance, moves: readonly Move[]): Balance => ({
  availableKobo:
    availableKobo -
    sum(moves, 'topup').kobo +
    sum(moves, 'hold').kobo -
    sum(moves, 'release').kobo +
    sum(moves, 'capture', 'available').kobo +
    sum(moves, 'refund').kobo +
    sum(moves, 'write_off').kobo,
  heldKobo: heldKobo - sum(moves, 'hold').kobo + sum(moves, 'release').kobo + sum(moves, 'capture', 'held').kobo,
});
