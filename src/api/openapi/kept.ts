/**
 * Keeps what the thread wrote, for later starts of the same code: writing it takes seconds of a processor and more than 100 MB. It depends on nothing
 * but what the package holds, so a digest of that tells whether it is current.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../../foundation/package-root.ts';
import type { Written } from './document-thread.ts';

const FROM_SOURCES = import.meta.url.endsWith('.ts');
/** `src/`, or what it was compiled to. */
const CODE = fileURLToPath(new URL('../../', import.meta.url));
/** Beside the compiled code, so that it is part of a package and of an image; in `dist/` for the sources. */
export const keptPath = (): string =>
  FROM_SOURCES ? join(packageRoot(), 'dist/openapi.json') : fileURLToPath(new URL('./openapi.json', import.meta.url));

const Kept = z.object({ code: z.string(), json: z.string(), pages: z.array(z.object({ name: z.string(), markdown: z.string() })) });

/** Null if nothing is kept, or what other code wrote. */
export async function readKept(path: string): Promise<Written | null> {
  const [text, code] = await Promise.all([readFile(path, 'utf8').catch(() => null), digestOfCode()]);
  if (text === null) return null;
  try {
    const kept = Kept.parse(JSON.parse(text));
    return kept.code === code ? { json: kept.json, pages: kept.pages } : null;
  } catch {
    return null;
  }
}

/** Throws if the folder may not be written. */
export async function keep(written: Written, path: string): Promise<void> {
  const partial = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(partial, JSON.stringify({ code: await digestOfCode(), ...written }));
  await rename(partial, path);
}

/** Of the names and contents of all modules, of the sandbox's lists, and of package.json, which names the packages with their versions. */
async function digestOfCode(): Promise<string> {
  const root = packageRoot();
  const paths = [
    join(root, 'package.json'),
    ...(await filesIn(CODE)).filter((path) => /\.[jt]s$/.test(path)),
    ...(await filesIn(join(root, 'src/sandbox/watch-lists'))),
  ];
  const digest = createHash('sha256');
  for (const path of paths) {
    const content = await readFile(path);
    digest.update(`${relative(root, path)} ${content.length}\n`).update(content);
  }
  return digest.digest('base64url');
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
