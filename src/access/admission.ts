/**
 * Fair shares: bounds what one process does at a time, in total and for each app, so that no app gets in another's way. Everything that occupies a scarce resource for
 * a while passes one of these gates; the vendors' queues (`providers/limiter.ts`) are fair by the same weights. Beyond its share an app gets 429, beyond the
 * capacity of the process everybody gets 503. While the event loop is late, a loud app's requests wait at the gates that have a `least`; no other app's
 * requests do. See docs/decisions/0022-admission.md.
 */
import { IMAGE_ROW_BYTES_MAX } from '../checks/inputs.ts';
import type { Context } from '../foundation/context.ts';
import { openAnnounced } from './announced.ts';
import type { WeightOf } from './fair-queue.ts';
import { Gate, type GateOptions } from './gate.ts';
import { Loudness } from './loudness.ts';
import { followLoop, Pressure } from './pressure.ts';

const MIB = 1024 * 1024;

/** The first collection frees V8's pages, the second returns them. */
const COLLECTED_AGAIN_MS = 3_000;

/**
 * Collects everything at once, twice, about 50 ms each for a heap of 100 MB. Left alone, V8 keeps free pages while nothing new is allocated. Needs `--expose-gc`, as
 * `npm start` has it.
 */
function giveMemoryBack(): void {
  globalThis.gc?.();
  setTimeout(() => globalThis.gc?.(), COLLECTED_AGAIN_MS).unref();
}

/** For each upload that may be read, this many bodies may be arriving or waiting on disk. */
const ARRIVING_PER_READ = 4;
/** A page of a download takes up to three of the twelve connections of a process. */
const PAGES_AT_ONCE = 3;
/** Messages in progress from one vendor, and from all vendors. Until the signature is checked, the sender may be anybody. */
const MESSAGES = { each: 8, all: 64 };

const gates = ({ config }: Pick<Context, 'config'>) =>
  ({
    /** Single calls, until they are answered. They queue at their vendor; here they queue only while a share is cut. */
    calls: {
      what: 'calls',
      all: config.CONFAM_CALLS_MAX,
      least: 32,
      queue: { max: 'pressed', ms: config.CONFAM_CALL_QUEUE_MS },
      retrySeconds: 1,
    },
    /** Every other request of an app, until it is answered or passes one of the next gates. */
    requests: { what: 'requests', all: config.CONFAM_REQUESTS_MAX, least: 4, queue: { max: 4_000, ms: 5_000 }, retrySeconds: 1 },
    /** `?wait`, until there is news. */
    waits: { what: 'waiting requests', all: config.CONFAM_WAITS_MAX, queue: null, retrySeconds: 5 },
    /** Bodies in memory, in bytes, until their request is answered. */
    bodies: {
      what: 'of request bodies',
      all: config.CONFAM_BODY_BYTES_MAX,
      // The largest: a body that grows as it arrives must not wait for itself.
      least: IMAGE_ROW_BYTES_MAX,
      rests: true,
      queue: { max: 1_000, ms: 5_000 },
      retrySeconds: 2,
      show: (bytes: number) => `${Math.floor(bytes / MIB)} MiB`,
    },
    /** Uploads that arrive or wait on disk. */
    uploads: {
      what: 'uploads',
      all: ARRIVING_PER_READ * config.CONFAM_UPLOADS_MAX,
      queue: { max: 400, ms: 5_000 },
      retrySeconds: 10,
    },
    /** Uploads whose rows are read; each has arrived. */
    reads: {
      what: 'uploads',
      all: config.CONFAM_UPLOADS_MAX,
      least: 1,
      rests: true,
      queue: { max: Number.POSITIVE_INFINITY, ms: null },
      retrySeconds: 10,
    },
    /** Files, until their client has them. */
    downloads: { what: 'downloads', all: config.CONFAM_DOWNLOADS_MAX, queue: { max: 400, ms: 2_000 }, retrySeconds: 30 },
    streams: { what: 'event streams', all: config.CONFAM_EVENT_STREAMS_MAX, queue: { max: 400, ms: 2_000 }, retrySeconds: 30 },
    /** Pages read for downloads, which have passed their gate: only a few at a time, so that calls find a free connection. */
    pages: {
      what: 'pages',
      all: PAGES_AT_ONCE,
      share: 2 / 3,
      least: 1,
      rests: true,
      queue: { max: Number.POSITIVE_INFINITY, ms: null },
      retrySeconds: 1,
    },
    /** One with 200 hits takes 60 MB and half a second. */
    reports: { what: 'reports', all: 1, queue: { max: 100, ms: 30_000 }, retrySeconds: 10 },
    /** By provider instead of app. */
    messages: {
      what: 'messages',
      whose: 'This provider',
      all: MESSAGES.all,
      share: MESSAGES.each / MESSAGES.all,
      queue: null,
      retrySeconds: 5,
    },
  }) as const satisfies Record<string, GateOptions>;

type GateName = keyof ReturnType<typeof gates>;

export interface Admission extends Record<GateName, Gate> {
  weightOf: WeightOf;
  /** Updates its counters and gauges. */
  measure(): void;
  close(): Promise<void>;
}

/** What a context has in addition where there are gates to pass. */
export interface Admitting {
  admission: Admission;
}

export async function openAdmission(ctx: Pick<Context, 'sql' | 'log' | 'config' | 'metrics'>): Promise<Admission> {
  let weights: ReadonlyMap<string, number> = new Map();
  const weightOf: WeightOf = (appId) => weights.get(appId) ?? 1;
  const close = await openAnnounced(
    ctx,
    'weights',
    () => ctx.sql<{ id: string; weight: number }[]>`
      select id, (settings ->> 'weight')::float8 as weight from apps where settings ->> 'weight' is not null`,
    (rows) => {
      weights = new Map(rows.map(({ id, weight }) => [id, weight]));
    },
  );
  const pressure = new Pressure();
  const stopFollowing = followLoop(pressure, giveMemoryBack);
  const loudness = new Loudness();
  const part = () => pressure.part;
  const made = Object.fromEntries(
    Object.entries(gates(ctx)).map(([name, options]) => [name, new Gate(weightOf, options, { asked: loudness.of(weightOf), part })]),
  ) as Record<GateName, Gate>;
  const { admissionInUse, admissionPart, admissionWaiting, admissionRefusals } = ctx.metrics;
  return {
    ...made,
    weightOf,
    measure() {
      admissionPart.set(pressure.part);
      for (const [gate, one] of Object.entries(made)) {
        const { taken, waiting } = one.inUse();
        admissionInUse.set({ gate }, taken);
        admissionWaiting.set({ gate }, waiting);
        for (const beyond of ['app', 'all'] as const) {
          admissionRefusals.inc({ gate, beyond }, one.refusals[beyond]);
          one.refusals[beyond] = 0;
        }
      }
    },
    async close() {
      stopFollowing();
      await close();
    },
  };
}
