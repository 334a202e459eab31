/**
 * Expands PReLU in a model's graph before the net is opened. ONNX Runtime branches on each value of PReLU and mispredicts on every photograph: two
 * fifths of an embedder's time. As relu(x) − slope · relu(−x), with both products as convolutions of one pixel and one channel, every value stays in
 * the order of channels in which ONNX Runtime convolves. The answer is the same to the last bit (test/engines/face/nets.test.ts).
 */
import type { Graph, OnnxNode } from './onnx.ts';

/** A slope that is not one for each channel stays as it is. */
export function spellOutPrelu(graph: Graph): void {
  graph.nodes = graph.nodes.flatMap((node) => {
    const [[x, slope], [y]] = [node.inputs as [string, string], node.outputs as [string]];
    const tensor = graph.tensors.get(slope);
    if (node.operator !== 'PRelu' || tensor === undefined || !isPerChannel(tensor.dimensions)) return [node];
    const channels = tensor.values.length;
    const [opposite, weights] = [`${y}/opposite`, `${y}/weights`];
    graph.tensors.set(opposite, { dimensions: [channels, 1, 1, 1], values: new Float32Array(channels).fill(-1) });
    graph.tensors.set(weights, { dimensions: [channels, 1, 1, 1], values: tensor.values.map((value) => -value) });
    return [
      plain('Relu', [x], `${y}/positive`),
      { ...plain('Conv', [x, opposite], `${y}/turned`), group: channels },
      plain('Relu', [`${y}/turned`], `${y}/negative`),
      { ...plain('Conv', [`${y}/negative`, weights], `${y}/sloped`), group: channels },
      plain('Add', [`${y}/sloped`, `${y}/positive`], y),
    ];
  });
}

/** [channels, 1, 1] */
const isPerChannel = ([channels, ...others]: readonly number[]): boolean =>
  channels! > 1 && others.length === 2 && others.every((size) => size === 1);

const plain = (operator: string, inputs: string[], output: string): OnnxNode => ({
  operator,
  inputs,
  outputs: [output],
  group: 1,
  rest: [],
});
