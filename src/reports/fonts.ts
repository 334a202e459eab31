/**
 * The typeface of reports: DejaVu Sans Condensed. It covers Latin with all the marks of Yoruba, Hausa and Igbo, Greek, Cyrillic, Armenian, Georgian,
 * Hebrew, Arabic and N'Ko; PDF's built-in fonts cover Western European letters only. `script.ts` transliterates the rest (Han, Hangul, Ethiopic, Thai …).
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
// @ts-expect-error pdfkit's own font engine; it ships no types.
import { openSync } from 'fontkit';
import type PDFDocument from 'pdfkit';

export type Weight = 'regular' | 'bold';

/** The part of fontkit's Font that we use. pdfkit accepts an open font, so a process parses the files once. */
interface OpenFont {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

const require = createRequire(import.meta.url);

const folder = () => join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const files: Record<Weight, string> = { regular: 'DejaVuSansCondensed.ttf', bold: 'DejaVuSansCondensed-Bold.ttf' };

const opened = new Map<Weight, OpenFont>();

/** Opens the files for the first report. */
function openFont(weight: Weight): OpenFont {
  const known = opened.get(weight);
  if (known) return known;
  const font: OpenFont = openSync(join(folder(), files[weight]));
  opened.set(weight, font);
  return font;
}

/** Registers both weights with a document. */
export function registerFonts(doc: typeof PDFDocument.prototype): void {
  // pdfkit accepts an open font (`PDFFontFactory.open`), but its types leave that out.
  for (const weight of ['regular', 'bold'] as const) doc.registerFont(weight, openFont(weight) as unknown as string);
}

/** Both weights cover the same characters. */
export const hasGlyph = (codePoint: number): boolean => openFont('regular').hasGlyphForCodePoint(codePoint);
