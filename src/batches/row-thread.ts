/** Questions to a thread that reads an upload's rows, and its answers: plain values, since threads share no objects. */
import type { RecordKind } from '../checks/provider.ts';
import type { SealingKey } from '../foundation/crypto.ts';
import type { DateFormat } from '../schema/batches.ts';
import type { Tally } from './intake.ts';
import type { PackedRows } from './packer.ts';

/** `store`: rows sealed under the key of their batch. `price`: where the cache would have the answers. */
export type RowWork = { kind: 'store'; batchId: string; key: SealingKey } | ({ kind: 'price' } & Pricing);

/** Whose rows are priced, and whether the cache may answer them. */
export interface Pricing {
  owner: { appId: string; live: boolean; scope: 'app' | 'deployment' };
  usesCache: boolean;
}

/** The first record that a job asks for. `key`: its key in the cache. `older`: the same by other index keys; null: there are none. */
export interface FirstLookup {
  check: string;
  /** The job asks for nothing else if there is no such record, and then costs nothing. */
  decides: boolean;
  key: string;
  older: readonly string[] | null;
  kind: RecordKind;
  tier: number;
}

/** The result of each kind of work. */
export interface Slices {
  store: PackedRows;
  price: FirstLookup[];
}

/** How the rows are to be read. */
export interface RowPlan {
  checks: readonly { id: string }[];
  mapping: Record<string, string>;
  options: { date_format: DateFormat };
  /** That a row may name. Null: any. */
  watchLists: readonly string[] | null;
}

export interface RowThread {
  /** As `intake` in this process: slices at the pace of their consumer, then the tally; throws what `intake` throws. Once the upload is whole. */
  read<W extends RowWork>(work: W, plan: RowPlan): AsyncGenerator<Slices[W['kind']], Tally>;
}
