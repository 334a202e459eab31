/** Comparison of a supplied name with the one on record. Case, accents, hyphens and spacing never matter; a different name always does. */

/** `status`: the same name. `confidence_value`: 0 to 100, from the edit distance of the folded names. */
export function compareNames(supplied: string, onRecord: string): { status: boolean; confidence_value: number } {
  const one = foldName(supplied);
  const other = foldName(onRecord);
  const longest = Math.max(one.length, other.length);
  const confidence = longest === 0 ? 0 : Math.round((1 - editDistance(one, other) / longest) * 100);
  return { status: one === other && longest > 0, confidence_value: confidence };
}

/** Lower case, without accents, apostrophes, hyphens or spaces: `Adé-Ọlá` and `ADEOLA` fold to the same. */
function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');
}

/** Levenshtein distance; inputs are at most 100 characters. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const current = [i];
    for (let j = 1; j <= other.length; j++) {
      const substitution = previous[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      current[j] = Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution);
    }
    previous = current;
  }
  return previous[other.length]!;
}
