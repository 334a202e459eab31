/** List files for tests: text or bytes in memory, a folder, streams of garbage, and what every reader must refuse. */
import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Category,
  type ListEntry,
  type ListFacts,
  type ListFile,
  ListFileError,
  type ListFormat,
} from '../../src/engines/aml/list.ts';

const MEGABYTE = 1024 * 1024;

export const fileOf = (name: string, ...contents: (string | Uint8Array)[]): ListFile => ({
  name,
  async *open() {
    for (const content of contents) yield typeof content === 'string' ? Buffer.from(content) : content;
  },
});

export const fileAt = (path: string): ListFile => ({ name: path.slice(path.lastIndexOf('/') + 1), open: () => createReadStream(path) });

/** `count` megabytes made of `text` repeated. */
export function streamOf(name: string, text: string, count: number, before = ''): ListFile {
  return {
    name,
    async *open() {
      if (before !== '') yield Buffer.from(before);
      const piece = Buffer.alloc(MEGABYTE, text);
      for (let index = 0; index < count; index++) yield piece;
    },
  };
}

export async function readAll(
  format: ListFormat,
  files: ListFile | ListFile[],
  category?: Category,
): Promise<{ entries: ListEntry[]; facts: ListFacts }> {
  const facts: ListFacts = { publishedOn: null, skipped: 0 };
  const entries: ListEntry[] = [];
  for await (const entry of format.read(Array.isArray(files) ? files : [files], facts, category && { category })) entries.push(entry);
  return { entries, facts };
}

export async function refusalOf(format: ListFormat, files: ListFile | ListFile[]): Promise<ListFileError> {
  const error: unknown = await readAll(format, files).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ListFileError)) throw new Error(`the file was not refused: ${String(error)}`);
  return error;
}

export interface Sample {
  format: ListFormat;
  name: string;
  /** A valid file with several people, each on separate lines. */
  text: string;
  /** A valid file with nobody in it, or with no natural person. */
  nobody: string;
  /** A word about a person in `text` that no refusal may quote. */
  secret: string;
}

/** What a reader of any format must refuse. */
export function refusesWhatIsNoList({ format, name, text, nobody, secret }: Sample): void {
  const middle = text.indexOf(secret) + Math.floor(secret.length / 2);
  const cases: [string, ListFile, string[]][] = [
    ['an empty file', fileOf(name, ''), ['empty']],
    ['a file of whitespace', fileOf(name, ' \r\n\n '), ['empty']],
    ['a file without people', fileOf(name, nobody), ['empty']],
    ['a file cut off in the middle of a name', fileOf(name, text.slice(0, middle)), ['truncated', 'malformed']],
    ['a NUL byte', fileOf(name, text.slice(0, middle), '\0', text.slice(middle)), ['not_text']],
    [
      'invalid UTF-8 after a valid start',
      fileOf(name, `${text.slice(0, middle)}${'é'.repeat(40_000)}`, Buffer.from([0xc3, 0x28])),
      ['not_text'],
    ],
    ['another format', fileOf(name, '<?xml version="1.0"?><a><b/></a>\n'), ['missing_column', 'malformed', 'truncated', 'unknown_format']],
    ['an array nested a million deep', fileOf(name, '['.repeat(1_000_000)), ['malformed', 'truncated', 'missing_column', 'too_large']],
    ['an object nested a million deep', fileOf(name, '{"a":'.repeat(1_000_000)), ['malformed', 'truncated', 'missing_column', 'too_large']],
    ['a line of 50 MB', streamOf(name, 'x', 50, text.slice(0, middle)), ['too_large']],
  ];
  describe('refuses', () => {
    it.each(cases)('%s', async (_case, file, rules) => {
      const error = await refusalOf(format, file);
      expect(rules).toContain(error.rule);
      expect(error.message).toContain(name);
      expect(error.message).not.toContain(secret.slice(0, Math.floor(secret.length / 2)));
    });

    it.each([
      ['letters', 'abcdefgh'],
      ['brackets', '[{'],
      ['quotes', '"'],
      ['lines', 'a,b,c\n{"a":1}\n'],
      ['blank lines', '\n'],
    ])('1 GB of %s, early and in little memory', async (_case, garbage) => {
      const [startedAt, before] = [performance.now(), process.memoryUsage().rss];
      await refusalOf(format, streamOf(name, garbage, 1024));
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * MEGABYTE);
    });
  });
}
