/**
 * A JSON document `{ "checks": […], "mapping": {…}, "rows": [{…}, …] }`, or the rows alone, `[{…}, …]`. Rows are streamed; every other member is an
 * option. JSON members have no order, so rows wait in a bounded buffer for options that follow them. Up to that bound the order does not matter.
 */
import { JSONParser, TokenType } from '@streamparser/json';
import { fieldLabel } from './column-names.ts';
import { asSent, namesOf, objectRow, rowRepeats, type Unwrap } from './object-row.ts';
import {
  batches,
  type ObjectSource,
  ROW_LIMITS,
  type Row,
  type RowLimits,
  rowTooLarge,
  rowTooLargeToSkip,
  tooManyRows,
  UploadError,
} from './row.ts';
import { memberFlaw } from './storable.ts';
import { readText } from './text.ts';

/** Deeper than any row may be (`depthMax`, an error of that row), yet shallow enough to hold in memory. A deeper document is refused. */
const PARSER_DEPTH_MAX = 512;

/** Least size that a buffered row counts for: `{},` is three bytes in the upload and two objects in memory. */
const BUFFERED_ROW_BYTES_MIN = 64;

export interface JsonUpload extends ObjectSource {
  /** Every top-level member except `rows`, as parsed. */
  options: Record<string, unknown>;
}

export interface JsonOrder {
  /** Members that must be known before a row is emitted, such as `checks`. Empty if the caller has them from elsewhere. */
  needed: readonly string[];
  /** Rows that precede the options are buffered up to this size, measured as JSON. */
  bufferRowsBytesMax: number;
  /** Other limits for rows after an option that asks for them. */
  limitsFor: (options: ReadonlyMap<string, unknown>) => RowLimits | null;
  /** Whether the document was cut off on purpose, so that it may end anywhere. Asked when its bytes have ended. */
  isCut: () => boolean;
  unwrap: Unwrap;
}

const JSON_ORDER: JsonOrder = {
  needed: ['checks'],
  bufferRowsBytesMax: 8 * 1024 * 1024,
  limitsFor: () => null,
  isCut: () => false,
  unwrap: asSent,
};

/** Returns when the document has ended or the buffer is full. From then on `options` is final. */
export async function readJson(
  bytes: AsyncIterable<Uint8Array>,
  limits: RowLimits = ROW_LIMITS,
  order: Partial<JsonOrder> = {},
): Promise<JsonUpload> {
  const { needed, bufferRowsBytesMax, limitsFor, isCut, unwrap } = { ...JSON_ORDER, ...order };
  const pieces = readText(bytes, limits);
  const document = new DocumentReader(limits, limitsFor, unwrap);
  try {
    let isWhole = false;
    while (!isWhole && document.rowBytes <= bufferRowsBytesMax) {
      const next = await pieces.next();
      if (next.done) {
        if (!isCut()) document.end();
        isWhole = true;
      } else {
        document.take(next.value);
      }
    }
    if (!isWhole && needed.some((name) => !document.options.has(name))) throw document.lacksOptions();
    document.areOptionsFinal = true;
    const options = Object.fromEntries(document.options);
    return {
      columns: null,
      ...namesOf(document.held),
      options,
      rows: readRows(document, pieces, isWhole),
      close: async () => void (await pieces.return()),
    };
  } catch (error) {
    await pieces.return();
    throw error;
  }
}

async function* readRows(
  document: DocumentReader,
  pieces: AsyncGenerator<Buffer, void>,
  isWhole: boolean,
): AsyncGenerator<Row<Record<string, unknown>>[]> {
  try {
    yield* batches(document.drain());
    for await (const piece of pieces) {
      document.take(piece);
      yield* batches(document.drain());
    }
    if (!isWhole) document.end();
  } finally {
    await pieces.return();
  }
}

