/** No byte of a net runs that the manifest does not vouch for: missing, altered or wrong files are named, with what to do. */
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPhotographs, readPhotograph } from '../../../bench/photographs.ts';
import { openFaceEngine } from '../../../src/engines/face/engine.ts';
import {
  defaultFolder,
  defaultManifestPath,
  type Manifest,
  ModelsError,
  ROLES,
  readManifest,
  readModels,
} from '../../../src/engines/face/models.ts';
import { readTarball } from '../../../src/engines/face/read-tarball.ts';
import { modelsAreHere, skipNote } from './faces.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'confam-models-test-'));
  cpSync(defaultManifestPath(), join(folder, 'manifest.json'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function change(by: (manifest: Manifest) => void): Promise<void> {
  const manifest = await readManifest(defaultManifestPath());
  by(manifest);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

async function problem(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelsError);
  return (error as Error).message;
}

describe('model sets', () => {
  it('the default manifest names a package, a licence and four files', async () => {
    const manifest = await readManifest(defaultManifestPath());
    expect(manifest.source).toEqual({ package: 'faceplugin-face-recognition-js', version: '0.0.1' });
    expect(ROLES.map((role) => manifest.files[role].bytes).reduce((sum, bytes) => sum + bytes)).toBe(9_152_580);
  });

  it('a missing folder, an invalid manifest and a missing file are told apart', async () => {
    expect(await problem(readModels(join(folder, 'nowhere')))).toContain('manifest.json cannot be read');
    expect(await problem(readModels(folder))).toMatch(/fr_detect\.onnx is missing: put it there/);
    mkdirSync(join(folder, 'fr_detect.onnx'));
    expect(await problem(readModels(folder))).toMatch(/fr_detect\.onnx cannot be read \(EISDIR\): put it there/);
    writeFileSync(join(folder, 'manifest.json'), '{"name": "x"}');
    expect(await problem(openFaceEngine({ threads: 1, modelsFolder: folder }))).toContain('is not a manifest of a model set');
    writeFileSync(join(folder, 'manifest.json'), '{');
    expect(await problem(readModels(folder))).toContain('cannot be read');
  });

  it('a manifest cannot point out of its folder', async () => {
    for (const name of ['../../etc/passwd', '/etc/passwd', '..', 'nets/../../x.onnx', '']) {
      await change((manifest) => {
        manifest.files.detector.name = name;
      });
      expect(await problem(readModels(folder))).toContain('must be the name of a file');
    }
  });

  it.skipIf(!modelsAreHere)('one byte more is an altered file', async () => {
    cpSync(defaultFolder(), folder, { recursive: true });
    expect((await readModels(folder)).manifest.name).toBe('faceplugin-0.0.1');
    appendFileSync(join(folder, 'fr_liveness.onnx'), 'x');
    expect(await problem(readModels(folder))).toMatch(/fr_liveness\.onnx is not the file of the manifest \(sha256 afa783b7/);
  });
});

/** A set of the operator's own: the default set in another folder, under another name. */
describe.skipIf(!modelsAreHere)(
  modelsAreHere ? 'a set of one’s own' : 'a set of one’s own (SKIPPED: no face models, see `npm run models`)',
  () => {
    const open = () => openFaceEngine({ threads: 1, modelsFolder: folder });
    beforeEach(() => cpSync(defaultFolder(), folder, { recursive: true }));

    it('a checksum of the manifest that is not the file’s', async () => {
      await change((manifest) => {
        manifest.files.embedder.sha256 = 'ab'.repeat(32);
      });
      expect(await problem(open())).toMatch(
        /fr_feature\.onnx is not the file of the manifest \(sha256 abab.*\): put it there, or correct manifest\.json/,
      );
    });

    it('a net that takes other pictures than the manifest says', async () => {
      await change((manifest) => {
        manifest.files.embedder.input.width = 96;
      });
      expect(await problem(open())).toBe(
        'face model fr_feature.onnx (embedder) takes 1 × 3 × 112 × 112 values, but the manifest says 1 × 3 × 112 × 96',
      );
    });

    it('a net in the place of another', async () => {
      await change((manifest) => {
        manifest.files.liveness = { ...manifest.files.embedder };
      });
      expect(await problem(open())).toBe('face model fr_feature.onnx (liveness) gives 1 × 512 values, which is not what such a net gives');
    });

    it('a file that is no net', async () => {
      const bytes = Buffer.from('no net');
      writeFileSync(join(folder, 'own.onnx'), bytes);
      await change((manifest) => {
        Object.assign(manifest.files.detector, {
          name: 'own.onnx',
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        });
      });
      expect(await problem(open())).toMatch(/^face model own\.onnx \(detector\) is not a net that ONNX Runtime can open/);
    });

    it.skipIf(!hasPhotographs)(skipNote('its calibration and its limits hold'), async () => {
      await change((manifest) => {
        manifest.name = 'own';
        manifest.confidence = { slope: 1, offset: -1 };
        manifest.liveness = { live: 0, spoof: 0, weights: { net: 0, peaks: 0, coarse: 0, floor: 0, frame: 0, offset: -3 } };
        manifest.replay_cosine = 0.2;
      });
      const engine = await open();
      const [selfie, portrait] = [readPhotograph('c_Tony_Blair_0001'), readPhotograph('c_Tony_Blair_0002')];
      const verdict = await engine.compare({ selfie, portrait, wantsLiveness: true });
      await engine.close();
      expect((await readModels(folder)).manifest.name).toBe('own');
      expect(verdict.confidence).toBeCloseTo(100 / (1 + Math.exp(1 - verdict.cosine)), 6);
      expect(verdict.confidence).toBeLessThan(50);
      expect(verdict.replay_suspected).toBe(true);
      expect(verdict.liveness).toEqual({ score: expect.closeTo(1 / (1 + Math.exp(3)), 6), decision: 'live', reason: null });
    });
  },
);

describe('tarball', () => {
  let archive: Buffer;
  beforeAll(async () => {
    const packed = pack();
    packed.entry({ name: 'package/a.txt' }, 'hello');
    packed.entry({ name: 'package/model/b.bin' }, Buffer.alloc(300_000, 7));
    packed.entry({ name: 'package/c' }, '');
    packed.finalize();
    archive = await buffer(packed);
  });

  async function read(bytes: Buffer, wanted: string[]): Promise<[string, number][]> {
    const found: [string, number][] = [];
    for await (const file of readTarball(Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]), (path) => wanted.includes(path)))
      found.push([file.path, file.bytes.length]);
    return found;
  }

  it('yields the requested files, whatever chunks it arrives in', async () => {
    expect(await read(gzipSync(archive), ['package/model/b.bin', 'package/c'])).toEqual([
      ['package/model/b.bin', 300_000],
      ['package/c', 0],
    ]);
  });

  it('a truncated or invalid archive is an error', async () => {
    await expect(read(gzipSync(archive.subarray(0, 2_000)), ['package/model/b.bin'])).rejects.toThrow('Unexpected end of data');
    await expect(read(gzipSync(archive).subarray(0, 200), ['package/model/b.bin'])).rejects.toThrow();
    await expect(read(gzipSync(Buffer.alloc(1024, 65)), [])).rejects.toThrow('Invalid tar header');
  });
});
