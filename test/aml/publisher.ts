/** A publisher of lists on 127.0.0.1 that answers as a test says, and invented people. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { ListDefinition } from '../../src/aml/definitions.ts';
import type { ListFile } from '../../src/engines/aml/list.ts';

export interface Publisher {
  url: string;
  /** By path: a body, served with its own ETag, or a handler that answers instead. */
  serve(path: string, answer: string | Buffer | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)): void;
  /** Requested paths, with ` 304` where nothing had changed. */
  asked: string[];
  close(): Promise<void>;
}

export async function openPublisher(): Promise<Publisher> {
  const answers = new Map<string, string | Buffer | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)>();
  const server = createServer((request, response) => {
    const path = request.url!;
    const answer = answers.get(path);
    if (typeof answer === 'function') {
      publisher.asked.push(path);
      return answer(response, request.headers);
    }
    if (answer === undefined) return response.writeHead(404).end();
    const etag = `"${Buffer.from(answer).toString('base64').slice(-24)}-${answer.length}"`;
    if (request.headers['if-none-match'] === etag) {
      publisher.asked.push(`${path} 304`);
      return response.writeHead(304, { etag }).end();
    }
    publisher.asked.push(path);
    response.writeHead(200, { etag, 'content-length': Buffer.byteLength(answer) }).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publisher: Publisher = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    serve: (path, answer) => void answers.set(path, answer),
    asked: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return publisher;
}

export const definitionOf = (list: string, rest: Partial<ListDefinition> = {}): ListDefinition => ({
  list,
  title: list,
  publisher: 'Test',
  category: 'sanction',
  addresses: [],
  isRequired: false,
  maxAgeDays: 7,
  onRequest: false,
  bytesMin: 0,
  formats: null,
  ...rest,
});

/** One line per invented person: `p17`, with `suffix` in the name. */
export const people = (from: number, count: number, suffix = ''): string =>
  Array.from({ length: count }, (_, i) => {
    const id = from + i;
    const person = { id: `p${id}`, name: `Zubairu Testman${id}${suffix}`, aliases: [`Z. Testman${id}`], date_of_birth: '1970' };
    return `${JSON.stringify(person)}\n`;
  }).join('');

export const textFile = (text: string | Buffer, name = 'list.jsonl'): ListFile => ({
  name,
  async *open() {
    yield Buffer.from(text);
  },
});
