/**
 * Checks that the audit is whole: each chain from its first entry to its head, and the seals. It recomputes every hash itself and trusts no function of the
 * database. `sealHeads` signs the heads with a key that the database does not have.
 */

import type { Context, Sql } from '../../foundation/context.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { showId } from '../../foundation/ids.ts';
import { recordset } from '../../foundation/recordset.ts';
import { DEPLOYMENT, entryColumns, GENESIS, hashOf, type Link, type StoredEntry } from './entry.ts';
import { findRetirement, type Retirement } from './retirement.ts';

export interface AuditProblem {
  /** `app_…` or `deployment`. */
  chain: string;
  seq: number;
  /** The last of several entries in a row that are missing. */
  to?: number;
  what: 'changed' | 'missing' | 'inserted' | 'unlinked' | 'rewritten' | 'seal_forged';
}

export interface AuditReport {
  chains: number;
  entries: number;
  problems: AuditProblem[];
  /** The beginnings of chains that are gone as recorded (`retirement.ts`): up to the entry `to`, of `month` and earlier ones, recorded `at`. */
  retired: { chain: string; to: number; month: string; at: string }[];
  /** False: there are so many problems that not all were looked for. */
  complete: boolean;
}

interface Seal extends Link {
  signature: Buffer;
}

interface Chain {
  appId: string;
  /** Null: there are entries, but no head. */
  head: Link | null;
  seal: Seal | null;
}

/** Entries read at a time. */
const PAGE = 2_000;
/** Problems reported at most; one more is not worth the memory. */
const PROBLEMS_MAX = 1_000;

/** `copy`: an earlier output of `confam audit export`, kept out of reach of anybody who can change the database. Only a copy can show that a chain was removed together with its seal. */
export async function verifyAudit(ctx: Pick<Context, 'sql' | 'cipher'>, copy?: AsyncIterable<CopiedEntry>): Promise<AuditReport> {
  const report: AuditReport = { chains: 0, entries: 0, problems: [], retired: [], complete: true };
  const retired = new Map<string, Link>();
  for (const chain of await readChains(ctx.sql)) {
    report.chains++;
    const retirement = await verifyChain(ctx, chain, report);
    if (retirement) retired.set(chain.appId, retirement);
    if (report.problems.length >= PROBLEMS_MAX) break;
  }
  if (copy) await compareWithCopy(ctx.sql, copy, retired, report);
  report.complete = report.problems.length < PROBLEMS_MAX;
  return report;
}

/** An entry of a copy: which one it is, and its hash. */
export interface CopiedEntry extends Link {
  appId: string;
}

/** Each entry of the copy must be in the database with the same hash, unless it was retired. */
async function compareWithCopy(
  sql: Sql,
  copy: AsyncIterable<CopiedEntry>,
  retired: Map<string, Link>,
  { problems }: AuditReport,
): Promise<void> {
  const before = [...problems];
  const isKnown = (found: AuditProblem): boolean =>
    before.some(({ chain, seq, to = seq, what }) => chain === found.chain && what === found.what && seq <= found.seq && found.seq <= to);
  /** The chain may be gone as a whole: the gap is one problem here, too. */
  const isNextInGap = (last: AuditProblem | undefined, found: AuditProblem): last is AuditProblem =>
    last?.what === 'missing' && found.what === 'missing' && last.chain === found.chain && (last.to ?? last.seq) === found.seq - 1;
  const compare = async (entries: CopiedEntry[]): Promise<void> => {
    const differing = await sql<{ appId: string; seq: number; isMissing: boolean }[]>`
      select c.app_id, c.seq, e.seq is null as is_missing
      from ${recordset(sql, entries, { app_id: ['uuid', (e) => e.appId], seq: ['bigint', (e) => e.seq], hash: ['bytea', (e) => e.hash] })} c
      left join audit_entries e on e.app_id = c.app_id and e.seq = c.seq
      where e.hash is distinct from c.hash order by c.app_id, c.seq`;
    for (const { appId, seq, isMissing } of differing) {
      const found: AuditProblem = { chain: chainName(appId), seq: Number(seq), what: isMissing ? 'missing' : 'rewritten' };
      if (isKnown(found)) continue;
      const last = problems.at(-1);
      if (isNextInGap(last, found)) last.to = found.seq;
      else if (problems.length < PROBLEMS_MAX) problems.push(found);
    }
  };
  const isRetired = ({ appId, seq, hash }: CopiedEntry): boolean => {
    const to = retired.get(appId);
    return to !== undefined && (seq < to.seq || (seq === to.seq && hash.equals(to.hash)));
  };
  let page: CopiedEntry[] = [];
  for await (const entry of copy) {
    if (isRetired(entry) || page.push(entry) < PAGE) continue;
    await compare(page);
    page = [];
  }
  await compare(page);
}

