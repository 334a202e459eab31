/**
 * Streams the XML files of list publishers: each record is emitted as a small tree, the rest is only checked for well-formedness. Names come without
 * prefix. DTDs are refused, so only XML's own five entities exist. Depth and memory are bounded.
 */
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { type ListFile, ListFileError, type ListFileRule } from '../list.ts';

export interface XmlElement {
  /** Without prefix. */
  name: string;
  /** The line on which the element starts, from 1. */
  line: number;
  /** By name without prefix. */
  attributes: Record<string, string>;
  children: XmlElement[];
  /** Character data directly inside the element, in order. */
  text: string;
}

export interface XmlLayout {
  /** Name of the root element. */
  root: string;
  /** Paths of the records below the root: `INDIVIDUALS/INDIVIDUAL`. Records do not nest. */
  records: readonly string[];
}

/** Publishers nest no deeper than 12. */
const DEPTH_MAX = 32;
/** The largest record of a real list (a long statement of reasons and 100 aliases) has 0.1 M characters and 2,000 elements. */
const RECORD_CHARACTERS_MAX = 4 * 1024 * 1024;
const RECORD_ELEMENTS_MAX = 50_000;
/** Only white space and a short head surround the records. More means another format, or not a list at all. */
const AROUND_CHARACTERS_MAX = 4 * 1024 * 1024;
const AROUND_ELEMENTS_MAX = 1_000;
/** Larger chunks are split, so that limits are checked often, whatever size the sender's chunks have. */
const PIECE_BYTES = 65_536;
const DECLARATION_BYTES = 256;

/** The root first, with attributes but no children; then the records as they are read. Throws at the end if the file was truncated. */
export async function* readXml(file: ListFile, layout: XmlLayout): AsyncGenerator<XmlElement> {
  const reader = new RecordReader(file.name, layout);
  for await (const piece of pieces(file)) {
    reader.write(piece);
    yield* reader.take();
  }
  reader.end();
  yield* reader.take();
}

/** Elements at a path below an element: `elementsAt(entry, 'akaList/aka')`. */
export function elementsAt(element: XmlElement, path: string): XmlElement[] {
  let found = [element];
  for (const name of path.split('/')) found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** The trimmed texts at a path, leaving out empty ones. */
export function textsAt(element: XmlElement, path: string): string[] {
  return elementsAt(element, path)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '');
}

/** The first text at a path, or the empty string. */
export const textAt = (element: XmlElement, path: string): string => textsAt(element, path)[0] ?? '';

class RecordReader {
  private readonly parser = new SaxesParser();
  private readonly name: string;
  private readonly root: string;
  private readonly recordPaths: ReadonlySet<string>;
  private decoder: TextDecoder | null = null;
  /** Names of the open elements outside records. */
  private readonly path: string[] = [];
  /** The open record and its open elements. Empty between records. */
  private readonly open: XmlElement[] = [];
  private ready: XmlElement[] = [];
  /** Where the current record, or the text between records, started: characters from the start of the file. */
  private since = 0;
  private elements = 0;
  private charactersAround = 0;
  private elementsAround = 0;
  private isRootClosed = false;
  private isEmpty = true;

  constructor(name: string, layout: XmlLayout) {
    this.name = name;
    this.root = layout.root;
    this.recordPaths = new Set(layout.records);
    const { parser } = this;
    parser.on('doctype', () => this.refuse('forbidden_markup', 'a document type declaration, which no list needs'));
    parser.on('opentag', ({ name, attributes }) => this.openTag(localName(name), attributes as Record<string, string>));
    parser.on('text', (text) => this.addText(text));
    parser.on('cdata', (text) => this.addText(text));
    parser.on('closetag', () => this.closeTag());
    parser.on('error', () => this.refuse('malformed', 'not well-formed XML'));
  }

  write(piece: Uint8Array): void {
    this.decoder ??= decoderFor(this.name, piece);
    this.parse(this.decode(this.decoder, piece));
  }

  /** Throws unless the document is complete. */
  end(): void {
    if (this.decoder) this.parse(this.decode(this.decoder, null));
    if (this.isEmpty) throw new ListFileError('empty', `${this.name} is empty`);
    if (!this.isRootClosed) this.refuse('truncated', 'the file ends before its root element does');
    this.parser.close();
  }

