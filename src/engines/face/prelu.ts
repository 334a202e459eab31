/**
 * Expands PReLU in a model's graph before the net is opened. ONNX Runtime branches on each value of PReLU and mispredicts on every photograph: two
 * fifths of an embedder's time. In whole vectors, relu(x) + slope · (x − relu(x)) gives the same, to the last bit (test/engines/face/prelu.test.ts).
 */

/** Field numbers: onnx.proto3, ModelProto, OperatorSetIdProto, GraphProto, NodeProto. */
const MODEL = { graph: 7, operatorSet: 8 };
const OPERATOR_SET = { domain: 1, version: 2 };
const GRAPH = { node: 1 };
const NODE = { input: 1, output: 2, operator: 4 };
/** From this version on both forms broadcast the slope over the picture by the same rule. */
const BROADCAST_VERSION = 7;

/** Returns an unreadable model unchanged: ONNX Runtime will refuse it. */
export function spellOutPrelu(model: Uint8Array): Uint8Array {
  try {
    const fields = [...read(model)];
    if (versionOf(fields) < BROADCAST_VERSION) return model;
    return Buffer.concat(
      fields.map((field) => (field.number === MODEL.graph ? encode(MODEL.graph, graphWithout(field.value)) : field.whole)),
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

function graphWithout(graph: Uint8Array): Uint8Array {
  return Buffer.concat(
    [...read(graph)].map(({ number, value, whole }) => {
      if (number !== GRAPH.node) return whole;
      const parts = [...read(value)];
      const named = (wanted: number): string[] =>
        parts.filter((part) => part.number === wanted).map((part) => Buffer.from(part.value).toString());
      const [operator] = named(NODE.operator);
      if (operator !== 'PRelu') return whole;
      const [[x, slope], [y]] = [named(NODE.input) as [string, string], named(NODE.output) as [string]];
      return Buffer.concat([
        node('Relu', [x], `${y}/positive`),
        node('Sub', [x, `${y}/positive`], `${y}/negative`),
        node('Mul', [`${y}/negative`, slope], `${y}/sloped`),
        node('Add', [`${y}/positive`, `${y}/sloped`], y),
      ]);
    }),
  );
}

function node(operator: string, inputs: readonly string[], output: string): Uint8Array {
  const fields = [...inputs.map((input) => encode(NODE.input, Buffer.from(input))), encode(NODE.output, Buffer.from(output))];
  return encode(GRAPH.node, Buffer.concat([...fields, encode(NODE.operator, Buffer.from(operator))]));
}

interface Field {
  number: number;
  /** Content of a string or message; empty otherwise. */
  value: Uint8Array;
  varint: number;
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
    yield { number: tag >>> 3, value, varint: number, whole: message.subarray(start, at) };
  }
}

function encode(number: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varintOf(number * 8 + 2), varintOf(value.length), value]);
}

function varintOf(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
