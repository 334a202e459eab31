/** Consents of the people who are looked up. */
import type { z } from 'zod';
import type { lookupsAnswer, lookupsQuery, withdrawalAnswer, withdrawnAnswer } from '../contract/consents.ts';
import type { pageQuery } from '../contract/queries.ts';
import type { ListQuery, Page, Transport } from './transport.ts';

export type Withdrawal = z.infer<typeof withdrawalAnswer>;
type Withdrawn = z.infer<typeof withdrawnAnswer>;

export type LookupsByPurpose = z.infer<typeof lookupsAnswer>;

type LookupsQuery = ListQuery<Omit<z.input<typeof lookupsQuery>, 'format'>>;

const LOOKUPS = 'api/v1/consents/lookups';
const WITHDRAWALS = 'api/v1/consents/withdrawals';
const LISTED = 50;

export const consentCalls = ({ send, open }: Transport) => ({
  /** Ends the monitors under it and refuses later look-ups that name it. */
  withdraw: (reference: string) => send<Withdrawn>('POST', WITHDRAWALS, { body: { reference } }),
  withdrawals: (query: ListQuery<z.input<typeof pageQuery>> = {}, signal?: AbortSignal) =>
    send<Page<Withdrawal>>('GET', WITHDRAWALS, { query: { limit: LISTED, ...query }, signal }),
  /** How much was looked up for which purpose: `from`, `to`, `purpose`, `basis`, `check`. */
  lookups: (query: LookupsQuery = {}, signal?: AbortSignal) => send<LookupsByPurpose>('GET', LOOKUPS, { query, signal }),
  lookupsFile: async (query: LookupsQuery = {}): Promise<Blob> =>
    (await open('GET', LOOKUPS, { query: { ...query, format: 'csv' } })).blob(),
});
