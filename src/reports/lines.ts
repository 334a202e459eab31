/** Breaks text into lines of a given width, left-to-right and right-to-left. `page.ts` decides where they go on the page. */
import type PDFDocument from 'pdfkit';
import type { Weight } from './fonts.ts';
import { type Run, runsOf } from './script.ts';

export interface Style {
  weight?: Weight;
  /** Points: 1/72 inch. */
  size?: number;
  colour?: string;
}

export const SIZE = 8.5;
const SPACING = 1.36;
export const INK = '#1f2933';

export const heightOf = ({ size = SIZE }: Style): number => size * SPACING;

export interface Line {
  runs: PlacedRun[];
  width: number;
}

type PlacedRun = Run & { width: number };

export interface Typesetter {
  /** At least one line. `max`: number of visible characters after which the text is cut. */
  wrap(text: string, style: Style, within: number, max: number): Line[];
  /** Returns whether any of it was transliterated. */
  write(line: Line, x: number, y: number, style: Style): boolean;
}

export function openTypesetter(doc: typeof PDFDocument.prototype): Typesetter {
  const set = ({ weight = 'regular', size = SIZE, colour = INK }: Style) => doc.font(weight).fontSize(size).fillColor(colour);

  return {
    wrap(text, style, within, max) {
      set(style);
      const gap = doc.widthOfString(' ');
      const lines: Line[] = [];
      let line: Line = { runs: [], width: 0 };
      for (const run of runsOf(text, max).flatMap(words)) {
        const width = doc.widthOfString(run.text);
        const before = run.spaced && line.runs.length > 0 ? gap : 0;
        if (line.width + before + width <= within) {
          line.runs.push({ ...run, width });
          line.width += before + width;
          continue;
        }
        for (const part of width <= within ? [run.text] : broken(doc, run.text, within)) {
          if (line.runs.length > 0) lines.push(line);
          const partWidth = doc.widthOfString(part);
          line = { runs: [{ ...run, text: part, spaced: false, width: partWidth }], width: partWidth };
        }
      }
      return [...lines, line];
    },
    write(line, x, y, style) {
      set(style);
      const gap = doc.widthOfString(' ');
      let at = x;
      for (const { text, width, spaced } of phrases(visual(line.runs), gap)) {
        if (spaced && at > x) at += gap;
        doc.text(text, at, y, { lineBreak: false });
        at += width;
      }
      return line.runs.some(({ kind }) => kind === 'foreign');
    },
  };
}

/** One run for each place where the line may break: the code points of a transliteration are separated by spaces. */
const words = (run: Run): Run[] => run.text.split(' ').map((text, i) => ({ ...run, text, spaced: i === 0 ? run.spaced : true }));

/** Splits a word that is wider than its column. */
function broken(doc: typeof PDFDocument.prototype, word: string, within: number): string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(word)) {
    const width = doc.widthOfString(segment);
    if (used + width > within && part !== '') {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += segment;
    used += width;
  }
  return [...parts, part];
}

/** Writes neighbouring words of one direction together: word by word takes several times the space. */
function phrases(runs: readonly PlacedRun[], gap: number): PlacedRun[] {
  const merged: PlacedRun[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (last && run.spaced && run.kind !== 'rtl' && run.kind === last.kind) {
      last.text += ` ${run.text}`;
      last.width += gap + run.width;
    } else merged.push({ ...run });
  }
  return merged;
}

/** Orders runs from left to right; consecutive right-to-left runs are reversed. */
function visual(runs: readonly PlacedRun[]): PlacedRun[] {
  const ordered: PlacedRun[] = [];
  for (let at = 0; at < runs.length; ) {
    let end = at;
    while (end < runs.length && runs[end]!.kind === 'rtl') end++;
    if (end === at) ordered.push(runs[at++]!);
    else {
      const group = runs.slice(at, end).reverse();
      // The space that preceded the word now follows it.
      ordered.push(...group.map((run, i) => ({ ...run, spaced: i === 0 ? runs[at]!.spaced : group[i - 1]!.spaced })));
      at = end;
    }
  }
  return ordered;
}
