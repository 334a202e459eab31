/**
 * Bundles the console (`src/console/`) into `dist/console/`: scripts and styles whose names contain a hash of their content, each also compressed. It runs at
 * installation, in `npm run build`, and at a start whose sources are newer than the bundle. `files.ts` serves it.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { packageRoot } from '../../foundation/package-root.ts';

/** What the page loads first, and every file that it may load later. */
export interface Bundle {
  script: string;
  style: string;
  /** Scripts that `script` imports at once: the browser fetches them beside it. */
  preload: string[];
  files: string[];
}

const MANIFEST = 'bundle.json';

export const bundleFolder = (): string => join(packageRoot(), 'dist/console');
const sourceFolders = (): string[] => ['src/console', 'src/client'].map((folder) => join(packageRoot(), folder));

/** Null if there is none. */
export async function readBundle(): Promise<Bundle | null> {
  const path = join(bundleFolder(), MANIFEST);
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Bundle) : null;
}

/** Whether the bundle is missing or older than its sources. An image has no sources: what was built with it is current. */
export function isStale(): boolean {
  const folders = sourceFolders();
  if (!folders.every(existsSync)) return false;
  const manifest = join(bundleFolder(), MANIFEST);
  if (!existsSync(manifest)) return true;
  const built = statSync(manifest).mtimeMs;
  return folders.some((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => statSync(join(folder, name)).mtimeMs > built),
  );
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Files get their names only once they are complete, the manifest last: another process may be building or reading. */
export async function buildConsole(): Promise<Bundle> {
  const { build } = await import('esbuild');
  const root = packageRoot();
  const folder = bundleFolder();
  const entries = { script: 'src/console/main.tsx', style: 'src/console/style.css' };
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.values(entries),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: folder,
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  await mkdir(folder, { recursive: true });
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    await put(join(folder, name), contents);
    await put(join(folder, `${name}.br`), await brotli(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
    await put(join(folder, `${name}.gz`), await zip(contents, { level: 9 }));
  }
  const outputs = Object.entries(metafile.outputs);
  const [scriptPath, script] = outputs.find(([, { entryPoint }]) => entryPoint === entries.script)!;
  const [stylePath] = outputs.find(([, { entryPoint }]) => entryPoint === entries.style)!;
  const bundle: Bundle = {
    script: basename(scriptPath),
    style: basename(stylePath),
    preload: script.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
    files: outputFiles.map(({ path }) => basename(path)),
  };
  await put(join(folder, MANIFEST), JSON.stringify(bundle));
  await removeOld(folder, bundle);
  return bundle;
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, content);
  await rename(partial, path);
}

/** Processes that still serve the previous bundle have it in memory. */
async function removeOld(folder: string, { files }: Bundle): Promise<void> {
  const current = new Set([MANIFEST, ...files.flatMap((name) => [name, `${name}.br`, `${name}.gz`])]);
  const old = (await readdir(folder)).filter((name) => /\.(?:js|css)(?:\.br|\.gz)?$/.test(name) && !current.has(name));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (sourceFolders().every(existsSync)) await buildConsole();
}
