/** What can come of a publication, and the one place that handles a refusal: stored with the list, logged, counted. */

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
  /** The publication equals the current version. */
  | { kind: 'unchanged' }
  /** Another process is working on the list. */
  | { kind: 'busy' }
  /** The old version stays. `reason` is a stable word; `detail` is a sentence that quotes nothing of the file. */
  | { kind: 'refused'; reason: string; detail: string };

/** Why a publication is refused, apart from faults in its files. */
export class ListRefusal extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.name = 'ListRefusal';
    this.reason = reason;
  }
}

/** Runs `work`. A refusal is stored with the list, logged and counted, and becomes the outcome. */
export async function refusing(ctx: Context, list: string, work: () => Promise<ListOutcome>): Promise<ListOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ListFileError || error instanceof ListRefusal)) throw error;
    const reason = error instanceof ListFileError ? error.rule : error.reason;
    const detail = error.message;
    await ctx.sql`update aml_lists set refused_at = now(), refusal = ${reason}, refusal_detail = ${detail} where list = ${list}`;
    ctx.metrics.listRefusals.inc({ list, reason });
    ctx.log.error({ list, reason, detail }, 'list refused; the current version stays');
    return { kind: 'refused', reason, detail };
  }
}
