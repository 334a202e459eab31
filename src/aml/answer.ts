/** The answer of a screening: its hits, which of them the app has cleared, and the risk that remains. */
import type { ScreeningEntity, ScreeningHit } from '../checks/screening.ts';
import { ENGINE_VERSION } from '../engines/aml/match/screen.ts';
import { assessRisk } from '../engines/aml/risk.ts';
import type { Match } from '../engines/aml/screening.ts';
import { showMatch } from './monitors.ts';

/** A list as screenings name it. */
export interface ScreenedList {
  list: string;
  version: string;
  /** `YYYY-MM-DD` */
  publishedOn: string | null;
  entries: number;
}

export interface Screened {
  /** Best first. */
  matches: Match[];
  lists: ScreenedList[];
}

/** Hits in one answer; `total_hits` counts all of them. */
const HITS_MAX = 100;

/** `cleared` holds one flag per match, in their order. `screenedAt`: ISO 8601. */
export function answerScreening(
  { matches, lists }: Screened,
  cleared: readonly ScreeningHit['cleared'][],
  { threshold, screenedAt }: { threshold: number; screenedAt: string },
): ScreeningEntity {
  const open = matches.filter((_, i) => cleared[i] === null);
  const risk = assessRisk(open, screenedAt.slice(0, 10));
  return {
    risk_level: risk.level,
    pep_detected: open.some(({ category }) => category === 'pep'),
    sanctions_match: open.some(({ category }) => category === 'sanction'),
    total_hits: matches.length,
    screened_at: screenedAt,
    risk_score: risk.score,
    hits: matches.slice(0, HITS_MAX).map((match, i) => ({ ...showMatch(match), cleared: cleared[i]! })),
    screening: {
      engine_version: ENGINE_VERSION,
      threshold,
      lists: lists.map(({ list, version, publishedOn, entries }) => ({ list, version, published_on: publishedOn, entries })),
    },
  };
}
