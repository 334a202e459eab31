/** The simulated vendor for measurements. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Headers } from './load.ts';
import { firstLine, run } from './process.ts';

export interface Simulator {
  url: string;
  /** Credentials that it accepts, for asking it directly. */
  headers: Headers;
  stats(): Promise<SimulatorStats>;
  setScript(script: Record<string, unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** A vendor and its other settings in CONFAM_UPSTREAMS. */
export interface Vendor {
  simulator: Simulator;
  settings: Record<string, unknown>;
}

export interface SimulatorStats {
  requests: number;
  answered: number;
  in_flight: number;
  /** Most requests that arrived within any one-second interval. */
  worst_second: number;
  in_flight_max_seen: number;
  /** ISO times of the first and the last request. */
  first_at: string;
  last_at: string;
}

const SIMULATOR_KEY = 'cf_live_of_the_simulator';

export async function startSimulator(program: string, folder: string, script: Record<string, unknown>): Promise<Simulator> {
  const path = join(folder, `script-${randomBytes(4).toString('hex')}.json`);
  writeFileSync(path, JSON.stringify(script));
  const child = run([program, 'upstream-sim', '--port', '0', '--script', path], {}, 'pipe');
  child.process.stderr!.pipe(process.stderr);
  const url = (await firstLine(child.process)).split(' ').at(-1)!;
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/_sim/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    url,
    headers: { Authorization: SIMULATOR_KEY, AppId: 'app_bench' },
    stats: () => control('GET', 'stats') as Promise<SimulatorStats>,
    setScript: async (script) => void (await control('PUT', 'script', script)),
    stop: child.stop,
  };
}

/** Writes a file for CONFAM_UPSTREAMS in which the sandbox answers live keys, by record kind with these settings; returns the environment for it. */
export function writeSandboxUpstreams(folder: string, kinds: Record<string, Record<string, unknown>>): Record<string, string> {
  const file = join(folder, `upstreams-${randomBytes(4).toString('hex')}.json`);
  const providers = Object.fromEntries(
    Object.entries(kinds).map(([kind, settings]) => [`vendor_${kind}`, { adapter: 'sandbox', ...settings }]),
  );
  const records = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [`vendor_${kind}`]]));
  writeFileSync(file, JSON.stringify({ providers, records }));
  return { CONFAM_UPSTREAMS: file };
}

/** Writes a file for CONFAM_UPSTREAMS with one vendor for each record kind; returns the environment for it. */
export function writeUpstreams(folder: string, vendors: Record<string, Vendor>): Record<string, string> {
  const file = join(folder, `upstreams-${randomBytes(4).toString('hex')}.json`);
  const credentials = { key: { env: 'SIMULATOR_KEY' }, app_id: { env: 'SIMULATOR_APP' } };
  const entries = Object.entries(vendors);
  const providers = Object.fromEntries(
    entries.map(([kind, { simulator, settings }]) => [
      `vendor_${kind}`,
      { adapter: 'native', base_url: simulator.url, credentials, ...settings },
    ]),
  );
  const records = Object.fromEntries(entries.map(([kind]) => [kind, [`vendor_${kind}`]]));
  writeFileSync(file, JSON.stringify({ providers, records }));
  return { CONFAM_UPSTREAMS: file, SIMULATOR_KEY, SIMULATOR_APP: 'app_bench' };
}
