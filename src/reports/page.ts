/** The sheets of a report. Content flows down the page and onto the next; footers are added at the end. Knows nothing about the content. */
import PDFDocument from 'pdfkit';
import { registerFonts } from './fonts.ts';
import { heightOf, INK, type Line, openTypesetter, SIZE, type Style } from './lines.ts';

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

export interface Sheet {
  heading(text: string): void;
  paragraph(text: string, style?: Style): void;
  /** A label and a value in two columns; a value may span several lines. */
  facts(rows: readonly (readonly [label: string, value: string])[]): void;
  /** The table head is repeated on each page. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void;
  /** A coloured bar with a title, and a note at its right end. */
  banner(title: string, note: string, colour: string): void;
  space(points: number): void;
  /** Starts a new page unless this much room is left. */
  room(points: number): void;
  pages(): number;
  /** Writes the footers and returns the file. */
  end(): Promise<Buffer>;
}

/** `madeAt` is the only time in the file, so the same content at the same time gives the same bytes. `footer` appears on every page. */
export function openSheet({ title, footer, note, madeAt }: { title: string; footer: string; note: string; madeAt: Date }): Sheet {
  const doc = new PDFDocument({
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
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  registerFonts(doc);
  const { wrap, write } = openTypesetter(doc);
  const { width: pageWidth, height: pageHeight } = doc.page;
  const width = pageWidth - 2 * MARGIN;
  const bottom = pageHeight - MARGIN - FOOTER_HEIGHT;
  /** Pages that contain transliterated text. */
  const noted = new Set<number>();
  let page = 0;
  let y = MARGIN;

  const writeLine = (line: Line, x: number, style: Style) => {
    if (write(line, x, y, style)) noted.add(page);
  };

  const room = (points: number) => {
    if (y + points <= bottom) return;
    doc.addPage();
    page++;
    y = MARGIN;
  };

  function paragraph(text: string, style: Style = {}): void {
    for (const line of wrap(text, style, width, TEXT_MAX)) {
      room(heightOf(style));
      writeLine(line, MARGIN, style);
      y += heightOf(style);
    }
  }

  function facts(rows: readonly (readonly [string, string])[]): void {
    const label: Style = { colour: FAINT };
    for (const [name, value] of rows) {
      wrap(value, {}, width - LABEL_WIDTH, TEXT_MAX).forEach((line, i) => {
        room(heightOf({}));
        if (i === 0) writeLine(wrap(name, label, LABEL_WIDTH, CELL_MAX)[0]!, MARGIN, label);
        writeLine(line, MARGIN + LABEL_WIDTH, {});
        y += heightOf({});
      });
      y += 1.5;
    }
  }

  function row(columns: readonly Column[], cells: readonly string[], style: Style): { height: number; write(): void } {
    const wrapped = columns.map(({ share }, i) => wrap(cells[i] ?? '', style, share * width - 2 * PAD, CELL_MAX));
    const height = Math.max(...wrapped.map((lines) => lines.length)) * heightOf(style) + 2 * PAD;
    const write = () => {
      const top = y;
      let x = MARGIN;
      columns.forEach(({ share, align }, i) => {
        y = top + PAD;
        for (const line of wrapped[i]!) {
          writeLine(line, align === 'right' ? x + share * width - PAD - line.width : x + PAD, style);
          y += heightOf(style);
        }
        x += share * width;
      });
      y = top + height;
      doc
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + width, y)
        .lineWidth(0.4)
        .stroke(RULE);
    };
    return { height, write };
  }

  function table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const size = SIZE - 0.5;
    const head = row(
      columns,
      columns.map((column) => column.title),
      { weight: 'bold', size, colour: FAINT },
    );
    const writeHead = () => {
      doc.rect(MARGIN, y, width, head.height).fill(SHADE);
      head.write();
    };
    rows.forEach((cells, i) => {
      const body = row(columns, cells, { size });
      const before = page;
      room(body.height + (i === 0 ? head.height : 0));
      if (i === 0 || page !== before) writeHead();
      body.write();
    });
    y += 6;
  }

  function banner(text: string, remark: string, colour: string): void {
    const style: Style = { weight: 'bold', size: SIZE + 1, colour: '#ffffff' };
    const [aside] = wrap(remark, style, width / 2, CELL_MAX) as [Line];
    const lines = wrap(text, style, width - aside.width - 6 * PAD, CELL_MAX);
    const height = lines.length * heightOf(style) + 2 * PAD;
    room(height + 6 * heightOf({}));
    doc.rect(MARGIN, y, width, height).fill(colour);
    const top = y;
    y += PAD;
    writeLine(aside, MARGIN + width - aside.width - 2 * PAD, style);
    for (const line of lines) {
      writeLine(line, MARGIN + 2 * PAD, style);
      y += heightOf(style);
    }
    y = top + height + 4;
  }

  return {
    heading(text) {
      const style: Style = { weight: 'bold', size: 11 };
      y += 8;
      room(heightOf(style) + 4 * heightOf({}));
      writeLine(wrap(text, style, width, CELL_MAX)[0]!, MARGIN, style);
      y += heightOf(style) + 3;
      doc
        .moveTo(MARGIN, y - 2)
        .lineTo(MARGIN + width, y - 2)
        .lineWidth(0.8)
        .stroke(INK);
      y += 3;
    },
    paragraph,
    facts,
    table,
    banner,
    space: (points) => {
      y += points;
    },
    room,
    pages: () => page + 1,
    end() {
      const pages = page + 1;
      const style: Style = { size: 7, colour: FAINT };
      for (page = 0; page < pages; page++) {
        doc.switchToPage(page);
        y = bottom + 14;
        doc
          .moveTo(MARGIN, y - 4)
          .lineTo(MARGIN + width, y - 4)
          .lineWidth(0.4)
          .stroke(RULE);
        const [number] = wrap(`Page ${page + 1} of ${pages}`, style, width, CELL_MAX) as [Line];
        writeLine(number, MARGIN + width - number.width, style);
        writeLine(wrap(footer, style, width - number.width, CELL_MAX)[0]!, MARGIN, style);
        y += heightOf(style);
        if (noted.has(page)) writeLine(wrap(note, style, width, CELL_MAX)[0]!, MARGIN, style);
      }
      const done = new Promise<Buffer>((resolve, reject) => {
        doc.on('end', () => resolve(Buffer.concat(chunks)));
        doc.on('error', reject);
      });
      doc.end();
      return done;
    },
  };
}

/** `2026-11-21 09:30:00 UTC` */
export const shownTime = (instant: string): string =>
  new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
