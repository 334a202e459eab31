/**
 * An app that sends everything it can at once, for `neighbour.ts`: a process of its own with a lower priority, so that it does not take the processor from
 * what is measured. Prints `{"url"}` once everything has begun; that address answers how often each part got each status (`none`: no answer).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { type Loud, Neighbour } from './loud.ts';

const NICE = 10;
setPriority(NICE);

const neighbour = new Neighbour(JSON.parse(process.env.LOUD!) as Loud);
const server = createServer((_, answer) => answer.end(JSON.stringify(neighbour.counts())));
server.listen(0, '127.0.0.1', () => {
  neighbour.begin();
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.once('SIGTERM', () => process.exit(0));
