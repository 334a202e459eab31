/** The sheets of a report. Content flows down the page and onto the next; footers are added at the end. Knows nothing about the content. */
import PDFDocument from 'pdfkit';
import { registerFonts } from './fonts.ts';
import { heightOf, INK, type Line, openTypesetter, SIZE, type Style, type Typesetter } from './lines.ts';

/** Points: 1/72 inch. A4 is 595 × 842. */
const MARGIN = 46;
const FOOTER_HEIGHT = 22;
const LABEL_WIDTH = 104;
const PAD = 3;
/** Most visible characters of a text and of a table cell; a cell is never taller than a page. */
const TEXT_MAX = 1_500;
const CELL_MAX = 400;

export const FAINT = '#616e7c';
const RULE = '#cbd2d9';
const SHADE = '#f1f4f7';

export interface Column {
  title: string;
  /** Share of the page width. */
  share: number;
  align?: 'right';
}

interface SheetOptions {
  title: string;
  /** Appears on every page. */
  footer: string;
  /** Appears on the pages that contain transliterated text. */
  note: string;
  /** The only time in the file, so the same content at the same time gives the same bytes. */
  madeAt: Date;
}

export class Sheet {
  private readonly doc: typeof PDFDocument.prototype;
  private readonly chunks: Buffer[] = [];
  private readonly typesetter: Typesetter;
  private readonly footer: string;
  private readonly note: string;
  private readonly width: number;
  private readonly bottom: number;
  /** Pages that contain transliterated text. */
  private readonly noted = new Set<number>();
  private page = 0;
  private y = MARGIN;

  constructor({ title, footer, note, madeAt }: SheetOptions) {
    this.footer = footer;
    this.note = note;
    this.doc = openDocument(title, madeAt);
    this.doc.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    registerFonts(this.doc);
    this.typesetter = openTypesetter(this.doc);
    this.width = this.doc.page.width - 2 * MARGIN;
    this.bottom = this.doc.page.height - MARGIN - FOOTER_HEIGHT;
  }

  heading(text: string): void {
    const style: Style = { weight: 'bold', size: 11 };
    this.y += 8;
    this.room(heightOf(style) + 4 * heightOf({}));
    this.write(this.wrap(text, style, this.width, CELL_MAX)[0]!, MARGIN, style);
    this.y += heightOf(style) + 3;
    this.rule(this.y - 2, 0.8, INK);
    this.y += 3;
  }

  paragraph(text: string, style: Style = {}): void {
    for (const line of this.wrap(text, style, this.width, TEXT_MAX)) {
      this.room(heightOf(style));
      this.write(line, MARGIN, style);
      this.y += heightOf(style);
    }
  }

  /** A label and a value in two columns; a value may span several lines. */
  facts(rows: readonly (readonly [label: string, value: string])[]): void {
    const label: Style = { colour: FAINT };
    for (const [name, value] of rows) {
      this.wrap(value, {}, this.width - LABEL_WIDTH, TEXT_MAX).forEach((line, i) => {
        this.room(heightOf({}));
        if (i === 0) this.write(this.wrap(name, label, LABEL_WIDTH, CELL_MAX)[0]!, MARGIN, label);
        this.write(line, MARGIN + LABEL_WIDTH, {});
        this.y += heightOf({});
      });
      this.y += 1.5;
    }
  }

  /** The table head is repeated on each page. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const size = SIZE - 0.5;
    const titles = columns.map((column) => column.title);
    const head = this.layOut(columns, titles, { weight: 'bold', size, colour: FAINT });
    rows.forEach((cells, i) => {
      const body = this.layOut(columns, cells, { size });
      const before = this.page;
      this.room(body.height + (i === 0 ? head.height : 0));
      if (i === 0 || this.page !== before) {
        this.doc.rect(MARGIN, this.y, this.width, head.height).fill(SHADE);
        this.writeRow(head);
      }
      this.writeRow(body);
    });
    this.y += 6;
  }

  /** A coloured bar with a title, and a note at its right end. */
  banner(title: string, note: string, colour: string): void {
    const style: Style = { weight: 'bold', size: SIZE + 1, colour: '#ffffff' };
    const [aside] = this.wrap(note, style, this.width / 2, CELL_MAX) as [Line];
    const lines = this.wrap(title, style, this.width - aside.width - 6 * PAD, CELL_MAX);
    const height = lines.length * heightOf(style) + 2 * PAD;
    this.room(height + 6 * heightOf({}));
    this.doc.rect(MARGIN, this.y, this.width, height).fill(colour);
    const top = this.y;
    this.y += PAD;
    this.write(aside, MARGIN + this.width - aside.width - 2 * PAD, style);
    for (const line of lines) {
      this.write(line, MARGIN + 2 * PAD, style);
      this.y += heightOf(style);
    }
    this.y = top + height + 4;
  }