export const chainName = (appId: string): string => (appId === DEPLOYMENT ? 'deployment' : showId('app', appId));

/** Every app with an entry, a head or a seal. */
async function readChains(sql: Sql): Promise<Chain[]> {
  // Walks the index from app to app instead of reading every entry.
  const rows = await sql<Chain[]>`
    with recursive found as (
      (select app_id from audit_entries order by app_id limit 1)
      union all
      select (select e.app_id from audit_entries e where e.app_id > f.app_id order by e.app_id limit 1) from found f where f.app_id is not null),
    every as (
      select app_id from found where app_id is not null union select app_id from audit_heads union select app_id from audit_seals)
    select every.app_id,
      case when h.app_id is not null then jsonb_build_object('seq', h.seq, 'hash', encode(h.hash, 'hex')) end as head,
      case when s.app_id is not null then jsonb_build_object('seq', s.seq, 'hash', encode(s.hash, 'hex'), 'signature', encode(s.signature, 'hex')) end as seal
    from every left join audit_heads h using (app_id) left join audit_seals s using (app_id) order by app_id`;
  return rows.map(({ appId, head, seal }) => ({
    appId,
    head: head && { seq: head.seq, hash: bytes(head.hash) },
    seal: seal && { seq: seal.seq, hash: bytes(seal.hash), signature: bytes(seal.signature) },
  }));
}

const bytes = (hex: unknown): Buffer => Buffer.from(hex as string, 'hex');

/** Returns what was retired of the chain. */
async function verifyChain(
  ctx: Pick<Context, 'sql' | 'cipher'>,
  { appId, head, seal }: Chain,
  report: AuditReport,
): Promise<Retirement | null> {
  const problem: Report = (seq, what, to = seq) => {
    if (report.problems.length < PROBLEMS_MAX) report.problems.push({ chain: chainName(appId), seq, ...(to > seq && { to }), what });
  };
  let sealed: Buffer | null = null;
  const [first] = await ctx.sql<
    StoredEntry[]
  >`select ${entryColumns(ctx.sql)} from audit_entries e where e.app_id = ${appId} order by e.seq limit 1`;
  const retirement = first && first.seq > 1 ? await findRetirement(ctx, appId, first) : null;
  if (retirement) report.retired.push({ chain: chainName(appId), to: retirement.seq, month: retirement.month, at: retirement.at });
  const last = await follow(entriesOf(ctx.sql, appId, 0, head?.seq), retirement ?? { seq: 0, hash: GENESIS }, problem, (entry) => {
    report.entries++;
    if (entry.seq === seal?.seq) sealed = entry.hash;
  });
  if (head === null) problem(last.seq, 'missing');
  else {
    reach(last, head, problem);
    const [more] = await ctx.sql<{ seq: number }[]>`
      select e.seq from audit_entries e where e.app_id = ${appId} and e.seq > (select h.seq from audit_heads h where h.app_id = ${appId}) order by 1 limit 1`;
    if (more) problem(more.seq, 'inserted');
  }
  if (seal !== null && !isOurs(ctx, appId, seal)) problem(seal.seq, 'seal_forged');
  else if (seal !== null && !seal.hash.equals(sealed ?? GENESIS)) problem(seal.seq, 'rewritten');
  return retirement;
}

/** `to`: the last of several that are missing. */
type Report = (seq: number, what: AuditProblem['what'], to?: number) => void;

/** Follows a chain from the link `last` and returns its last link. */
async function follow(
  entries: AsyncIterable<StoredEntry>,
  last: Link,
  problem: Report,
  seen?: (entry: StoredEntry) => void,
): Promise<Link> {
  let link = last;
  for await (const entry of entries) {
    seen?.(entry);
    if (entry.seq <= link.seq) problem(entry.seq, 'inserted');
    skipped(link.seq, entry.seq, problem);
    if (!hashOf(entry).equals(entry.hash)) problem(entry.seq, 'changed');
    else if (entry.seq === link.seq + 1 && !entry.previous.equals(link.hash)) problem(entry.seq, 'unlinked');
    if (entry.seq > link.seq) link = entry;
  }
  return link;
}

