/** An app that sends everything it can at once: uploads, event streams, downloads that it does not read, long polls, calls to a slow vendor, large images. */
import { Agent, type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Headers } from './load.ts';

export interface Loud {
  baseUrl: string;
  headers: Headers;
  /** `bat_…` that waits for its start, for streams and polls. */
  waiting: string;
  /** `bat_…` that is over, for downloads. */
  over: string;
  /** How many of each at a time. */
  uploads: number;
  rowsOfUpload: number;
  streams: number;
  downloads: number;
  polls: number;
  callsPerSecond: number;
  images: number;
  /** Each body holds two pictures of this size. */
  imageBytes: number;
}

type Part = 'uploads' | 'streams' | 'downloads' | 'polls' | 'calls' | 'images';
/** By part: how often it got each status. */
export type Counts = Record<Part, Record<string, number>>;

const TICK_MS = 10;
/** Calls beyond this many without an answer are not sent: a client has only so many ports. */
const CALLS_UNANSWERED_MAX = 4_000;
const POLL_SECONDS = 20;
const RETRY_MS = 1_000;

export class Neighbour {
  private readonly loud: Loud;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  private readonly tally: Counts = { uploads: {}, streams: {}, downloads: {}, polls: {}, calls: {}, images: {} };
  private readonly sent = new Set<ClientRequest>();
  private readonly sockets = new WeakSet<Socket>();
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private subject = 20_000_000_000;
  /** Calls without an answer. */
  private unanswered = 0;

  constructor(loud: Loud) {
    this.loud = loud;
  }

  begin(): void {
    const { uploads, streams, downloads, polls, images } = this.loud;
    const csv = `nin\n${Array.from({ length: this.loud.rowsOfUpload }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`;
    // Recognized as a JPEG by its first bytes; what follows shows nobody.
    const picture = Buffer.concat([Buffer.from('/9j/4AAQSkZJRgABAQAAAQABAAD/', 'base64'), Buffer.alloc(this.loud.imageBytes, 1)]).toString(
      'base64',
    );
    const pictures = JSON.stringify({ selfie_image: picture, photoid_image: picture });
    const { waiting, over } = this.loud;
    const upload = { type: 'text/csv', bytes: Buffer.from(csv) };
    const comparison = { type: 'application/json', bytes: Buffer.from(pictures) };
    this.repeat(uploads, () => this.send('uploads', '/api/v1/batches?checks=nin_basic&start=manual', upload));
    this.repeat(streams, () => this.send('streams', `/api/v1/batches/${waiting}/events`));
    this.repeat(downloads, () => this.send('downloads', `/api/v1/batches/${over}/results?format=jsonl`));
    this.repeat(polls, () => this.send('polls', `/api/v1/batches/${waiting}?wait=${POLL_SECONDS}`));
    this.repeat(images, () => this.send('images', '/api/v1/kyc/photoid/compare', comparison));
    this.call();
  }

  counts(): Counts {
    return this.tally;
  }

  end(): void {
    this.isOver = true;
    clearInterval(this.timer);
    for (const request of this.sent) request.destroy();
    this.agent.destroy();
  }

  /** `count` clients, each of which asks again once its answer has ended, and a second later if that was a refusal. */
  private repeat(count: number, ask: () => Promise<number | null>): void {
    const client = async () => {
      while (!this.isOver) {
        const status = await ask();
        if (status === null || status >= 300) await sleep(RETRY_MS);
      }
    };
    for (let i = 0; i < count; i++) void client();
  }

  /** On a schedule, whatever the answers. */
  private call(): void {
    const began = performance.now();
    let fired = 0;
    this.timer = setInterval(() => {
      const due = ((performance.now() - began) / 1_000) * this.loud.callsPerSecond;
      for (; fired < due; fired++) {
        if (this.unanswered >= CALLS_UNANSWERED_MAX) {
          this.count('calls', 'unsent');
          continue;
        }
        this.unanswered++;
        this.subject += 7;
        void this.send('calls', `/api/v1/kyc/nin?nin=${this.subject}`).then(() => this.unanswered--);
      }
    }, TICK_MS);
  }

  private count(part: Part, status: number | 'none' | 'unsent'): void {
    this.tally[part][status] = (this.tally[part][status] ?? 0) + 1;
  }

  /** Resolves when the answer has ended, however it did; null: there was none. */
  private send(part: Part, path: string, body?: { type: string; bytes: Buffer }): Promise<number | null> {
    const { baseUrl, headers } = this.loud;
    const own = body && { 'Content-Type': body.type, 'Content-Length': body.bytes.length };
    return new Promise((resolve) => {
      const made = request(`${baseUrl}${path}`, { method: body ? 'POST' : 'GET', agent: this.agent, headers: { ...headers, ...own } });
      this.sent.add(made);
      // An answer may come before its request is sent. Later failures of the connection do not count as errors.
      made.once('socket', (socket) => {
        if (this.sockets.has(socket)) return;
        this.sockets.add(socket);
        socket.on('error', () => {});
      });
      let status: number | null = null;
      const over = () => {
        this.sent.delete(made);
        resolve(status);
      };
      made.on('response', (answer) => {
        status = answer.statusCode!;
        this.count(part, status);
        answer.on('error', () => {}).on('close', over);
        // A download is not read: it stops as soon as the buffers on the way are full.
        if (part !== 'downloads' || status !== 200) answer.resume();
      });
      made.on('error', () => {
        if (status !== null) return;
        if (!this.isOver) this.count(part, 'none');
        over();
      });
      made.end(body?.bytes);
    });
  }
}
