/** Turns hits into a risk score and level. `docs/aml.md` has the same table. */
import type { Match } from './screening.ts';

export const riskLevels = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type RiskLevel = (typeof riskLevels)[number];

export interface Risk {
  level: RiskLevel;
  /** 0 to 100. */
  score: number;
}

/** Points for a hit with a match score of 1. */
const WEIGHTS = { sanction: 100, wanted: 75, pep: 68, formerPep: 50, adverse_media: 50 } as const;
/** Points for each further kind of list that the person is on. */
const FURTHER = 5;

/** Lowest score of each level. Anything below is LOW. */
export const BANDS: readonly [RiskLevel, number][] = [
  ['CRITICAL', 85],
  ['HIGH', 60],
  ['MEDIUM', 30],
];

/** Rates the hits that nobody has cleared. `today`: `YYYY-MM-DD`, to tell former office holders from current ones. */
export function assessRisk(hits: readonly Pick<Match, 'category' | 'score' | 'endedOn'>[], today: string): Risk {
  let worst = 0;
  for (const { category, score, endedOn } of hits) {
    const isFormer = category === 'pep' && endedOn !== null && endedOn < today;
    worst = Math.max(worst, score * (isFormer ? WEIGHTS.formerPep : WEIGHTS[category]));
  }
  const kinds = new Set(hits.map(({ category }) => category)).size;
  const score = Math.min(100, Math.round(worst + FURTHER * Math.max(0, kinds - 1)));
  return { score, level: BANDS.find(([, least]) => score >= least)?.[0] ?? 'LOW' };
}
