/**
 * The process of `callers.ts`. Prints `{"url"}`. A POST there is a round of requests, answered with their times when the round ends; a DELETE ends rounds that
 * have no end of their own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Called, Round } from './callers.ts';
import { type Headers, openClient, openLoop } from './load.ts';

const { baseUrl, headers } = JSON.parse(process.env.CALLERS!) as { baseUrl: string; headers: Headers };
const client = openClient(baseUrl, headers);
/** For the rounds in progress. Rounds with an end of their own ignore it. */
const underWay = new Set<AbortController>();

async function call({ rate, seconds, paths }: Round): Promise<Called> {
  const over = new AbortController();
  underWay.add(over);
  const failures: string[] = [];
  const paced = await openLoop(rate, seconds === null ? { stop: over.signal } : { seconds }, (i) =>
    client.get(paths[i % paths.length]!).catch((error: Error) => void failures.push(error.message)),
  );
  underWay.delete(over);
  return { ...paced, failures };
}

const server = createServer(async (request, answer) => {
  if (request.method === 'DELETE') {
    for (const over of underWay) over.abort();
    answer.end();
    return;
  }
  try {
    answer.end(JSON.stringify(await call(JSON.parse(await text(request)) as Round)));
  } catch (error) {
    answer.writeHead(500).end(String(error));
  }
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })));
process.once('SIGTERM', () => process.exit(0));
