/**
 * What a script does with one request: its fault, its latency, whether it is within the limit. All draws follow from the seed and the request's number since
 * the script was set, so that a run can be repeated. Nothing here touches a connection.
 */
import { Draw } from '../sandbox/draw.ts';
import { type Fault, MS_MAX, type Script, type Settings, settingsOf, shares, type WrongKind } from './script.ts';

/** Slots of a request's draws; a new one changes none of the others. */
const [FAULT, LATENCY, LATENCY_TOO, WRONG_KIND, PENDING] = [0, 1, 2, 3, 4];

interface Phase {
  fromMs: number;
  toMs: number;
  settings: Settings;
  /** Each fault with the sum of its share and those before it. */
  faults: [Fault, number][];
  /** Null: no limit. */
  take: ((nowMs: number) => boolean) | null;
}

export interface Behaviour {
  script: Script;
  /** The settings in force at a time of `performance.now()`. */
  at(nowMs: number): Settings;
  /** Call it once for each request, in order of arrival. */
  decide(arrivedMs: number, inFlight: number): Decision;
}

export interface Decision {
  settings: Settings;
  /** Refused by the limit, and by nothing else. */
  limited: boolean;
  fault: Fault | null;
  latencyMs: number;
  /** For the fault `wrong_content`. */
  wrongKind: WrongKind | null;
  /** For a job, if this request submits one; 0: answered at once. */
  pendingMs: number;
}

export function openBehaviour(script: Script, startedMs: number): Behaviour {
  const usual = phaseOf(settingsOf(script), 0, Number.POSITIVE_INFINITY);
  const windows = script.timetable.map((window) => phaseOf(settingsOf(script, window), window.from_ms, window.to_ms));
  const phaseAt = (nowMs: number): Phase => {
    if (windows.length === 0) return usual;
    const sinceMs = nowMs - startedMs;
    return windows.find(({ fromMs, toMs }) => sinceMs >= fromMs && sinceMs < toMs) ?? usual;
  };
  let requests = 0;

  return {
    script,
    at: (nowMs) => phaseAt(nowMs).settings,
    decide(arrivedMs, inFlight) {
      const { settings, faults, take, fromMs } = phaseAt(arrivedMs);
      const draw = new Draw(script.seed, ++requests);
      const limited = take !== null && !take(arrivedMs);
      const fault = limited || faults.length === 0 ? null : (faults.find(([, upTo]) => portion(draw, FAULT) < upTo)?.[0] ?? null);
      return {
        settings,
        limited,
        fault,
        latencyMs: latencyOf(settings, draw, inFlight, arrivedMs - startedMs - fromMs),
        wrongKind: fault === 'wrong_content' ? draw.pick(WRONG_KIND, settings.wrong_content!.kinds) : null,
        pendingMs: settings.pending && portion(draw, PENDING) < settings.pending.share ? settings.pending.ms : 0,
      };
    },
  };
}

function phaseOf(settings: Settings, fromMs: number, toMs: number): Phase {
  let sum = 0;
  const faults = shares(settings).flatMap(([fault, share]): [Fault, number][] => {
    sum += share;
    return share > 0 ? [[fault, sum]] : [];
  });
  return { fromMs, toMs, settings, faults, take: settings.limit && openBucket(settings.limit) };
}

/** A token bucket that starts full. */
function openBucket({
  per_second,
  burst = Math.max(1, Math.ceil(per_second)),
}: NonNullable<Settings['limit']>): (nowMs: number) => boolean {
  let tokens = burst;
  let lastMs: number | null = null;
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - (lastMs ?? nowMs)) / 1000) * per_second);
    lastMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

function latencyOf(
  { latency_ms: latency, latency_drift: drift, in_flight_max }: Settings,
  draw: Draw,
  inFlight: number,
  sinceMs: number,
): number {
  if (latency === 0) return 0;
  const load = in_flight_max === null ? 1 : Math.max(1, inFlight / in_flight_max);
  const drifted = drift === null ? 1 : 1 + (drift.to - 1) * Math.min(1, sinceMs / drift.over_ms);
  return Math.min(MS_MAX, drawLatency(latency, draw) * load * drifted);
}

function drawLatency(latency: Settings['latency_ms'], draw: Draw): number {
  if (typeof latency === 'number') return latency;
  if ('min' in latency) return latency.min + (latency.max - latency.min) * portion(draw, LATENCY);
  if ('modes' in latency) return modeOf(latency.modes, portion(draw, LATENCY));
  return latency.p50 * (latency.p99 / latency.p50) ** (normal(draw) / Z_99);
}

function modeOf(modes: { share: number; ms: number }[], at: number): number {
  let left = at;
  for (const { share, ms } of modes) {
    if (left < share) return ms;
    left -= share;
  }
  return modes.at(-1)!.ms;
}

/** The 99th percentile of the standard normal distribution. */
const Z_99 = 2.326_347_874;

/** Standard normal, by the Box-Muller transform. */
const normal = (draw: Draw): number =>
  Math.sqrt(-2 * Math.log(1 - portion(draw, LATENCY))) * Math.cos(2 * Math.PI * portion(draw, LATENCY_TOO));

/** A number in [0, 1). */
const portion = (draw: Draw, slot: number): number => draw.bits(slot) / 2 ** 32;