  space(points: number): void {
    this.y += points;
  }

  /** Starts a new page unless this much room is left. */
  room(points: number): void {
    if (this.y + points <= this.bottom) return;
    this.doc.addPage();
    this.page++;
    this.y = MARGIN;
  }

  pages(): number {
    return this.page + 1;
  }

  /** Writes the footers and returns the file. */
  end(): Promise<Buffer> {
    this.writeFooters();
    const done = new Promise<Buffer>((resolve, reject) => {
      this.doc.on('end', () => resolve(Buffer.concat(this.chunks)));
      this.doc.on('error', reject);
    });
    this.doc.end();
    return done;
  }

  private layOut(columns: readonly Column[], cells: readonly string[], style: Style): Row {
    const lines = columns.map(({ share }, i) => this.wrap(cells[i] ?? '', style, share * this.width - 2 * PAD, CELL_MAX));
    return { columns, lines, style, height: Math.max(...lines.map(({ length }) => length)) * heightOf(style) + 2 * PAD };
  }

  private writeRow({ columns, lines, style, height }: Row): void {
    const top = this.y;
    let x = MARGIN;
    columns.forEach(({ share, align }, i) => {
      this.y = top + PAD;
      for (const line of lines[i]!) {
        this.write(line, align === 'right' ? x + share * this.width - PAD - line.width : x + PAD, style);
        this.y += heightOf(style);
      }
      x += share * this.width;
    });
    this.y = top + height;
    this.rule(this.y, 0.4, RULE);
  }

  private writeFooters(): void {
    const pages = this.pages();
    const style: Style = { size: 7, colour: FAINT };
    for (this.page = 0; this.page < pages; this.page++) {
      this.doc.switchToPage(this.page);
      this.y = this.bottom + 14;
      this.rule(this.y - 4, 0.4, RULE);
      const [number] = this.wrap(`Page ${this.page + 1} of ${pages}`, style, this.width, CELL_MAX) as [Line];
      this.write(number, MARGIN + this.width - number.width, style);
      this.write(this.wrap(this.footer, style, this.width - number.width, CELL_MAX)[0]!, MARGIN, style);
      this.y += heightOf(style);
      if (this.noted.has(this.page)) this.write(this.wrap(this.note, style, this.width, CELL_MAX)[0]!, MARGIN, style);
    }
  }

  /** A line across the page. */
  private rule(y: number, thickness: number, colour: string): void {
    this.doc
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.width, y)
      .lineWidth(thickness)
      .stroke(colour);
  }

  private wrap(text: string, style: Style, within: number, max: number): Line[] {
    return this.typesetter.wrap(text, style, within, max);
  }

  private write(line: Line, x: number, style: Style): void {
    if (this.typesetter.write(line, x, this.y, style)) this.noted.add(this.page);
  }
}

/** A table row, with the lines of each cell. */
interface Row {
  columns: readonly Column[];
  lines: Line[][];
  style: Style;
  height: number;
}

const openDocument = (title: string, madeAt: Date) =>
  new PDFDocument({
    size: 'A4',
    // Text below the last line would start a new page by itself.
    margin: 0,
    bufferPages: true,
    pdfVersion: '1.7',
    lang: 'en-GB',
    displayTitle: true,
    // Otherwise pdfkit embeds Helvetica, unused, in every file.
    font: '',
    info: { Title: title, Creator: 'Confam', Producer: 'Confam', CreationDate: madeAt, ModDate: madeAt },
  });

/** `2026-11-21 09:30:00 UTC` */
export const shownTime = (instant: string): string =>
  new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
