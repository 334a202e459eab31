/** What becomes of a publication, and in one place what is done when it is not taken: kept with the list, logged, counted. */

import { ListFileError } from '../engines/aml/list.ts';
import type { Context } from '../foundation/context.ts';

export interface StoredVersion {
  id: string;
  label: string;
  format: string;
  entries: number;
  names: number;
  skipped: number;
  added: number;
  changed: number;
  removed: number;
}

export type ListOutcome =
  | { kind: 'stored'; version: StoredVersion }
  /** What was published is in force already. */
  | { kind: 'unchanged' }
  /** Another process is at it. */
  | { kind: 'busy' }
  /** The old version stays. `reason` is a stable word, `detail` a sentence that quotes nothing of the file. */
  | { kind: 'refused'; reason: string; detail: string };

/** Why a publication is not taken, beside what is wrong with its files. */
export class ListRefusal extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.name = 'ListRefusal';
    this.reason = reason;
  }
}

/** Carries out `work`; what it refuses is kept with the list, logged and counted, and is its outcome. */
export async function refusing(ctx: Context, list: string, work: () => Promise<ListOutcome>): Promise<ListOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ListFileError || error instanceof ListRefusal)) throw error;
    const reason = error instanceof ListFileError ? error.rule : error.reason;
    const detail = error.message;
    await ctx.sql`update aml_lists set refused_at = now(), refusal = ${reason}, refusal_detail = ${detail} where list = ${list}`;
    ctx.metrics.listRefusals.inc({ list, reason });
    ctx.log.error({ list, reason, detail }, 'list refused; what was in force stays');
    return { kind: 'refused', reason, detail };
  }
}
