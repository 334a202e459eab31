/**
 * The face engine alone in a process: some single verifications, then `FACE_VERIFICATIONS` full ones, two at a time. It prints one line at the end and waits
 * to be stopped, so that its memory can be read.
 */
import { existsSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import sharp from 'sharp';
import { openFaceEngine } from '../src/engines/face/engine.ts';
import type { FaceRequest } from '../src/engines/face/face.ts';
import { defaultFolder } from '../src/engines/face/models.ts';
import { hasPhotographs, readPhotograph } from './photographs.ts';

export interface PoolReport {
  /** Null: models or faces are missing. */
  pid: number | null;
  perSecond: number;
  busyMs: number[];
  idleMs: number[];
  /** Processor time of one verification. */
  processorMs: number;
  /** Resident memory, every 50 verifications. */
  memoryMb: number[];
  loopP99Ms: number;
}

const THREADS = 2;
const IDLE = 30;
const WARM = 20;
const MEMORY_EVERY = 50;
/** One person each; a colour photograph of 250 × 250 becomes a portrait of 720 × 960. */
const NAMES = ['c_Tony_Blair_0002', 'c_Tony_Blair_0003', 'c_Colin_Powell_0001', 'c_Colin_Powell_0003'];

console.log(JSON.stringify(hasPhotographs && existsSync(defaultFolder()) ? await measure() : { pid: null }));
setInterval(() => {}, 60_000);

async function measure(): Promise<PoolReport> {
  const pictures = await Promise.all(NAMES.map(photograph));
  const engine = await openFaceEngine({ threads: THREADS });
  const request = (i: number): FaceRequest => ({
    selfie: pictures[(2 * i) % pictures.length]!,
    portrait: pictures[(2 * i + 1) % pictures.length]!,
    wantsLiveness: true,
  });
  const timed = async (i: number): Promise<number> => {
    const began = performance.now();
    await engine.compare(request(i));
    return performance.now() - began;
  };
  await Promise.all(Array.from({ length: WARM }, (_, i) => timed(i)));

  const idleMs: number[] = [];
  for (let i = 0; i < IDLE; i += 1) idleMs.push(await timed(i));

  const count = Number(process.env.FACE_VERIFICATIONS);
  const busyMs: number[] = [];
  const memoryMb: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const processor = process.cpuUsage();
  const began = performance.now();
  let next = 0;
  loop.enable();
  const one = async (): Promise<void> => {
    while (next < count) {
      const i = next;
      next += 1;
      busyMs.push(await timed(i));
      if (i % MEMORY_EVERY === 0) memoryMb.push(process.memoryUsage.rss() / 2 ** 20);
    }
  };
  await Promise.all(Array.from({ length: THREADS }, one));
  loop.disable();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(processor);
  await engine.close();
  return {
    pid: process.pid,
    perSecond: count / seconds,
    busyMs,
    idleMs,
    processorMs: (user + system) / 1000 / count,
    memoryMb,
    // The histogram includes the timer's own interval.
    loopP99Ms: Math.max(0, loop.percentile(99) / 1e6 - 5),
  };
}

function photograph(name: string): Promise<Buffer> {
  return sharp(readPhotograph(name))
    .resize({ width: 720 })
    .extend({ top: 120, bottom: 120, extendWith: 'mirror' })
    .jpeg({ quality: 90 })
    .toBuffer();
}
