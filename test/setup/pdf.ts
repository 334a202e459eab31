/** Reads the text of our PDFs: each line of each page. Knows what pdfkit writes: deflated contents, fonts with a ToUnicode map. */
import { inflateSync } from 'node:zlib';

/** Pages of lines. Text runs at one height are joined by a space, in the order they were written. */
export function textOfPdf(file: Uint8Array): string[][] {
  const objects = readObjects(Buffer.from(file));
  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\b/.test(dictionary));
  return pages.map(({ dictionary }) => {
    const resources = objects.get(reference(dictionary, 'Resources'))!.dictionary;
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => [
        name!,
        readToUnicode(objects.get(reference(objects.get(Number(id))!.dictionary, 'ToUnicode'))!.stream),
      ]),
    );
    return readLines(objects.get(reference(dictionary, 'Contents'))!.stream, fonts);
  });
}

interface PdfObject {
  dictionary: string;
  stream: string;
}

function readObjects(file: Buffer): Map<number, PdfObject> {
  const text = file.toString('latin1');
  const objects = new Map<number, PdfObject>();
  for (const match of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [dictionary = '', body] = match[2]!.split('\nstream\n');
    const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0);
    const start = match.index + match[0].indexOf('\nstream\n') + '\nstream\n'.length;
    const isDeflated = body !== undefined && dictionary.includes('/FlateDecode');
    const stream = isDeflated ? inflateSync(file.subarray(start, start + length)).toString('latin1') : '';
    objects.set(Number(match[1]), { dictionary, stream });
  }
  return objects;
}

const reference = (dictionary: string, name: string): number => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1]);

/** Glyph → text. */
function readToUnicode(cmap: string): Map<number, string> {
  const glyphs = new Map<number, string>();
  for (const [, first, list] of cmap.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)) {
    [...list!.matchAll(/<([^>]*)>/g)].forEach(([, hex], i) => {
      const text = Buffer.from(hex!.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');
      glyphs.set(Number.parseInt(first!, 16) + i, text);
    });
  }
  return glyphs;
}

function readLines(content: string, fonts: Map<string, Map<number, string>>): string[] {
  const lines: string[] = [];
  let height = '';
  let lastHeight = '';
  let font = fonts.values().next().value!;
  for (const [, y, name, shown] of content.matchAll(/1 0 0 1 \S+ (\S+) Tm|\/(F\d+) \S+ Tf|(\[[^\]]*\]) TJ/g)) {
    if (y !== undefined) height = y;
    else if (name !== undefined) font = fonts.get(name)!;
    else {
      const text = [...shown!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => decode(hex!, font)).join('');
      if (height === lastHeight) lines.push(`${lines.pop()} ${text}`);
      else lines.push(text);
      lastHeight = height;
    }
  }
  return lines;
}

const decode = (hex: string, glyphs: Map<number, string>): string =>
  (hex.match(/.{4}/g) ?? []).map((glyph) => glyphs.get(Number.parseInt(glyph, 16)) ?? '�').join('');
