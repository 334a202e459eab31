/** Which hits of stored screenings are cleared at the moment. A stored result stays as it was when a hit is cleared, or a clearance ends, afterwards. */
import type { AppMode } from '../access/owner.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { assessRisk, type RiskLevel } from '../engines/aml/risk.ts';
import type { Context } from '../foundation/context.ts';
import { clearancesInForce } from './clearing.ts';
import type { DigestOf } from './digests.ts';
import { subjectsLike } from './subjects-of-job.ts';

export interface StoredScreening {
  /** HMAC, as in `jobs`. */
  subject: Buffer;
  entity: ScreeningEntity;
}

export interface ClearedNow {
  /** Places in the entity's hits, from 0. */
  hits: number[];
  all: boolean;
  /** What the other hits amount to; null if the entity does not show all of them. */
  risk_level: RiskLevel | null;
}

/** One for each screening. One query for all of them, two after a change of the index key. */
export async function readClearedNow(
  ctx: Context,
  digestOf: DigestOf,
  owner: AppMode,
  screenings: readonly StoredScreening[],
): Promise<ClearedNow[]> {
  const subjects = await subjectsLike(
    ctx,
    owner,
    screenings.map(({ subject }) => subject),
    'aml_clearances',
  );
  const cleared = new Set(
    (await clearancesInForce(ctx, digestOf, owner, subjects.flat())).map(({ subject, list, sourceId }) => keyOf(subject, list, sourceId)),
  );
  return screenings.map(({ entity }, at) => {
    const isCleared = entity.hits.map((hit) => subjects[at]!.some((subject) => cleared.has(keyOf(subject, hit.list, hit.source_id))));
    return showCleared(entity, isCleared);
  });
}

const keyOf = (subject: Buffer, list: string, sourceId: string): string => `${subject.toString('hex')} ${list} ${sourceId}`;

function showCleared({ hits, total_hits, screened_at }: ScreeningEntity, isCleared: readonly boolean[]): ClearedNow {
  const isWhole = hits.length === total_hits;
  const open = hits.flatMap(({ category, score, ended_on }, at) => (isCleared[at] ? [] : [{ category, score, endedOn: ended_on }]));
  return {
    hits: [...hits.keys()].filter((at) => isCleared[at]),
    all: isWhole && open.length === 0,
    risk_level: isWhole ? assessRisk(open, screened_at.slice(0, 10)).level : null,
  };
}
