/** Wallet, ledger, usage and prices. */
import type { z } from 'zod';
import type {
  batchChargeAnswer,
  entriesQuery,
  entryAnswer,
  limitsAnswer,
  priceAnswer,
  statementAnswer,
  usageAnswer,
  usageQuery,
  walletAnswer,
} from '../contract/money.ts';
import { at } from './paths.ts';
import type { ListQuery, Page, Query, Transport } from './transport.ts';

export type Price = z.infer<typeof priceAnswer>;
export type Wallet = z.infer<typeof walletAnswer>;
export type Limits = z.infer<typeof limitsAnswer>;
export type Entry = z.infer<typeof entryAnswer>;
/** What one batch was charged for one check at one price. To list the jobs behind it: `batches.jobs(batch, { check, billed: price })`. */
export type BatchCharge = z.infer<typeof batchChargeAnswer>;
export type Statement = z.infer<typeof statementAnswer>;
export type Usage = z.infer<typeof usageAnswer>;
type EntriesQuery = ListQuery<Omit<z.input<typeof entriesQuery>, 'format' | 'by'>>;
type UsageQuery = ListQuery<Omit<z.input<typeof usageQuery>, 'format'>>;

const WALLET = 'api/v1/wallet';
const BY_BATCH = { by: 'batch' };

export const moneyCalls = ({ send, open, items }: Transport) => {
  const file = async (path: string, query: Query = {}): Promise<Blob> =>
    (await open('GET', path, { query: { ...query, format: 'csv' } })).blob();
  return {
    wallet: (signal?: AbortSignal) => send<Wallet>('GET', WALLET, { signal }),
    limits: (signal?: AbortSignal) => send<Limits>('GET', `${WALLET}/limits`, { signal }),
    prices: (signal?: AbortSignal) => send<{ data: Price[] }>('GET', 'api/v1/prices', { signal }),
    entries: (query: EntriesQuery = {}, signal?: AbortSignal) => send<Page<Entry>>('GET', `${WALLET}/entries`, { query, signal }),
    allEntries: (query: EntriesQuery = {}, signal?: AbortSignal) => items<Entry>(`${WALLET}/entries`, query, signal),
    entriesFile: (query: EntriesQuery = {}) => file(`${WALLET}/entries`, query),
    /** One line per batch, check and price, newest batch first. `since` and `until` refer to when the batch was submitted. */
    batchCharges: (query: EntriesQuery = {}, signal?: AbortSignal) =>
      send<Page<BatchCharge>>('GET', `${WALLET}/entries`, { query: { ...query, ...BY_BATCH }, signal }),
    allBatchCharges: (query: EntriesQuery = {}, signal?: AbortSignal) =>
      items<BatchCharge>(`${WALLET}/entries`, { ...query, ...BY_BATCH }, signal),
    batchChargesFile: (query: EntriesQuery = {}) => file(`${WALLET}/entries`, { ...query, ...BY_BATCH }),
    /** `month`: YYYY-MM, UTC. */
    statement: (month: string, signal?: AbortSignal) => send<Statement>('GET', at(`${WALLET}/statements`, month), { signal }),
    statementFile: (month: string) => file(at(`${WALLET}/statements`, month)),
    usage: (query: UsageQuery = {}, signal?: AbortSignal) => send<Usage>('GET', 'api/v1/usage', { query, signal }),
    usageFile: (query: UsageQuery = {}) => file('api/v1/usage', query),
  };
};
