/** Every list that commands print, column by column. */
import type { AuditEntry } from '../../client/audit.ts';
import type { Batch, Job, Preview, Quote } from '../../client/client.ts';
import type { LookupsByPurpose } from '../../client/consents.ts';
import type { Key } from '../../client/keys.ts';
import type { BatchCharge, Entry, Usage } from '../../client/money.ts';
import type { Review } from '../../client/reviews.ts';
import type { SubjectHold } from '../../client/subjects.ts';
import type { Column } from './output.ts';
import { count, minute, naira } from './text.ts';

const batchTones = { completed: 'good', failed: 'bad', expired: 'bad', canceled: 'soft', paused: 'warn', paused_funds: 'warn' } as const;

export const toneOfBatch = (status: string) => batchTones[status as keyof typeof batchTones] ?? null;

export const batchColumns: Column<Batch>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, tone: ({ status }) => toneOfBatch(status) },
  { title: 'DONE', of: ({ progress }) => `${progress.percent} %`, isNumber: true },
  { title: 'ROWS', of: ({ counts }) => count(counts.rows), isNumber: true },
  { title: 'FOUND', of: ({ counts }) => count(counts.found), isNumber: true },
  { title: 'FAILED', of: ({ counts }) => count(counts.failed), isNumber: true },
  { title: 'COST', of: ({ billed_amount }) => naira(billed_amount), isNumber: true },
  { title: 'CHECKS', of: ({ checks }) => checks.join(',') },
  { title: 'REFERENCE', of: ({ reference }) => reference ?? '' },
  { title: 'CREATED', of: ({ created_at }) => minute(created_at) },
];

/** A job of a list: without its result. */
type ListedJob = Omit<Job, 'result'>;

const jobTones = { completed: 'good', failed: 'bad', canceled: 'soft' } as const;

export const jobColumns: Column<ListedJob>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'CHECK', of: ({ check }) => check },
  { title: 'STATUS', of: ({ status }) => status, tone: ({ status }) => jobTones[status as keyof typeof jobTones] ?? null },
  { title: 'OUTCOME', of: ({ outcome, error }) => outcome ?? error?.code ?? '' },
  { title: 'COST', of: ({ billed_amount }) => naira(billed_amount), isNumber: true },
  { title: 'REFERENCE', of: ({ reference }) => reference ?? '' },
  { title: 'CREATED', of: ({ created_at }) => minute(created_at) },
];

export const mappingColumns: Column<Preview['mapping'][number]>[] = [
  { title: 'INPUT', of: ({ field }) => field },
  {
    title: 'COLUMN',
    of: ({ column }) => column ?? '–',
    tone: ({ column, required }) => (column === null && required.length > 0 ? 'bad' : null),
  },
  { title: 'WHY', of: ({ reason }) => reason, tone: (proposal) => (isGuess(proposal) ? 'warn' : 'soft') },
];

/** The service takes these by itself, or the caller named them; a person must confirm anything else. */
export const isGuess = ({ column, by }: Preview['mapping'][number]): boolean => column !== null && (by === 'likeness' || by === 'values');

export const quoteColumns: Column<Quote['checks'][number]>[] = [
  { title: 'CHECK', of: ({ check }) => check },
  { title: 'JOBS', of: ({ jobs }) => count(jobs), isNumber: true },
  { title: 'EACH', of: ({ price }) => naira(price), isNumber: true },
  { title: 'CACHED', of: ({ expected_cache_hits }) => count(expected_cache_hits), isNumber: true },
  { title: 'EACH', of: ({ cached_price }) => naira(cached_price), isNumber: true },
  { title: 'EXPECTED', of: ({ expected_amount }) => naira(expected_amount), isNumber: true },
];

/** A key of an app or of the operator. */
type AnyKey = Omit<Key, 'mode' | 'scopes' | 'checks' | 'daily_cap'>;

const whichKey: Column<AnyKey>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name ?? '' },
  { title: 'KEY', of: ({ hint }) => `${hint}…` },
];

const courseOfKey: Column<AnyKey>[] = [
  { title: 'STATE', of: stateOfKey, tone: (key) => (stateOfKey(key) === 'active' ? 'good' : 'soft') },
  { title: 'LAST USED', of: ({ last_used_at }) => minute(last_used_at) || 'never' },
  { title: 'CREATED', of: ({ created_at }) => minute(created_at) },
];

