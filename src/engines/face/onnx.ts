/** Reads the parts of an ONNX model that are needed to change its graph, and writes the model back. All other bytes are copied unchanged. */

/** Field numbers: onnx.proto3, ModelProto, OperatorSetIdProto, GraphProto, NodeProto, AttributeProto, TensorProto. */
const MODEL = { graph: 7, operatorSet: 8 };
const OPERATOR_SET = { domain: 1, version: 2 };
const GRAPH = { node: 1, tensor: 5, output: 12 };
const NODE = { input: 1, output: 2, operator: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, integer: 3, type: 20 };
const TENSOR = { dimension: 1, type: 2, name: 8, values: 9 };
/** The name of a graph's output is its first field. */
const OUTPUT_NAME = 1;
const FLOAT = 1;
const INTEGER = 2;
/** From this version on PReLU's slope is broadcast over the picture by the rule of today. */
const VERSION_MIN = 7;

export interface OnnxNode {
  operator: string;
  inputs: string[];
  outputs: string[];
  /** Groups of a convolution; 1 unless the model says otherwise. */
  group: number;
  /** Other fields of the node, with numbers and lengths. */
  rest: Uint8Array[];
}

export interface OnnxTensor {
  dimensions: number[];
  values: Float32Array;
}

export interface Graph {
  nodes: OnnxNode[];
  /** Constants of 32-bit floats, by name. */
  tensors: Map<string, OnnxTensor>;
  /** Names of the values that the model returns. */
  outputs: string[];
}

/** Returns unchanged a model that cannot be read or is too old: whether it can be opened is for ONNX Runtime to say. */
export function rewrite(model: Uint8Array, changes: readonly ((graph: Graph) => void)[]): Uint8Array {
  try {
    const fields = [...read(model)];
    if (versionOf(fields) < VERSION_MIN) return model;
    return Buffer.concat(
      fields.map(({ number, value, whole }) => {
        if (number !== MODEL.graph) return whole;
        const { rest, ...graph } = readGraph(value);
        for (const change of changes) change(graph);
        return encode(MODEL.graph, Buffer.concat([...graph.nodes.map(encodeNode), ...[...graph.tensors].map(encodeTensor), ...rest]));
      }),
    );
  } catch (error) {
    if (error instanceof RangeError) return model;
    throw error;
  }
}

/** Version of ONNX's own operators, whose domain has no name. */
function versionOf(fields: readonly Field[]): number {
  const sets = fields.filter(({ number }) => number === MODEL.operatorSet).map(({ value }) => [...read(value)]);
  const own = sets.find((set) => set.every(({ number, value }) => number !== OPERATOR_SET.domain || value.length === 0));
  return own?.find(({ number }) => number === OPERATOR_SET.version)?.varint ?? 0;
}

function readGraph(bytes: Uint8Array): Graph & { rest: Uint8Array[] } {
  const graph: Graph & { rest: Uint8Array[] } = { nodes: [], tensors: new Map(), outputs: [], rest: [] };
  for (const { number, value, whole } of read(bytes)) {
    const tensor = number === GRAPH.tensor ? readTensor(value) : null;
    if (number === GRAPH.node) graph.nodes.push(readNode(value));
    else if (tensor !== null) graph.tensors.set(...tensor);
    else graph.rest.push(whole);
    if (number === GRAPH.output) graph.outputs.push(...textsOf([...read(value)], OUTPUT_NAME));
  }
  return graph;
}

function readNode(bytes: Uint8Array): OnnxNode {
  const fields = [...read(bytes)];
  const isGroup = ({ number, value }: Field): boolean =>
    number === NODE.attribute && textsOf([...read(value)], ATTRIBUTE.name)[0] === 'group';
  const group = fields.find(isGroup);
  const known = [NODE.input, NODE.output, NODE.operator];
  return {
    operator: textsOf(fields, NODE.operator)[0] ?? '',
    inputs: textsOf(fields, NODE.input),
    outputs: textsOf(fields, NODE.output),
    group: group === undefined ? 1 : [...read(group.value)].find(({ number }) => number === ATTRIBUTE.integer)!.varint,
    rest: fields.filter((field) => !known.includes(field.number) && !isGroup(field)).map(({ whole }) => whole),
  };
}

