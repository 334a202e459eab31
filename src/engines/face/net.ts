/** One net of a model set: takes a picture's planes, in the channel order and value range that its manifest states, and returns its tensors. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { luma, type Planes } from './picture.ts';

/** What a net was trained on. */
export interface Input {
  colours: 'RGB' | 'BGR' | 'gray';
  width: number;
  height: number;
  /** Subtracted from each value (0 to 255) before it is divided by `deviation`. */
  mean: number;
  deviation: number;
}

export interface Net {
  input: Input;
  /** Tensors in the net's own order. Consumes the planes: copying them would be most of a thread's garbage. */
  run(planes: Planes): Promise<Float32Array[]>;
}

/** One core for each net: the other threads use the others. */
const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
};

/** `outputs`: values of each tensor for one picture; null: any number. Throws `NetError`. */
export async function openNet(bytes: Uint8Array, input: Input, outputs: readonly (number | null)[]): Promise<Net> {
  const session = await InferenceSession.create(bytes, OPTIONS).catch((error: Error) => {
    throw new NetError(`is not a net that ONNX Runtime can open (${error.message.split('\n')[0]})`);
  });
  const inputName = session.inputNames[0]!;
  const shape = [1, input.colours === 'gray' ? 1 : 3, input.height, input.width];
  refuseOtherShapes(session, shape, outputs);
  return {
    input,
    async run(planes) {
      const tensors = await session.run({ [inputName]: new Tensor('float32', normalize(planes, input), shape) });
      return session.outputNames.map((name) => tensors[name]!.data as Float32Array);
    },
  };
}

/** A file's content does not match the manifest. */
export class NetError extends Error {}

/** A dimension that a net leaves open has a name instead of a number. */
function refuseOtherShapes(session: InferenceSession, shape: readonly number[], outputs: readonly (number | null)[]): void {
  const [input, ...others] = session.inputMetadata;
  const takes = input?.isTensor ? input.shape : [];
  if (others.length > 0 || takes.length !== shape.length || takes.some((size, i) => typeof size === 'number' && size !== shape[i]))
    throw new NetError(`takes ${takes.join(' × ')} values, but the manifest says ${shape.join(' × ')}`);
  const gives = session.outputMetadata.map((output) => (output.isTensor ? output.shape : []));
  const fits = (sizes: readonly (number | string)[], values: number | null): boolean =>
    values === null ||
    sizes.some((size) => typeof size === 'string') ||
    sizes.reduce<number>((all, size) => all * Number(size), 1) === values;
  if (gives.length !== outputs.length || !gives.every((sizes, i) => fits(sizes, outputs[i]!)))
    throw new NetError(`gives ${gives.map((sizes) => sizes.join(' × ')).join(' and ')} values, which is not what such a net gives`);
}

function normalize(planes: Planes, { colours, mean, deviation }: Input): Float32Array {
  const values = colours === 'gray' ? luma(planes) : planes.data;
  if (colours === 'BGR') {
    const plane = planes.width * planes.height;
    const red = values.slice(0, plane);
    values.copyWithin(0, 2 * plane);
    values.set(red, 2 * plane);
  }
  const scale = 1 / deviation;
  for (let i = 0; i < values.length; i += 1) values[i] = (values[i]! - mean) * scale;
  return values;
}
