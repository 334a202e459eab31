/** Reads one JSON document: a large one element by element, a small one whole. Both are bounded. */
import { JSONParser, TokenType } from '@streamparser/json';
import { type ListFile, ListFileError } from '../list.ts';
import { readText } from './text.ts';

export interface JsonElement {
  /** The array that holds the element, and the position in it, from 1. */
  member: string;
  number: number;
  value: unknown;
}

const ELEMENT_BYTES_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 64;
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;

/** The elements of these arrays, in file order. Other members are skipped. */
export async function* readJsonElements(file: ListFile, members: readonly string[]): AsyncGenerator<JsonElement> {
  const reader = new ElementReader(file.name, members);
  for await (const piece of readText(file)) yield* reader.take(piece);
  reader.end();
}

/** Undefined for an empty file. */
export async function readJsonDocument(file: ListFile): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of readText(file)) {
    bytes += piece.length;
    if (bytes > DOCUMENT_BYTES_MAX) throw new ListFileError('too_large', `${file.name}: more than ${DOCUMENT_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the document.
    throw new ListFileError('malformed', `${file.name} is not valid JSON; it may be cut off`);
  }
}

/** Takes text and emits elements. Values outside the wanted arrays are dropped as soon as they are complete. */
class ElementReader {
  private elements: JsonElement[] = [];
  private readonly counts = new Map<string, number>();
  private depth = 0;
  private isEmpty = true;
  /** Bytes consumed since the last complete element (or token, outside elements). Bounds what the parser may hold. */
  private pendingBytes = 0;
  private readonly parser: JSONParser;
  private readonly name: string;

  constructor(name: string, members: readonly string[]) {
    this.name = name;
    this.parser = new JSONParser({ paths: members.map((member) => `$.${member}.*`), keepStack: false });
    this.parser.onToken = ({ token }) => this.onToken(token);
    this.parser.onValue = ({ value, parent, stack }) => {
      const member = String(stack[1]?.key);
      if (!Array.isArray(parent)) throw new ListFileError('malformed', `${name}: ${member} is not an array`);
      const number = (this.counts.get(member) ?? 0) + 1;
      this.counts.set(member, number);
      this.elements.push({ member, number, value });
      this.pendingBytes = 0;
    };
  }

  take(piece: Buffer): JsonElement[] {
    this.pendingBytes += piece.length;
    this.parse(() => this.parser.write(piece));
    if (this.pendingBytes > ELEMENT_BYTES_MAX)
      throw new ListFileError('too_large', `${this.where()}: an element of more than ${ELEMENT_BYTES_MAX} bytes`);
    const elements = this.elements;
    this.elements = [];
    return elements;
  }

  end(): void {
    if (this.isEmpty) throw new ListFileError('empty', `${this.name} is empty`);
    if (this.depth > 0) throw new ListFileError('truncated', `${this.where()}: the document ends too early`);
    this.parse(() => this.parser.isEnded || this.parser.end());
  }

  /** The parser's own messages quote the document. */
  private parse(step: () => unknown): void {
    try {
      step();
    } catch (error) {
      throw error instanceof ListFileError ? error : new ListFileError('malformed', `${this.where()}: not valid JSON`);
    }
  }

  private onToken(token: TokenType): void {
    if (this.isEmpty && token !== TokenType.LEFT_BRACE) throw new ListFileError('malformed', `${this.name} is not a JSON object`);
    this.isEmpty = false;
    // Deeper values belong to an array element, wanted or not.
    if (this.depth <= 2) this.pendingBytes = 0;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.depth += 1;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.depth -= 1;
    if (this.depth > DEPTH_MAX) throw new ListFileError('too_large', `${this.where()}: nested deeper than ${DEPTH_MAX} levels`);
  }

  private where(): string {
    const read = [...this.counts].map(([member, count]) => `${count} of ${member}`).join(', ');
    return read === '' ? this.name : `${this.name}, behind ${read}`;
  }
}