  /** Removes and returns the records that are complete. */
  take(): XmlElement[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  private decode(decoder: TextDecoder, bytes: Uint8Array | null): string {
    try {
      return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      this.refuse('not_text', 'bytes that are not valid in the encoding of the file, here or soon after');
    }
  }

  private parse(text: string): void {
    if (text.includes('\0')) this.refuse('not_text', 'a NUL, here or soon after: this is not a text file');
    if (this.isEmpty && text.trim() !== '') this.isEmpty = false;
    this.parser.write(text);
    if (this.open.length > 0) {
      if (this.parser.position - this.since > RECORD_CHARACTERS_MAX) {
        this.refuse('too_large', `a record of more than ${RECORD_CHARACTERS_MAX} characters`);
      }
    } else if (this.charactersAround + this.parser.position - this.since > AROUND_CHARACTERS_MAX) {
      this.refuse('too_large', `more than ${AROUND_CHARACTERS_MAX} characters outside records`);
    }
  }

  private openTag(name: string, attributes: Record<string, string>): void {
    if (this.path.length + this.open.length >= DEPTH_MAX) this.refuse('too_large', `elements nested deeper than ${DEPTH_MAX}`);
    const element: XmlElement = { name, line: this.parser.line, attributes: plainNames(attributes), children: [], text: '' };
    const parent = this.open.at(-1);
    if (parent) {
      this.elements += 1;
      if (this.elements > RECORD_ELEMENTS_MAX) this.refuse('too_large', `a record of more than ${RECORD_ELEMENTS_MAX} elements`);
      parent.children.push(element);
      this.open.push(element);
      return;
    }
    this.path.push(name);
    if (this.path.length === 1) {
      if (name !== this.root) this.refuse('unknown_format', `the root element is not ${this.root}`);
      this.ready.push(element);
      return;
    }
    if (this.recordPaths.has(this.path.slice(1).join('/'))) {
      this.charactersAround += this.parser.position - this.since;
      this.since = this.parser.position;
      this.elements = 0;
      this.path.pop();
      this.open.push(element);
      return;
    }
    this.elementsAround += 1;
    if (this.elementsAround > AROUND_ELEMENTS_MAX) {
      this.refuse('too_large', `more than ${AROUND_ELEMENTS_MAX} elements that are not records of this format`);
    }
  }

  private addText(text: string): void {
    const element = this.open.at(-1);
    if (element) element.text += text;
  }

  private closeTag(): void {
    const element = this.open.pop();
    if (!element) {
      this.path.pop();
      if (this.path.length === 0) this.isRootClosed = true;
      return;
    }
    if (this.open.length > 0) return;
    this.since = this.parser.position;
    this.ready.push(element);
  }

  /** Replaces the parser's own messages, which quote the document. */
  private refuse(rule: ListFileRule, what: string): never {
    throw new ListFileError(rule, `${this.name}, line ${this.parser.line}: ${what}`);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

function plainNames(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
}

/** Splits the file into pieces of at most `PIECE_BYTES`. The first piece holds the XML declaration. */
async function* pieces(file: ListFile): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array();
  for await (const chunk of file.open()) {
    let bytes = chunk;
    if (head) {
      bytes = Buffer.concat([head, chunk]);
      head = bytes.length < DECLARATION_BYTES ? bytes : null;
      if (head) continue;
    }
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  if (head && head.length > 0) yield head;
}

const UTF_8 = /^(?:utf-?8|us-ascii|ascii)$/i;
/** The Encoding Standard reads all of these as Windows-1252. */
const ONE_BYTE = /^(?:iso-8859-1|latin1|windows-1252|cp1252)$/i;
const DECLARATION = /^(?:\xef\xbb\xbf)?<\?xml\s[^<>]*/;
const DECLARED = /\sencoding\s*=\s*["']([^"']{1,40})["']/;

/** Chosen by the byte-order mark, else the XML declaration, else UTF-8 (XML 1.0, appendix F). */
function decoderFor(name: string, head: Uint8Array): TextDecoder {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  const [declaration] = DECLARATION.exec(Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString('latin1')) ?? [''];
  const encoding = DECLARED.exec(declaration)?.[1] ?? 'utf-8';
  if (UTF_8.test(encoding)) return new TextDecoder('utf-8', { fatal: true });
  if (ONE_BYTE.test(encoding)) return new TextDecoder('windows-1252', { fatal: true });
  const known = 'UTF-8, UTF-16 with a byte-order mark, ISO-8859-1 or Windows-1252';
  throw new ListFileError('not_text', `${name}, line 1: declares an encoding other than ${known}`);
}
