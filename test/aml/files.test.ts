/** The files of a list on a disk. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fingerprint, openPaths } from '../../src/aml/files.ts';
import type { ListFile } from '../../src/engines/aml/list.ts';

const folder = mkdtempSync(join(tmpdir(), 'list-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function textOf(file: ListFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const opened = async (...paths: string[]) => {
  const files = await openPaths(paths);
  return Promise.all(files.map(async (file) => [file.name, await textOf(file)]));
};

describe('files of a list', () => {
  it('can be reopened at will, and are gunzipped whatever their name says', async () => {
    const packed = gzipSync('second');
    const paths = [write('a.csv', 'first'), write('b.csv.gz', packed), write('c.csv', packed)];
    expect(await opened(...paths)).toEqual([
      ['a.csv', 'first'],
      ['b.csv', 'second'],
      ['c.csv', 'second'],
    ]);
    const [file] = await openPaths(paths);
    expect([await textOf(file!), await textOf(file!)]).toEqual(['first', 'first']);
  });

  it('in a folder are its visible files, without subfolders', async () => {
    write('notices/1.json', '{}');
    write('notices/2.json', '[]');
    write('notices/.DS_Store', 'x');
    write('notices/deeper/3.json', 'x');
    expect((await opened(join(folder, 'notices'))).sort()).toEqual([
      ['1.json', '{}'],
      ['2.json', '[]'],
    ]);
  });

  it('have one checksum in any order and packing; for one file it equals sha256sum', async () => {
    const [a, b] = [write('x/a.txt', 'one'), write('x/b.txt', 'two')];
    const sum = (text: string) => createHash('sha256').update(text).digest('hex');
    const checksum = async (...paths: string[]) => (await fingerprint(await openPaths(paths))).checksum.toString('hex');
    expect(await checksum(a)).toBe(sum('one'));
    expect(await checksum(b, a)).toBe(sum('onetwo'));
    expect(await checksum(b, write('x/a.txt.gz', gzipSync('one')))).toBe(sum('onetwo'));
  });

  it.each([
    ['is not there', () => join(folder, 'none.csv'), 'missing_file'],
    ['is a gzip file cut off', () => write('cut.gz', gzipSync('x'.repeat(10_000)).subarray(0, 40)), 'truncated'],
    ['is a bomb', () => write('bomb.gz', gzipSync(Buffer.alloc(40_000_000))), 'too_large'],
    ['is an empty folder', () => mkdirSync(join(folder, 'empty'), { recursive: true })!, 'missing_file'],
  ])('are refused by name if one %s', async (_, path, rule) => {
    await expect(opened(path())).rejects.toMatchObject({ name: 'ListFileError', rule });
  });
});
