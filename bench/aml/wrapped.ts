/** Lines of generated tables of words. */

const LINE = 150;

/** The words in their order, separated by blanks, as many to a line as fit. */
export function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
