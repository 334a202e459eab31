/** An upload as a form (`multipart/form-data`, RFC 7578): fields in front, then one part named `file`, streamed and never held. */
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '../foundation/errors.ts';
import type { Bytes } from '../rows/decode.ts';
import { UploadError } from '../rows/row.ts';

const FIELDS_MAX = 100;
const FIELD_BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 16_384;

export interface Form {
  /** Those that came before the file, in order. */
  fields: [name: string, value: string][];
  fileName: string;
  /** Media type of the part, without parameters. */
  fileType: string;
  /** Ends where the form ends: throws there if an option came too late, or if the form broke off. */
  file: Bytes;
}

/** Why a field of that name is refused; null: it is taken. */
type RefuseField = (name: string) => ApiError | null;

/** Reads up to the beginning of the file. Throws `invalid_request` for a form that is malformed or has no file, and what `bytes` threw. */
export async function readForm(bytes: Bytes, contentType: string, refuseField: RefuseField): Promise<Form> {
  const parser = openParser(contentType);
  const form = new Incoming(parser, refuseField);
  const pumping = form.pump(bytes);
  // Whoever reads the file sees it; until then it is not unhandled.
  pumping.catch(() => {});
  const part = await Promise.race([form.part, pumping.then(() => null)]);
  if (part === null) throw refused('file', 'is missing: the form has no part of that name', 'required');
  if (form.problem) {
    form.stop();
    throw form.problem;
  }
  return { fields: form.fields, fileName: part.name, fileType: part.type, file: form.read(part.stream, pumping) };
}

function openParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // `-F file=<rows.csv` of curl sends no file name.
      isPartAFile: (name, _, fileName) => name === 'file' || fileName !== undefined,
      limits: {
        files: 1,
        fields: FIELDS_MAX,
        parts: FIELDS_MAX + 2,
        fieldSize: FIELD_BYTES_MAX,
        headerPairs: 20,
        headerSize: HEADER_BYTES_MAX,
      },
    });
  } catch {
    throw refused('Content-Type', 'has no boundary', 'malformed');
  }
}

interface Part {
  stream: BusboyFileStream;
  name: string;
  type: string;
}

/** The form while it comes in: bytes are handed to the parser as fast as the file is read. */
class Incoming {
  readonly fields: [string, string][] = [];
  readonly part: Promise<Part>;
  /** The first thing that was wrong. Kept until somebody can be told. */
  problem: ApiError | null = null;
  private hasFile = false;
  /** Nothing more is to be parsed: the form has ended, is broken, or nobody reads it. */
  private isOver = false;
  private isBroken = false;
  private wake: () => void = () => {};
  private readonly parser: BusboyInstance;

  constructor(parser: BusboyInstance, refuseField: RefuseField) {
    this.parser = parser;
    this.part = new Promise((resolve) => {
      parser.on('file', (field, stream, name, _, type) => {
        this.hasFile = true;
        stream.on('error', () => {});
        if (field !== 'file') this.problem ??= refused('file', 'must be the name of the part with the rows', 'unknown_part');
        resolve({ stream, name: name ?? '', type });
      });
    });
    parser.on('field', (name, value, _, isCut) => {
      if (typeof name !== 'string') return;
      const unknown = refuseField(name);
      if (unknown) this.problem ??= unknown;
      else if (this.hasFile) this.problem ??= refused(name, 'came behind the file; put the fields in front of it', 'option_after_file');
      else if (isCut) this.problem ??= refused(name, `is larger than ${FIELD_BYTES_MAX} bytes`, 'too_large');
      else this.fields.push([name, value]);
    });
    parser.on('filesLimit', () => {
      this.problem ??= refused('file', 'must be the only file of the form', 'several_files');
    });
    for (const limit of ['partsLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => {
        this.problem ??= refused('body', `has more than ${FIELDS_MAX} fields`, 'too_many_fields');
      });
    }
    parser.on('drain', () => this.wake());
    parser.on('finish', () => this.stop());
    parser.on('error', () => {
      this.isBroken = true;
      this.stop();
    });
  }

  /** Resolves at the end of the form, or when it is stopped. Throws if it is malformed, and what `bytes` threw. */
  async pump(bytes: Bytes): Promise<void> {
    for await (const chunk of bytes) {
      if (!this.isOver && !this.parser.write(chunk)) await this.woken();
      if (this.isOver) break;
    }
    if (!this.isOver) {
      this.parser.end();
      while (!this.isOver) await this.woken();
    }
    if (this.isBroken) throw malformed();
  }

  /** The file, then the end of the form. */
  async *read(stream: BusboyFileStream, pumping: Promise<void>): AsyncGenerator<Uint8Array> {
    pumping.catch((error) => stream.destroy(error));
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
      await pumping;
    } catch (error) {
      // Everything else is the parser's, whose words quote the form.
      throw error instanceof ApiError || error instanceof UploadError ? error : malformed();
    } finally {
      this.stop();
    }
    if (this.problem) throw this.problem;
  }

  /** What is still to come is thrown away. */
  stop(): void {
    this.isOver = true;
    this.wake();
  }

  private woken(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

const malformed = (): ApiError => refused('body', 'is not a whole form (multipart/form-data)', 'malformed');

function refused(path: string, message: string, rule: string): ApiError {
  return new ApiError('invalid_request', `${path} ${message}`, { details: [{ path, message, rule }] });
}
