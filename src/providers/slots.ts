/**
 * The slots of a rate that all processes share, in one row of `provider_states` on Postgres's clock.
 *
 * A rate of 50/s is 50 seats, each of which is taken at most once in any 1,042 ms: whatever the order, no second holds more than 50. Each seat carries the time
 * when it was last used. A slot that is used later than planned (a timer, an event loop) moves its own seat and nobody else's, so being late costs only that
 * time of one seat, and no slot is lost. The 42 ms cover what no process reports: lateness below `REPORTED_MS`, and the difference in how long two requests take to
 * reach the vendor, which is greatest while processes warm up or the machine is busy.
 *
 * Slots are also spaced (GCRA, `arrival_at`), so that a second's worth does not come at once. The spacing is a little closer than the rate, so those that
 * were held up by a late seat can catch up.
 */
import type { Sql } from '../foundation/context.ts';
import { group } from '../foundation/group.ts';
import { recordset } from '../foundation/recordset.ts';

/** How a rate is divided into seats. Times are in milliseconds. */
export interface Seats {
  count: number;
  /** From one use of a seat to the next. */
  cycleMs: number;
  /** From slot to slot, if nothing is late. */
  spacingMs: number;
  /** How much earlier than spaced a slot may be. */
  toleranceMs: number;
}

/** How much longer than a second a seat's cycle is: costs 4 % of the rate. With 7 and 14 ms, the vendor saw seconds with one or two requests too many. */
const SLACK_MS = 42;
/** Uses later than this are reported. */
const REPORTED_MS = 2;
const SPACING = 0.98;
const TOLERANCE_MS_MAX = 10;
/** The maximum number of seats. The whole row of them is written with every booking. For a higher rate, seats stand for a part of a second. */
const SEATS_MAX = 256;

/** `burst` slots may fall at the same moment, so up to `burst - 1` more than the rate may fall within one second. */
export function seatsOf(perSecond: number, burst: number): Seats {
  const parts = Math.ceil(perSecond / SEATS_MAX);
  const count = parts === 1 ? Math.ceil(perSecond) : Math.floor(perSecond / parts);
  const intervalMs = (1_000 + SLACK_MS) / (parts === 1 ? perSecond : parts * count);
  const spacingMs = SPACING * intervalMs;
  return {
    count: count + burst - 1,
    cycleMs: (count + burst - 1) * intervalMs,
    spacingMs,
    toleranceMs: (burst - 1) * spacingMs + Math.min(intervalMs / 2, TOLERANCE_MS_MAX),
  };
}

interface Booked {
  /** The database's clock, as all times here in milliseconds since 1970. */
  at: number;
  slots: number[];
  /** When the next slot would be. */
  next: number;
}

interface Booking {
  wanted: number;
  /** No slot that is further away is booked. */
  aheadMs: number;
  /** Replaces the database's clock in tests. */
  at?: number;
}

export async function bookSlots(sql: Sql, name: string, seats: Seats, { wanted, aheadMs, at }: Booking): Promise<Booked> {
  const { count, cycleMs, spacingMs, toleranceMs } = seats;
  for (;;) {
    const rows = await sql<{ at: number; slot: number; granted: boolean }[]>`
      with state as materialized (
        select seats, extract(epoch from arrival_at)::float8 * 1000 as arrival,
          coalesce(${at ?? null}::float8, extract(epoch from clock_timestamp())::float8 * 1000) as at
        from provider_states where name = ${name} for update),
      seat as (
        select used, row_number() over (order by used) as i from (
          select used from (select unnest(seats) as used from state union all select 0 from generate_series(1, ${count}::int)) known
          order by used desc limit ${count}::int) kept),
      free as (
        select i, used, at, arrival, greatest(at, used + ${cycleMs}::float8) as free_at,
          max(greatest(at, used + ${cycleMs}::float8) - (i - 1) * ${spacingMs}::float8) over (order by i) as held_up
        from seat cross join state),
      spaced as (
        select i, used, at, greatest(arrival, held_up) + i * ${spacingMs}::float8 as arrival,
          greatest(free_at, greatest(arrival, lag(held_up) over (order by i)) + (i - 1) * ${spacingMs}::float8 - ${toleranceMs}::float8) as slot
        from free),
      slots as materialized (select i, used, at, arrival, slot, i <= ${wanted}::int and slot - at < ${aheadMs}::float8 as granted from spaced),
      booked as (
        select max(arrival) filter (where granted) as arrival,
          array_agg(case when granted then slot else used end) as seats
        from slots having bool_or(granted)),
      written as (
        update provider_states s set seats = b.seats, arrival_at = to_timestamp(b.arrival / 1000) from booked b where s.name = ${name})
      select at, slot, granted from slots where i <= ${wanted}::int + 1 order by i`;
    if (rows.length === 0) {
      await sql`insert into provider_states (name, arrival_at) values (${name}, 'epoch') on conflict (name) do nothing`;
      continue;
    }
    const slots = rows.filter(({ granted }) => granted).map(({ slot }) => slot);
    return { at: rows[0]!.at, slots, next: rows[slots.length]?.slot ?? slots.at(-1)! + spacingMs };
  }
}

