/**
 * Model sets: the manifest of a set, and its files, read and verified. The nets decide about people, so no file runs unless its checksum is the
 * manifest's. `fetch-models.ts` fetches the default set; any other is a folder with a `manifest.json` of the same shape.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../foundation/package-root.ts';
import { padChannels } from './channels.ts';
import { rewrite } from './onnx.ts';
import { spellOutPrelu } from './prelu.ts';

const modelFile = z.object({
  name: z.string().regex(/^\w[\w.-]*$/, 'must be the name of a file in the folder of the manifest'),
  /** Path in the package's tarball. */
  path: z.string().optional(),
  bytes: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  input: z.object({
    colours: z.enum(['RGB', 'BGR', 'gray']),
    width: z.int().positive(),
    height: z.int().positive(),
    mean: z.number(),
    deviation: z.number().positive(),
  }),
});

const manifestShape = z.object({
  name: z.string(),
  licence: z.string(),
  training_data: z.string(),
  /** On the npm registry. Absent for a set that the operator put into its folder. */
  source: z.object({ package: z.string(), version: z.string() }).optional(),
  files: z.object({ detector: modelFile, landmarks: modelFile, embedder: modelFile, liveness: modelFile }),
  /** Confidence = 100 / (1 + exp(−(slope · cosine + offset))). */
  confidence: z.object({ slope: z.number().positive(), offset: z.number() }),
  /** Two photographs of one person stay below this; a copy of the same photograph does not. */
  replay_cosine: z.number().min(0).max(1),
  /** At or above `live` the person is live; below `spoof` not. */
  liveness: z.object({
    live: z.number().min(0).max(1),
    spoof: z.number().min(0).max(1),
    /** Score = 1 / (1 + exp(−(offset + Σ weight · measure))): the measures of liveness.ts. */
    weights: z.object({
      net: z.number(),
      peaks: z.number(),
      coarse: z.number().default(0),
      floor: z.number(),
      frame: z.number().default(0),
      offset: z.number(),
    }),
  }),
});

export type Manifest = z.infer<typeof manifestShape>;
export type ModelFile = z.infer<typeof modelFile>;
export type Role = keyof Manifest['files'];

export const ROLES = ['detector', 'landmarks', 'embedder', 'liveness'] as const satisfies readonly Role[];

export interface ModelSet {
  manifest: Manifest;
  /** Verified, with graphs that run faster (`channels.ts`, `prelu.ts`); in memory that the threads share. */
  files: Record<Role, Uint8Array>;
}

/** The message names the file and says what to do. */
export class ModelsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelsError';
  }
}

/** `folder`: the operator's own set. Throws `ModelsError`. */
export async function readModels(folder?: string): Promise<ModelSet> {
  const manifest = await readManifest(folder === undefined ? defaultManifestPath() : join(folder, 'manifest.json'));
  const remedy = folder === undefined ? 'fetch it with `npm run models`' : 'put it there, or correct manifest.json';
  const files = {} as Record<Role, Uint8Array>;
  for (const role of ROLES)
    files[role] = await readModel(join(folder ?? defaultFolder(), manifest.files[role].name), manifest.files[role], remedy);
  return { manifest, files };
}

export async function readManifest(path: string): Promise<Manifest> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new ModelsError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const parsed = manifestShape.safeParse(json);
  if (!parsed.success) throw new ModelsError(`${path} is not a manifest of a model set: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The build leaves this file in place, because it is not code. */
export const defaultManifestPath = (): string => join(packageRoot(), 'src/engines/face/models/default.json');

export const defaultFolder = (): string => join(packageRoot(), 'node_modules/.cache/confam-face');

export const isIntact = (bytes: Uint8Array, { bytes: length, sha256 }: ModelFile): boolean =>
  bytes.length === length && createHash('sha256').update(bytes).digest('hex') === sha256;

async function readModel(path: string, file: ModelFile, remedy: string): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ModelsError(`face model ${path} ${code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`}: ${remedy}`);
  }
  if (!isIntact(bytes, file))
    throw new ModelsError(`face model ${path} is not the file of the manifest (sha256 ${file.sha256}): ${remedy}`);
  const net = rewrite(bytes, [padChannels, spellOutPrelu]);
  const shared = new Uint8Array(new SharedArrayBuffer(net.length));
  shared.set(net);
  return shared;
}
