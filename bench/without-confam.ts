/** What a vendor answers to a client that does nothing but ask. */
import { checks } from '../src/checks/catalog.ts';
import { sampleInput } from './inputs.ts';
import { closedLoop } from './load.ts';
import type { Simulator } from './simulator.ts';

/** Answers a second to this many requests at a time. */
export async function answersWithoutConfam(simulator: Simulator, check: string, atATime: number, seconds: number): Promise<number> {
  const { path } = checks.find(({ id }) => id === check)!.route;
  const paths = Array.from({ length: 500 }, (_, n) => `${path}?${new URLSearchParams(sampleInput(check, n))}`);
  const samples = await closedLoop(simulator.url, { connections: atATime, seconds, paths, headers: simulator.headers });
  return samples.length / seconds;
}