/** Null unless it is of 32-bit floats, written as bytes. */
function readTensor(bytes: Uint8Array): [name: string, tensor: OnnxTensor] | null {
  const fields = [...read(bytes)];
  const known = Object.values(TENSOR);
  const raw = fields.find(({ number }) => number === TENSOR.values);
  const isFloat = fields.some(({ number, varint }) => number === TENSOR.type && varint === FLOAT);
  const isPlain = fields.every(({ number, isVarint }) => known.includes(number) && (number !== TENSOR.dimension || isVarint));
  if (raw === undefined || !isFloat || !isPlain) return null;
  const dimensions = fields.filter(({ number }) => number === TENSOR.dimension).map(({ varint }) => varint);
  // Copied, because floats must start at a multiple of four bytes.
  return [textsOf(fields, TENSOR.name)[0] ?? '', { dimensions, values: new Float32Array(Uint8Array.from(raw.value).buffer) }];
}

const textsOf = (fields: readonly Field[], wanted: number): string[] =>
  fields.filter(({ number }) => number === wanted).map(({ value }) => Buffer.from(value).toString());

function encodeNode({ operator, inputs, outputs, group, rest }: OnnxNode): Uint8Array {
  const text = (number: number) => (name: string) => encode(number, Buffer.from(name));
  const groups =
    group === 1
      ? []
      : [encode(ATTRIBUTE.name, Buffer.from('group')), encodeVarint(ATTRIBUTE.integer, group), encodeVarint(ATTRIBUTE.type, INTEGER)];
  return encode(
    GRAPH.node,
    Buffer.concat([
      ...inputs.map(text(NODE.input)),
      ...outputs.map(text(NODE.output)),
      text(NODE.operator)(operator),
      ...(groups.length === 0 ? [] : [encode(NODE.attribute, Buffer.concat(groups))]),
      ...rest,
    ]),
  );
}

function encodeTensor([name, { dimensions, values }]: [string, OnnxTensor]): Uint8Array {
  return encode(
    GRAPH.tensor,
    Buffer.concat([
      ...dimensions.map((size) => encodeVarint(TENSOR.dimension, size)),
      encodeVarint(TENSOR.type, FLOAT),
      encode(TENSOR.name, Buffer.from(name)),
      encode(TENSOR.values, Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
    ]),
  );
}

interface Field {
  number: number;
  /** Content of a string or message; empty otherwise. */
  value: Uint8Array;
  varint: number;
  isVarint: boolean;
  /** Including its number and length. */
  whole: Uint8Array;
}

/** Protocol Buffers, "Encoding": wire types. */
const KIND = { varint: 0, eightBytes: 1, bytes: 2, fourBytes: 5 };

function lengthOf(kind: number, told: number): number {
  if (kind === KIND.bytes) return told;
  if (kind === KIND.varint) return 0;
  if (kind === KIND.eightBytes) return 8;
  if (kind === KIND.fourBytes) return 4;
  throw new RangeError('no such wire type');
}

function* read(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at];
      at += 1;
      if (byte === undefined) throw new RangeError('the message ends early');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const start = at;
    const tag = varint();
    const kind = tag & 7;
    const number = kind === KIND.varint || kind === KIND.bytes ? varint() : 0;
    const length = lengthOf(kind, number);
    if (at + length > message.length) throw new RangeError('the message ends early');
    const value = message.subarray(at, at + (kind === KIND.bytes ? length : 0));
    at += length;
    yield { number: tag >>> 3, value, varint: number, isVarint: kind === KIND.varint, whole: message.subarray(start, at) };
  }
}

const encode = (number: number, value: Uint8Array): Uint8Array =>
  Buffer.concat([varintOf(number * 8 + KIND.bytes), varintOf(value.length), value]);

const encodeVarint = (number: number, value: number): Uint8Array => Buffer.concat([varintOf(number * 8 + KIND.varint), varintOf(value)]);

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
