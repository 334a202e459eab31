/** The nets answer what their files would, and a file that is no net is left alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/face/scene.ts';
import { padChannels } from '../../../src/engines/face/channels.ts';
import { defaultFolder, ROLES, readModels } from '../../../src/engines/face/models.ts';
import { rewrite } from '../../../src/engines/face/onnx.ts';
import { spellOutPrelu } from '../../../src/engines/face/prelu.ts';
import { modelsAreHere, skipNote } from './faces.ts';

describe('nets as they are run', () => {
  it('a file that is no model comes back unchanged', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no net'), Buffer.from([0x3a, 0xff, 0xff]), Buffer.from([0x0f])])
      expect(rewrite(bytes, [padChannels, spellOutPrelu])).toBe(bytes);
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
      const odd: number[] = [];
      rewrite(changed, [
        ({ nodes, tensors }) => {
          for (const { operator, inputs } of nodes) {
            const channels = operator === 'Conv' ? tensors.get(inputs[1]!)!.dimensions[0]! : 0;
            if (channels % 4 !== 0) odd.push(channels);
          }
        },
      ]);
      // The detector's own outputs have six channels.
      expect([role, odd.filter((channels) => channels !== 6)]).toEqual([role, []]);
      // Channels that are added change the order in which the others are summed.
      if (role === 'liveness') for (const [i, value] of answers[1]![0]!.entries()) expect(value).toBeCloseTo(answers[0]![0]![i]!, 4);
      else expect([role, answers[1]]).toEqual([role, answers[0]]);
    }
  });
});