/** The last entry must be the one that the head names. */
function reach(last: Link, head: Link, problem: Report): void {
  skipped(last.seq, head.seq + 1, problem);
  if (last.seq === head.seq && !last.hash.equals(head.hash)) problem(head.seq, 'unlinked');
}

/** A gap is one problem, however long: a month that was dropped must not hide what else is wrong. */
function skipped(after: number, before: number, problem: Report): void {
  if (before > after + 1) problem(after + 1, 'missing', before - 1);
}

/** The entries of a chain after `seq` in order, up to `last`. Each page is a query of its own. */
export async function* entriesOf(sql: Sql, appId: string, after: number, last?: number): AsyncGenerator<StoredEntry> {
  for (let position = { seq: after, at: 'infinity' }; ; ) {
    // Two entries with one number (one is inserted) may be on different pages.
    const page: StoredEntry[] = await sql<StoredEntry[]>`
      select ${entryColumns(sql)} from audit_entries e
      where e.app_id = ${appId} and e.seq >= ${position.seq} and (e.seq, e.at) > (${position.seq}::bigint, ${position.at}::timestamptz)
        and e.seq <= ${last ?? Number.MAX_SAFE_INTEGER}
      order by e.seq, e.at limit ${PAGE}`;
    yield* page;
    if (page.length < PAGE) return;
    position = page.at(-1)!;
  }
}

const AUDIT = 'audit';
const sealedText = (appId: string, { seq, hash }: Link): string => `${appId}\n${seq}\n${hash.toString('hex')}`;

const sealOf = ({ cipher }: Pick<Context, 'cipher'>, appId: string, link: Link): Buffer => cipher.sign(AUDIT, sealedText(appId, link));

const isOurs = ({ cipher }: Pick<Context, 'cipher'>, appId: string, seal: Seal): boolean =>
  cipher
    .signatures(AUDIT, sealedText(appId, seal))
    .some((signature) => sameSecret(seal.signature.toString('hex'), signature.toString('hex')));

/** Signs again the seals that an older key in the settings has signed. Returns how many. */
export async function renewSeals(ctx: Pick<Context, 'sql' | 'cipher'>): Promise<number> {
  let renewed = 0;
  for (const { appId, seal } of await readChains(ctx.sql)) {
    if (seal === null || !isOurs(ctx, appId, seal) || seal.signature.equals(sealOf(ctx, appId, seal))) continue;
    const changed = await ctx.sql`
      update audit_seals set signature = ${sealOf(ctx, appId, seal)} where app_id = ${appId} and seq = ${seal.seq} and signature = ${seal.signature}`;
    renewed += changed.count;
  }
  return renewed;
}

/**
 * Signs each head that has moved since it was last signed, if the entries between lead from one to the other: a chain that was rewritten is never signed.
 * Returns the chains that were left unsigned for that reason, and those whose signed head was replaced or removed.
 */
export async function sealHeads(ctx: Pick<Context, 'sql' | 'cipher'>): Promise<string[]> {
  const broken: string[] = [];
  for (const { appId, head, seal } of await readChains(ctx.sql)) {
    // Every chain has a head from its first entry on.
    if (head === null) {
      broken.push(chainName(appId));
      continue;
    }
    if (seal && head.seq === seal.seq && head.hash.equals(seal.hash)) continue;
    let isWhole = seal === null || (isOurs(ctx, appId, seal) && seal.seq < head.seq);
    const problem = (): void => {
      isWhole = false;
    };
    const from = seal ?? { seq: 0, hash: GENESIS };
    if (isWhole) reach(await follow(entriesOf(ctx.sql, appId, from.seq, head.seq), from, problem), head, problem);
    if (!isWhole) {
      broken.push(chainName(appId));
      continue;
    }
    await ctx.sql`
      insert into audit_seals as s (app_id, seq, hash, signature) values (${appId}, ${head.seq}, ${head.hash}, ${sealOf(ctx, appId, head)})
      on conflict (app_id) do update set seq = excluded.seq, hash = excluded.hash, at = now(), signature = excluded.signature
      where s.seq < excluded.seq`;
  }
  return broken;
}