/** Takes text, emits options and rows. The parser finds the values; this class bounds them while they are built. */
class DocumentReader {
  readonly options = new Map<string, unknown>();
  /** Size as JSON of the rows read so far; see `BUFFERED_ROW_BYTES_MIN`. */
  rowBytes = 0;
  areOptionsFinal = false;
  private rows: Row<Record<string, unknown>>[] = [];
  private row = 0;
  private optionsBytes = 0;
  private depth = 0;
  /** The member being read. */
  private member = '';
  private lastString = '';
  private readonly unwrap: Unwrap;
  /** The members so far of the row being read, and the first that it gives twice. */
  private readonly members = new Set<string>();
  private repeated: string | null = null;
  /** The document is an array of rows. */
  private isArray = false;
  private hasRows = false;
  private isInRows = false;
  private isAfterComma = false;
  private isEmpty = true;
  /** Byte offset in the document, as the tokenizer counts. Only differences are used. */
  private offset = 0;
  private rowOffset = 0;
  /** Bytes consumed since the last complete row. Bounds what the parser may hold. */
  private pendingBytes = 0;
  private readonly parser = new JSONParser({ paths: ['$.*', '$.rows.*'] });
  private limits: RowLimits;

  constructor(limits: RowLimits, limitsFor: JsonOrder['limitsFor'], unwrap: Unwrap) {
    this.unwrap = unwrap;
    this.limits = limits;
    this.parser.onToken = ({ token, value, offset }) => this.onToken(token, value, offset);
    this.parser.onValue = ({ value, key, parent, stack }) => {
      if (stack.length === (this.isArray ? 1 : 2) && Array.isArray(parent)) {
        parent.pop();
        this.addRow(value);
      } else if (stack.length === 1 && key !== 'rows') {
        this.addOption(String(key), value);
        this.limits = limitsFor(this.options) ?? this.limits;
      }
    };
  }

  take(piece: Buffer): void {
    const before = this.row;
    this.parse(() => this.parser.write(piece));
    this.pendingBytes = this.row > before ? 0 : this.pendingBytes + piece.length;
    if (this.isInRows && this.pendingBytes > this.limits.skippedRowBytesMax) throw rowTooLargeToSkip(this.row + 1, this.limits);
    if (!this.isInRows && this.pendingBytes > this.limits.optionsBytesMax + piece.length) throw this.optionsTooLarge();
  }

  end(): void {
    if (this.isEmpty) throw new UploadError('empty_file', 'The upload is empty');
    this.parse(() => this.parser.isEnded || this.parser.end());
    if (!this.hasRows) throw new UploadError('missing_rows', 'The document has no member "rows"');
    if (this.row === 0) throw new UploadError('no_rows', this.isArray ? 'The array has no rows' : 'The member "rows" is empty');
  }

  /** Rows read but not yet handed on. */
  get held(): readonly Row<Record<string, unknown>>[] {
    return this.rows;
  }

  drain(): Row<Record<string, unknown>>[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  /** The parser's own messages quote the document. */
  private parse(step: () => unknown): void {
    try {
      step();
    } catch (error) {
      if (error instanceof UploadError) throw error;
      const row = this.isInRows ? this.row + 1 : null;
      const where = row === null ? '' : `, in row ${row} or just before it`;
      throw new UploadError('bad_json', `The document is not valid JSON${where}`, row);
    }
  }

  private onToken(token: TokenType, value: unknown, offset: number): void {
    this.offset = offset;
    if (this.isEmpty) {
      this.isEmpty = false;
      if (token !== TokenType.LEFT_BRACE && token !== TokenType.LEFT_BRACKET)
        throw new UploadError('not_an_object', 'The document is neither a JSON object nor an array of rows');
      this.isArray = token === TokenType.LEFT_BRACKET;
      this.hasRows = this.isArray;
      this.isInRows = this.isArray;
    }
    if (this.depth === 1 && !this.isArray) this.onTopLevelToken(token, value);
    else if (this.depth === this.rowDepth) this.onRowToken(token, value);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      this.depth += 1;
      if (this.depth === this.rowDepth) {
        this.rowOffset = offset;
        this.members.clear();
        this.repeated = null;
      }
      if (this.depth > PARSER_DEPTH_MAX) {
        throw new UploadError(
          'too_deep',
          `The document is nested deeper than ${PARSER_DEPTH_MAX} levels`,
          this.isInRows ? this.row + 1 : null,
        );
      }
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
      this.depth -= 1;
      // The parser refuses any other end of the rows, and then the fault is in them.
      const isEnd = token === TokenType.RIGHT_BRACKET && !this.isAfterComma;
      if (this.depth === (this.isArray ? 0 : 1) && isEnd) this.isInRows = false;
    }
    this.isAfterComma = token === TokenType.COMMA;
  }

