/** Which results a person must decide about, by the app's settings, and what may be said about such a result without personal details. */
import type { z } from 'zod';
import { type ScreenedCompany, screeningsIn } from '../checks/company-screening.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { statusOf } from '../checks/selfie.ts';
import type { reviewSummary } from '../contract/reviews.ts';
import { type RiskLevel, riskLevels } from '../engines/aml/risk.ts';
import type { AppSettings } from '../schema/apps.ts';
import type { ReviewKind } from '../schema/reviews.ts';

type Entity = Record<string, unknown>;
type Summary = z.infer<typeof reviewSummary>;

/** Null: the result needs no review. If there are several reasons the first counts: a doubtful face, then liveness. */
export function reviewOf({ reviews }: AppSettings, entity: Entity | null): ReviewKind | null {
  if (!reviews || entity === null) return null;
  const { face, aml } = summaryOf(entity);
  if (face) {
    if (reviews.face && statusOf(face.confidence, face.threshold, face.replay_suspected) === 'REVIEW') return 'face';
    return reviews.liveness && face.liveness === 'inconclusive' ? 'liveness' : null;
  }
  if (!aml) return null;
  const counts = hitsOf(entity).some(({ cleared }) => !cleared);
  return counts && isRisky({ reviews }, aml.risk_level) ? 'aml' : null;
}

/** Whether screenings of this level need a review. */
export const isRisky = ({ reviews }: AppSettings, level: RiskLevel): boolean =>
  Boolean(reviews?.amlLevel) && riskLevels.indexOf(level) >= riskLevels.indexOf(reviews!.amlLevel!);

const HITS_SHOWN = 10;

/** Recognized by the members that every face check, every screening and every screened company has. */
export function summaryOf(entity: Entity): Summary {
  return {
    face: 'liveness' in entity && 'threshold' in entity ? faceOf(entity) : null,
    aml: isCompany(entity) || ('risk_level' in entity && 'hits' in entity) ? amlOf(entity) : null,
  };
}

const isCompany = (entity: Entity): boolean => 'overall_risk' in entity;

/** Of a company also those of everybody on record with it. */
const hitsOf = (entity: Entity): ScreeningEntity['hits'] =>
  isCompany(entity)
    ? screeningsIn(entity as unknown as ScreenedCompany).flatMap(({ entity: { hits } }) => hits)
    : (entity as ScreeningEntity).hits;

function faceOf(entity: Entity): Summary['face'] {
  const { confidence_score, selfie_verification, threshold, replay_suspected, liveness } = entity as {
    confidence_score?: number;
    selfie_verification?: { confidence_value: number };
    threshold: number;
    replay_suspected: boolean;
    liveness: { decision: string };
  };
  const confidence = confidence_score ?? selfie_verification!.confidence_value;
  return { confidence, threshold, replay_suspected, liveness: liveness.decision };
}

function amlOf(entity: Entity): Summary['aml'] {
  const { risk_level, risk_score, total_hits } = (isCompany(entity) ? entity.overall_risk : entity) as ScreeningEntity;
  const best = hitsOf(entity).toSorted((one, other) => other.score - one.score);
  return {
    risk_level,
    risk_score,
    total_hits,
    hits: best.slice(0, HITS_SHOWN).map(({ list, category, score, cleared }) => ({ list, category, score, cleared: cleared !== null })),
  };
}
