/**
 * Leader election: one process at a time does a kind of work, for as long as it renews its lead. The lead is a lease on Postgres's clock with a token that
 * grows with each new leader. Every transaction of a leader ends by checking its token, under a lock that pins the lead until the commit. A leader that
 * was stopped and wakes up after another took over therefore commits nothing.
 */
import type { Context, Sql, Tx } from './context.ts';

/** A leader that does not renew for this long loses the lead. */
const LEAD_MS = 3_000;
/** A lead is not renewed more often than this. */
const RENEW_MS = 750;

export type Fragment = ReturnType<Sql>;

/** Called last in a transaction. Throws `LeadLost`, so that nothing is committed. */
export type Fence = (tx: Tx) => Promise<void>;

export class LeadLost extends Error {
  constructor() {
    super('another process leads');
  }
}

export interface Lead {
  fence: Fence;
  /** For a statement that is its own transaction: a condition that this lead still holds. */
  holds(): Fragment;
  /** Throws `LeadLost`. Call it more often than `LEAD_MS`; it only queries Postgres now and then. */
  renew(): Promise<void>;
  /** Lets another process lead at once. */
  release(): Promise<void>;
}

/** Null: another process leads. */
export async function takeLead({ sql }: Pick<Context, 'sql'>, name: string): Promise<Lead | null> {
  const [taken] = await sql<{ token: number }[]>`
    insert into leads as l (name, token, held_until) values (${name}, 1, now() + ${LEAD_MS} * interval '1 millisecond')
    on conflict (name) do update set token = l.token + 1, held_until = excluded.held_until where l.held_until < now()
    returning token`;
  return taken ? openLead(sql, name, taken.token) : null;
}

function openLead(sql: Sql, name: string, token: number): Lead {
  let renewedAt = performance.now();
  return {
    holds: () => sql`exists (select 1 from leads where name = ${name} and token = ${token})`,
    async fence(tx) {
      const [ours] = await tx`select 1 from leads where name = ${name} and token = ${token} for share`;
      if (!ours) throw new LeadLost();
    },
    async renew() {
      if (performance.now() - renewedAt < RENEW_MS) return;
      const renewed = await sql`
        update leads set held_until = now() + ${LEAD_MS} * interval '1 millisecond' where name = ${name} and token = ${token}`;
      if (renewed.count === 0) throw new LeadLost();
      renewedAt = performance.now();
    },
    release: async () => void (await sql`update leads set held_until = now() where name = ${name} and token = ${token}`),
  };
}
