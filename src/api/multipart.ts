/** An upload as a form (`multipart/form-data`, RFC 7578): fields first, then one part named `file`, which is streamed and never held in memory. */
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '../foundation/errors.ts';
import type { Bytes } from '../rows/decode.ts';
import { UploadError } from '../rows/row.ts';

const FIELDS_MAX = 100;
const FIELD_BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 16_384;

export interface Form {
  /** The fields before the file, in order. */
  fields: [name: string, value: string][];
  fileName: string;
  /** Media type of the part, without parameters. */
  fileType: string;
  /** Runs to the end of the form. Throws there if an option came too late or the form broke off. */
  file: Bytes;
}

/** Why a field of that name is refused; null: it is accepted. */
type RefuseField = (name: string) => ApiError | null;

/** Reads up to the beginning of the file. Throws `invalid_request` if the form is malformed or has no file, and whatever `bytes` throws. */
export async function readForm(bytes: Bytes, contentType: string, refuseField: RefuseField): Promise<Form> {
  const parser = openParser(contentType);
  const form = new Incoming(parser, refuseField);
  const pumping = form.pump(bytes);
  // The file's reader sees the error; this only keeps it from being unhandled until then.
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
      // curl's `-F file=<rows.csv` sends no file name.
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

/** The form as it comes in. The parser gets bytes as fast as the file is read. */
class Incoming {
  readonly fields: [string, string][] = [];
  readonly part: Promise<Part>;
  /** The first problem, kept until it can be reported. */
  problem: ApiError | null = null;
  private hasFile = false;
  /** There is nothing more to parse: the form has ended, is broken, or has no reader. */
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
      else if (this.hasFile) this.problem ??= refused(name, 'came after the file; put the fields before it', 'option_after_file');
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

  /** Resolves when the form ends or is stopped. Throws if it is malformed, and whatever `bytes` throws. */
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
      // Anything else comes from the parser, whose messages quote the form.
      throw error instanceof ApiError || error instanceof UploadError ? error : malformed();
    } finally {
      this.stop();
    }
    if (this.problem) throw this.problem;
  }

  /** Discards the rest of the form. */
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

const malformed = (): ApiError => refused('body', 'is not a complete form (multipart/form-data)', 'malformed');

function refused(path: string, message: string, rule: string): ApiError {
  return new ApiError('invalid_request', `${path} ${message}`, { details: [{ path, message, rule }] });
}