  /** Depth within a row; none while no rows are read. */
  private get rowDepth(): number {
    return this.isInRows ? (this.isArray ? 2 : 3) : -1;
  }

  private onRowToken(token: TokenType, value: unknown): void {
    if (token === TokenType.STRING) this.lastString = String(value);
    if (token !== TokenType.COLON) return;
    if (this.members.has(this.lastString)) this.repeated ??= this.lastString;
    this.members.add(this.lastString);
  }

  private onTopLevelToken(token: TokenType, value: unknown): void {
    if (token === TokenType.STRING) this.lastString = String(value);
    if (token === TokenType.COLON) {
      this.member = this.lastString;
      return;
    }
    if (this.member !== 'rows' || token === TokenType.COMMA || token === TokenType.RIGHT_BRACE) {
      if (token === TokenType.COMMA) this.member = '';
      return;
    }
    if (this.hasRows) throw new UploadError('duplicate_rows', 'The document has more than one member "rows"');
    if (token !== TokenType.LEFT_BRACKET) throw new UploadError('rows_not_array', 'The member "rows" is not an array', null, 'rows');
    this.hasRows = true;
    this.isInRows = true;
  }

  private addRow(value: unknown): void {
    if (this.row === this.limits.rowsMax) throw tooManyRows(this.limits);
    this.row += 1;
    const bytes = typeof value === 'object' && value !== null ? this.offset - this.rowOffset + 1 : 0;
    this.rowBytes += Math.max(bytes, BUFFERED_ROW_BYTES_MIN);
    if (bytes > this.limits.rowBytesMax) this.rows.push(rowTooLarge(this.row, this.limits));
    else if (bytes > 0 && this.repeated !== null) this.rows.push(rowRepeats(this.row, this.repeated));
    else this.rows.push(objectRow(this.row, value, this.limits, this.unwrap));
  }

  private addOption(name: string, value: unknown): void {
    if (this.areOptionsFinal) throw optionsAfterRows();
    this.optionsBytes += name.length + Buffer.byteLength(JSON.stringify(value));
    if (this.optionsBytes > this.limits.optionsBytesMax) throw this.optionsTooLarge();
    const label = fieldLabel(name, `member ${this.options.size + 1}`);
    if (this.options.has(name)) throw new UploadError('repeated', `The document gives ${label} more than once`, null, label);
    const flaw = memberFlaw(name, value, this.limits.depthMax);
    if (flaw === 'too_deep') {
      throw new UploadError(flaw, `The member ${label} is nested deeper than ${this.limits.depthMax} levels`, null, label);
    }
    if (flaw) throw new UploadError(flaw, `The member ${label} holds a NUL or half a surrogate pair`, null, label);
    this.options.set(name, value);
  }

  lacksOptions(): UploadError {
    return this.isArray ? optionsOutside() : optionsAfterRows();
  }

  private optionsTooLarge(): UploadError {
    return new UploadError('options_too_large', `The members other than "rows" are larger than ${this.limits.optionsBytesMax} bytes`);
  }
}

const optionsOutside = (): UploadError =>
  new UploadError('options_after_rows', 'With a bare array of rows, "checks" must be in the query or in a form field');

function optionsAfterRows(): UploadError {
  const message =
    'Put "checks", "mapping" and every other member before "rows": this document has too many rows to wait for what follows them';
  return new UploadError('options_after_rows', message);
}
