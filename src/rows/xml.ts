/** Streams the XML of a workbook's parts as events with local names. Bounds depth and memory, and refuses entities and DTDs. */
import { SaxesParser } from 'saxes';
import type { Bytes } from './decode.ts';
import { badWorkbook, type RowLimits, UploadError } from './row.ts';

const DEPTH_MAX = 64;

export interface XmlHandler {
  /** Name without its prefix; attributes as written. */
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  /** Character data; may come in pieces. */
  text(text: string): void;
}

/** Feeds the handler, and yields after each piece so that rows can be handed on. Throws `bad_workbook`, and errors of the handler or of `bytes`. */
export async function* readXml(part: string, bytes: Bytes, handler: XmlHandler, limits: RowLimits): AsyncGenerator<void> {
  const parser = new SaxesParser({ position: false });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let depth = 0;
  /** Characters since the last complete tag: what the parser may be holding. */
  let pending = 0;
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0;
    depth += 1;
    if (depth > DEPTH_MAX) throw badWorkbook(`The part ${part} is nested deeper than ${DEPTH_MAX} levels`);
    handler.open(localName(name), attributes as Record<string, string>);
  });
  parser.on('closetag', ({ name }) => {
    pending = 0;
    depth -= 1;
    handler.close(localName(name));
  });
  parser.on('text', (text) => handler.text(text));
  parser.on('cdata', (text) => handler.text(text));
  parser.on('doctype', () => {
    throw badWorkbook(`The part ${part} has a document type declaration`);
  });
  const feed = (text: string): void => {
    pending += text.length;
    parser.write(text);
    if (pending > limits.skippedRowBytesMax)
      throw badWorkbook(`The part ${part} has a cell of more than ${limits.skippedRowBytesMax} bytes`);
  };
  try {
    for await (const chunk of bytes) {
      feed(decoder.decode(chunk, { stream: true }));
      yield;
    }
    feed(decoder.decode());
    parser.close();
    yield;
  } catch (error) {
    // The parser's own messages quote the document. Its errors are told apart by class from those of the bytes and the handler.
    if (error instanceof UploadError || !isOfTheParser(error)) throw error;
    throw badWorkbook(`The part ${part} is not well-formed XML`);
  }
}

/** saxes throws plain errors; TextDecoder throws a TypeError with a code. Subclasses and other codes come from elsewhere. */
const isOfTheParser = (error: unknown): boolean =>
  error instanceof Error &&
  ((error.constructor === Error && !('code' in error)) || ('code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'));

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** Boolean attributes of the format. */
export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';
