/**
 * Passwords that others have chosen too: a list of common ones, and the breached ones in the file that the operator has configured. Sends nothing over the
 * network.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../foundation/package-root.ts';

let common: ReadonlySet<string> | null = null;

/** Read on first use: 42,000 words take 4 MB in a process where somebody sets a password. */
function commonPasswords(): ReadonlySet<string> {
  if (common) return common;
  const lines = readFileSync(join(packageRoot(), 'src/access/people/common-passwords.txt'), 'latin1').split('\n');
  common = new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
  return common;
}

/**
 * Whether the password is on the list: as it is, repeated, or with something added (digits and signs around a word, signs around digits), such as
 * `qwertyqwerty`, `Football2024!` and `1234567890!!`. A run of digits (`5678901234567`) counts as common even if it is not on the list.
 */
export function isCommon(password: string): boolean {
  const folded = password.toLowerCase();
  const word = folded.slice(Math.max(folded.search(/[a-z]/), 0)).replace(/(?<=[a-z])[^a-z]*$/, '');
  const unsigned = folded.slice(Math.max(folded.search(/[\p{L}\p{N}]/u), 0)).replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}]*$/u, '');
  return isRun(unsigned) || [folded, word, unsigned].some((text) => commonPasswords().has(text) || commonPasswords().has(unitOf(text)));
}

/** Whether the text consists of at least six digits that repeat, count up or count down: `111111`, `890123`, `321098`. */
function isRun(text: string): boolean {
  if (!/^\d{6,}$/.test(text)) return false;
  const steps = new Set([...text].slice(1).map((digit, i) => (Number(digit) - Number(text[i]) + 10) % 10));
  return steps.size === 1 && [0, 1, 9].some((step) => steps.has(step));
}

/** What the text repeats: `qwerty` for `qwertyqwerty`. */
function unitOf(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, Math.max(period, 0));
}

const LINE_BYTES_MAX = 128;
const HASH_DIGITS = 40;

/** Whether the file has the password's SHA-1 hash. Its lines are `HASH:count` or `HASH`, in the order of the hashes. Throws if the file cannot be read. */
export async function isBreached(path: string, password: string): Promise<boolean> {
  const wanted = createHash('sha1').update(password).digest('hex').toUpperCase();
  const file = await open(path, 'r');
  try {
    // The line that the hash would be on begins in [low, high).
    let [low, high] = [0, (await file.stat()).size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = await lineAt(file, middle);
      if (line === null) high = middle;
      else if (line.hash === wanted) return true;
      else if (line.hash < wanted) low = line.end;
      else high = middle;
    }
    return (await lineAt(file, low))?.hash === wanted;
  } finally {
    await file.close();
  }
}

/** The first line that begins at `offset` or after; null if there is none. */
async function lineAt(file: FileHandle, offset: number): Promise<{ hash: string; end: number } | null> {
  // From the byte before, which is a line's end if a line begins here.
  const from = Math.max(0, offset - 1);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * LINE_BYTES_MAX), 0, 2 * LINE_BYTES_MAX, from);
  const text = buffer.toString('latin1', 0, bytesRead);
  const begins = offset === 0 ? 0 : text.indexOf('\n') + 1;
  if ((offset > 0 && begins === 0) || begins >= text.length) return null;
  const ends = text.indexOf('\n', begins);
  return {
    hash: text.slice(begins, begins + HASH_DIGITS).toUpperCase(),
    end: from + (ends === -1 ? text.length : ends + 1),
  };
}