/** A slot that was used later than planned. */
interface LateUse {
  slot: number;
  used: number;
}

export async function moveSeats(sql: Sql, name: string, late: readonly LateUse[]): Promise<void> {
  const moves = recordset(sql, late, { slot: ['float8', (move) => move.slot], used: ['float8', (move) => move.used] });
  await sql`
    update provider_states s set seats = array(select coalesce(m.used, seat) from unnest(s.seats) seat left join ${moves} m on m.slot = seat)
    where name = ${name}`;
}

/** Call `use` as the slot is used. None: there is no slot in time, and the next one is in `afterMs`. */
export type Slot = { use: () => void } | { use: null; afterMs: number };

/** Resolves at the caller's slot, or as soon as it is known that there is none before `until`. */
export type Slots = (isBatch: boolean, until: number) => Promise<Slot>;

/** Batch work books no further ahead, and a call never waits longer than that behind it. */
export const BOOK_AHEAD_MS = 250;
/** Nobody books beyond this part of a cycle: a late use of a slot must be reported before its seat is granted again. */
const AHEAD_MAX = { batch: 0.5, call: 0.75 };
/** A slot that would be used later than this part of a cycle, or 100 ms, is given up. */
const LATE_MAX = 0.125;
const LATE_MS_MAX = 100;
/** A database that is always late must not keep us from ever calling. */
const TRIES = 5;

/** Callers in the same tick share a statement. `now` is the clock of `until`. */
export function openSlots(sql: Sql, name: string, perSecond: number, burst: number, now: () => number): Slots {
  const seats = seatsOf(perSecond, burst);
  const { cycleMs, spacingMs } = seats;
  const clock = new DatabaseClock();
  const lateMs = Math.min(LATE_MS_MAX, LATE_MAX * cycleMs);
  const booking = (aheadMaxMs: number) =>
    // Each caller passes how long it can wait: nobody would use a slot that comes too late.
    group<number, { slot: number | null; againMs: number }>(
      async (callers) => {
        const aheadMs = Math.min(aheadMaxMs, ...callers);
        const asked = now();
        const { at, slots, next } = await bookSlots(sql, name, seats, { wanted: callers.length, aheadMs });
        clock.learn(asked, at, now());
        const againMs = Math.max(next - at - aheadMs / 2, spacingMs / 2, 1);
        return callers.map((_, i) => ({ slot: slots[i] ?? null, againMs }));
      },
      { itemsMax: 200, flushesMax: 1 },
    );
  const book = { batch: booking(Math.min(BOOK_AHEAD_MS, AHEAD_MAX.batch * cycleMs)), call: booking(AHEAD_MAX.call * cycleMs) };
  const report = group<LateUse, null>(
    async (late) => {
      await moveSeats(sql, name, late);
      return late.map(() => null);
    },
    { itemsMax: 200, flushesMax: 1 },
  );

  return async (isBatch, until) => {
    for (let tries = 1; ; ) {
      const left = until - now();
      if (left <= 0) return { use: null, afterMs: 0 };
      const { slot, againMs } = await book[isBatch ? 'batch' : 'call'](left);
      if (slot === null) {
        if (now() + againMs >= until) return { use: null, afterMs: againMs };
        await delay(againMs);
        continue;
      }
      const due = clock.localOf(slot);
      await delay(due - now());
      if (now() - due > lateMs && ++tries <= TRIES) continue;
      // The request is written after some microtasks: the next turn of the event loop is later than that.
      const use = () =>
        void setImmediate(() => {
          const late = now() - due;
          // A database that cannot be reached grants no slots either.
          if (late > REPORTED_MS) report({ slot, used: slot + late }).catch(() => {});
        });
      return { use };
    }
  };
}

/** If a sample of the database's clock is older than this, the clocks may have drifted apart. */
const SAMPLE_MS_MAX = 10_000;

/** The database's clock by our own. Of the samples of the last seconds, the one with the shortest round trip is the most exact. */
class DatabaseClock {
  private best = { offset: 0, tookMs: Number.POSITIVE_INFINITY, learnt: 0 };

  /** The database gave its time as `at`, somewhere between `asked` and `answered` by our clock. */
  learn(asked: number, at: number, answered: number): void {
    const tookMs = answered - asked;
    const isStale = answered - this.best.learnt > SAMPLE_MS_MAX;
    if (isStale || tookMs <= this.best.tookMs) this.best = { offset: (asked + answered) / 2 - at, tookMs, learnt: answered };
  }

  localOf(at: number): number {
    return at + this.best.offset;
  }
}

export const delay = (ms: number): Promise<void> =>
  ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, Math.ceil(ms)));
