/** Screens one person: candidates, comparison, evidence. For each entry the best name counts. */
import type { Matcher, Subject } from '../screening.ts';
import { Candidates } from './candidates.ts';
import { COMMON_CAP, Comparer, type Comparison } from './compare.ts';
import { EFFECTS_MAX, knownOf, weighEvidence } from './evidence.ts';
import { matchOf, rounded, type Scored } from './explain.ts';
import { type ListIndex, rowKinds } from './index.ts';
import { openSimilar } from './similar.ts';
import { tokenize } from './tokens.ts';

/** Cap for a name that the publisher itself calls unreliable. */
const WEAK_CAP = 0.8;
/** Names with a lower score are dropped: births and countries alone never make a hit. */
const NAME_MIN = 0.6;
const WEAK = rowKinds.indexOf('weak');
const WEAK_RULES = ['weak_alias'] as const;
const NO_RULES: readonly string[] = [];

export function openPersonMatcher(index: ListIndex): Matcher {
  const findSimilar = openSimilar(index, { isPersonal: true });
  const candidates = new Candidates(index);
  const comparer = new Comparer(index);

  function score(row: number, comparison: Comparison, known: ReturnType<typeof knownOf>): Scored {
    const entry = index.rowEntry[row]!;
    const verdicts = weighEvidence(index, entry, known);
    const fits = verdicts.birth === 'exact' || verdicts.birth === 'within_range';
    const isWeak = index.rowKind[row] === WEAK && !fits && comparison.score > WEAK_CAP;
    const name = isWeak ? (comparison.isCommon ? COMMON_CAP : WEAK_CAP) : comparison.score;
    if (comparison.needsBirth || (isWeak && comparison.isCommon))
      verdicts.countryEffect = Math.min(verdicts.countryEffect, rounded(Math.max(0, COMMON_CAP - name)));
    const total = name + verdicts.birthEffect + verdicts.countryEffect + verdicts.genderEffect;
    const further = isWeak ? WEAK_RULES : NO_RULES;
    return { row, entry, score: rounded(Math.min(1, Math.max(0, total))), comparison, verdicts, further };
  }

  return {
    screen(subject: Subject, { threshold, lists }) {
      const tokens = tokenize(subject.name);
      if (tokens.length === 0 || index.rowCount === 0) return [];
      const similar = tokens.map(findSimilar);
      comparer.begin(tokens, similar);
      const known = knownOf(subject);
      const wanted = lists && new Set(lists.map((list) => index.lists.findIndex((one) => one.list === list)));
      const least = Math.max(NAME_MIN, threshold - EFFECTS_MAX);
      const best = new Map<number, Scored>();
      const rows = candidates.find(tokens, similar);
      comparer.pairing.readAhead(rows);
      for (const row of rows) {
        const entry = index.rowEntry[row]!;
        if (wanted && !wanted.has(index.entryList[entry]!)) continue;
        const comparison = comparer.compare(row, least);
        if (comparison.score < least) continue;
        const scored = score(row, comparison, known);
        if (scored.score < threshold) continue;
        const before = best.get(entry);
        if (!before || scored.score > before.score || (scored.score === before.score && candidates.isLikelier(row, before.row)))
          best.set(entry, scored);
      }
      return [...best.values()]
        .sort((a, b) => b.score - a.score || a.entry - b.entry)
        .map((scored) => {
          comparer.compare(scored.row);
          return matchOf(index, 'person', scored, tokens, comparer.pairing);
        });
    },
  };
}
