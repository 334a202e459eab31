/** The nets answer exactly what their files would, and a file that is no net is left alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/face/scene.ts';
import { defaultFolder, ROLES, readModels } from '../../../src/engines/face/models.ts';
import { spellOutPrelu } from '../../../src/engines/face/prelu.ts';
import { modelsAreHere, skipNote } from './faces.ts';

describe('PReLU spelt out', () => {
  it('a file that is no model comes back unchanged', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no net'), Buffer.from([0x3a, 0xff, 0xff]), Buffer.from([0x0f])])
      expect(spellOutPrelu(bytes)).toBe(bytes);
  });

  it.skipIf(!modelsAreHere)(modelsAreHere ? 'each net gives the same' : skipNote('each net gives the same'), async () => {
    const { manifest, files } = await readModels();
    const random = seeded(3);
    for (const role of ROLES) {
      const bytes = new Uint8Array(readFileSync(join(defaultFolder(), manifest.files[role].name)));
      const changed = new Uint8Array(files[role]);
      const has = (text: string, where: Uint8Array): boolean => Buffer.from(where).includes(text);
      expect([role, has('PRelu', changed)]).toEqual([role, false]);
      const { input } = manifest.files[role];
      const shape = [1, input.colours === 'gray' ? 1 : 3, input.height, input.width];
      const values = Float32Array.from(
        { length: shape.reduce((all, size) => all * size) },
        () => (random() * 255 - input.mean) / input.deviation,
      );
      const answers = [];
      for (const model of [bytes, changed]) {
        const session = await InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 3 });
        const tensors = await session.run({ [session.inputNames[0]!]: new Tensor('float32', values, shape) });
        answers.push(session.outputNames.map((name) => [...(tensors[name]!.data as Float32Array)]));
      }
      expect(answers[1]).toEqual(answers[0]);
    }
  });
});
