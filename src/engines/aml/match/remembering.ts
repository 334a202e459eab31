/** Names repeat the same words, so what is computed of a word alone is kept. */

const WORDS_KEPT = 20_000;

/**
 * `compute` with its results kept by text, at most `most` of them: then all are forgotten, and the frequent ones are soon back. The results must not be
 * changed.
 */
export function remembering<Result extends NonNullable<unknown>>(
  compute: (text: string) => Result,
  most = WORDS_KEPT,
): (text: string) => Result {
  const kept = new Map<string, Result>();
  return (text) => {
    const before = kept.get(text);
    if (before !== undefined) return before;
    const result = compute(text);
    if (kept.size >= most) kept.clear();
    kept.set(text, result);
    return result;
  };
}
