/** Finds members that a JSON object has twice. `JSON.parse` silently keeps the last one, but either may be the wrong one. */

const COLON = ':';
const QUOTE = '"';
const BACKSLASH = '\\';
const SPACE = /\s/;

/** The name of the first member that an object in `text` has twice; null if there is none. `value`: the parsed text. */
export function repeatedMember(text: string, value: unknown): string | null {
  return hasAllMembers(text, value) ? null : search(text);
}

/** A quick test that most texts pass: a flat object has lost no member if its text has as many colons as it has members. Strings may contain more colons. */
function hasAllMembers(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.values(value);
  if (Array.isArray(value) || members.some((member) => typeof member === 'object' && member !== null)) return false;
  let colons = 0;
  for (let at = text.indexOf(COLON); at !== -1; at = text.indexOf(COLON, at + 1)) colons++;
  return colons === members.length;
}

function search(text: string): string | null {
  /** The names seen so far in each open object, the innermost last. Lists have none. */
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') open.push(new Set());
    else if (character === '}' || character === ']') open.pop();
    else if (character === QUOTE) {
      const end = endOfText(text, at);
      const written = text.slice(at, end);
      at = end - 1;
      if (!isName(text, end)) continue;
      const name: string = written.includes(BACKSLASH) ? JSON.parse(written) : written.slice(1, -1);
      const names = open.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return null;
}

/** Where the string that begins at `from` ends: the position after its closing quote. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf(QUOTE, from + 1); ; at = text.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** Whether the string that ends before `end` is the name of a member. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && SPACE.test(text[at]!)) at++;
  return text[at] === COLON;
}
