/** Sends CSV as a file download: a stream like a results file, with a place, and an end when the app is suspended. */
import { DEPLOYMENT } from '../access/audit/entry.ts';
import type { Http } from './http.ts';
import type { SendStream } from './streams.ts';

export function csvFile(c: Http, send: SendStream, name: string, text: AsyncIterable<string> | Iterable<string>): Promise<Response> {
  return send(c, c.get('caller')?.appId ?? DEPLOYMENT, encode(text), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  });
}

async function* encode(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of text) yield Buffer.from(part);
}
