/**
 * The typeface of reports: DejaVu Sans Condensed, which has Latin with every mark of Yoruba, Hausa and Igbo, Greek, Cyrillic, Armenian, Georgian,
 * Hebrew, Arabic and N'Ko. PDF's own fonts have Western European letters only. What it lacks (Han, Hangul, Ethiopic, Thai …) `script.ts` transliterates.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
// @ts-expect-error It has no types; it is the one that pdfkit uses.
import { openSync } from 'fontkit';
import type PDFDocument from 'pdfkit';

export type Weight = 'regular' | 'bold';

/** What is used of fontkit's Font; pdfkit takes one that is open already, so that a process parses the files once. */
interface OpenFont {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

const require = createRequire(import.meta.url);

const folder = () => join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const files: Record<Weight, string> = { regular: 'DejaVuSansCondensed.ttf', bold: 'DejaVuSansCondensed-Bold.ttf' };

const opened = new Map<Weight, OpenFont>();

/** The files are read when the first report is asked for. */
function openFont(weight: Weight): OpenFont {
  const known = opened.get(weight);
  if (known) return known;
  const font: OpenFont = openSync(join(folder(), files[weight]));
  opened.set(weight, font);
  return font;
}

/** Makes the weights known to a document under their names. */
export function registerFonts(doc: typeof PDFDocument.prototype): void {
  // pdfkit takes an open font (`PDFFontFactory.open`), which its types leave out.
  for (const weight of ['regular', 'bold'] as const) doc.registerFont(weight, openFont(weight) as unknown as string);
}

/** Both weights have the same characters. */
export const hasGlyph = (codePoint: number): boolean => openFont('regular').hasGlyphForCodePoint(codePoint);
