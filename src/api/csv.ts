/** Streams CSV as a file download. */
import type { Http } from './http.ts';

export function csvFile(name: string, text: AsyncIterable<string> | Iterable<string>, c: Http): Response {
  return c.body(ReadableStream.from(encode(text)), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  });
}

async function* encode(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of text) yield Buffer.from(part);
}