export const keyColumns: Column<Key>[] = [
  ...whichKey,
  { title: 'MODE', of: ({ mode }) => mode },
  { title: 'SCOPES', of: ({ scopes }) => scopes?.join(',') ?? 'all' },
  ...courseOfKey,
];

export const adminKeyColumns: Column<AnyKey>[] = [
  ...whichKey,
  { title: 'ADDRESSES', of: ({ addresses }) => addresses?.join(',') ?? 'any' },
  { title: 'EXPIRES', of: ({ expires_at }) => minute(expires_at) || 'never' },
  ...courseOfKey,
];

function stateOfKey({ revoked_at, expires_at }: AnyKey): string {
  if (revoked_at) return 'revoked';
  return expires_at && Date.parse(expires_at) < Date.now() ? 'expired' : 'active';
}

export const entryColumns: Column<Entry>[] = [
  { title: 'AT', of: ({ at }) => minute(at) },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'FROM', of: ({ from }) => from },
  { title: 'TO', of: ({ to }) => to },
  { title: 'AMOUNT', of: ({ amount }) => naira(amount), isNumber: true },
  { title: 'FOR', of: ({ batch, job, note }) => batch ?? job ?? note ?? '' },
];

export const batchChargeColumns: Column<BatchCharge>[] = [
  { title: 'BATCH', of: ({ batch }) => batch },
  { title: 'REFERENCE', of: ({ reference }) => reference ?? '' },
  { title: 'CHECK', of: ({ check }) => check ?? '' },
  { title: 'JOBS', of: ({ jobs }) => count(jobs), isNumber: true },
  { title: 'EACH', of: ({ price }) => naira(price), isNumber: true },
  { title: 'AMOUNT', of: ({ amount }) => naira(amount), isNumber: true },
  { title: 'LAST', of: ({ last_at }) => minute(last_at) },
];

type UsageRow = Usage['data'][number];

export const usageColumns: Column<UsageRow>[] = [
  { title: 'DAY', of: ({ day }) => day ?? '' },
  { title: 'CHECK', of: ({ check }) => check ?? '' },
  ...(['calls', 'jobs', 'found', 'not_found', 'failed', 'cached'] as const).map(
    (name): Column<UsageRow> => ({ title: name.replace('_', ' ').toUpperCase(), of: (row) => count(row[name]), isNumber: true }),
  ),
  { title: 'COST', of: ({ billed_amount }) => naira(billed_amount), isNumber: true },
];

export const auditColumns: Column<AuditEntry>[] = [
  { title: 'AT', of: ({ at }) => minute(at) },
  { title: 'ACTION', of: ({ action }) => action },
  { title: 'BY', of: ({ actor }) => actor.id },
  { title: 'ON', of: ({ target }) => target ?? '' },
  { title: 'OUTCOME', of: ({ outcome, code }) => code ?? outcome, tone: ({ outcome }) => (outcome === 'refused' ? 'bad' : null) },
  { title: 'FROM', of: ({ address }) => address ?? '' },
];

export const holdColumns: Column<SubjectHold>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'BY', of: ({ identifiers }) => identifiers.join(', ') },
  { title: 'REASON', of: ({ reason }) => reason ?? '' },
  { title: 'HELD', of: ({ held_at }) => minute(held_at) },
  { title: 'LIFTED', of: ({ lifted_at }) => (lifted_at ? minute(lifted_at) : '') },
];

export const purposeColumns: Column<LookupsByPurpose['data'][number]>[] = [
  { title: 'PURPOSE', of: ({ purpose }) => purpose ?? '' },
  { title: 'BASIS', of: ({ basis }) => basis ?? '' },
  { title: 'CHECK', of: ({ check }) => check },
  { title: 'LOOK-UPS', of: ({ lookups }) => String(lookups) },
  { title: 'FOUND', of: ({ found }) => String(found) },
];

export const reviewColumns: Column<Review>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'CHECK', of: ({ check }) => check },
  { title: 'JOB', of: ({ job }) => job },
  { title: 'ASSIGNEE', of: ({ assignee }) => assignee ?? '' },
  { title: 'DECISION', of: ({ decision, proposal }) => decision ?? (proposal ? `${proposal}?` : '') },
  { title: 'OPENED', of: ({ opened_at }) => minute(opened_at) },
];
