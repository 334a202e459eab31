/**
 * Adds channels of zeros where a net has 103 or 13 of them. ONNX Runtime convolves in blocks of channels, several times as fast, but only if their
 * number is a multiple of four. The channels that are added are 0 throughout, so the answer is the same but for rounding.
 */
import type { Graph, OnnxNode, OnnxTensor } from './onnx.ts';

const MULTIPLE = 4;
/** Position of a convolution's weights and of its bias among its inputs. */
const [WEIGHTS, BIAS] = [1, 2];

/** The path of a value whose number of channels is not a multiple, from the convolution that makes it. */
interface Stretch {
  /** Channel by channel: activations, and convolutions of each channel by itself. */
  through: OnnxNode[];
  /** Convolutions over all channels. */
  to: OnnxNode[];
}

export function padChannels(graph: Graph): void {
  const { nodes, tensors } = graph;
  /** Other nodes may use the constant too, so this one gets its own. ONNX Runtime drops unused ones. */
  const pad = (node: OnnxNode, at: number, dimension: number, by: number): void => {
    const name = node.inputs[at];
    if (name === undefined) return;
    const padded = `${name}/${node.outputs[0]}`;
    tensors.set(padded, widened(tensors.get(name)!, dimension, by));
    node.inputs[at] = padded;
  };
  for (const from of nodes) {
    const count = channelsOf(from, graph);
    const by = (MULTIPLE - (count % MULTIPLE)) % MULTIPLE;
    const stretch = by === 0 || from.group !== 1 ? null : stretchFrom(from, count, graph);
    if (stretch === null) continue;
    for (const node of [from, ...stretch.through]) for (const at of [WEIGHTS, BIAS]) pad(node, at, 0, by);
    for (const node of stretch.through) if (node.group !== 1) node.group += by;
    for (const node of stretch.to) pad(node, WEIGHTS, 1, by);
  }
}

/** Channels of a convolution's result; 0 if the node is not a convolution or its weights are not constants. */
function channelsOf({ operator, inputs }: OnnxNode, { tensors }: Graph): number {
  const isKnown = inputs.slice(WEIGHTS).every((name) => tensors.has(name));
  return operator === 'Conv' && isKnown ? tensors.get(inputs[WEIGHTS]!)!.dimensions[0]! : 0;
}

/** Null if any user of the value would see the added channels. */
function stretchFrom(from: OnnxNode, count: number, graph: Graph): Stretch | null {
  const stretch: Stretch = { through: [], to: [] };
  const names = [...from.outputs];
  for (const name of names) {
    if (graph.outputs.includes(name)) return null;
    for (const node of graph.nodes) {
      if (!node.inputs.includes(name)) continue;
      const isActivation =
        node.operator === 'Relu' || (node.operator === 'PRelu' && graph.tensors.get(node.inputs[1]!)?.dimensions[0] === count);
      const isConvolution = node.inputs[0] === name && channelsOf(node, graph) > 0;
      if (isActivation || (isConvolution && node.group === count && channelsOf(node, graph) === count)) {
        stretch.through.push(node);
        names.push(...node.outputs);
      } else if (isConvolution && node.group === 1) stretch.to.push(node);
      else return null;
    }
  }
  return stretch;
}

/** With zeros after the last place of a dimension. */
function widened({ dimensions, values }: OnnxTensor, dimension: number, by: number): OnnxTensor {
  const after = dimensions.slice(dimension + 1).reduce((all, size) => all * size, 1);
  const line = dimensions[dimension]! * after;
  const wide = line + by * after;
  const lines = values.length / line;
  const padded = new Float32Array(lines * wide);
  for (let i = 0; i < lines; i += 1) padded.set(values.subarray(i * line, (i + 1) * line), i * wide);
  return { dimensions: dimensions.with(dimension, dimensions[dimension]! + by), values: padded };
}
