/** Whether an answer tells that an id of another app exists: by its status, its body, or its time. */
import { Agent } from 'undici';
import type { Random } from './random.ts';
import { type Document, prefixOf, unknownId } from './requests.ts';

interface Pair {
  operation: string;
  foreign: number[];
  unknown: number[];
}

export interface Oracle {
  /** Operations with an id in their path that were compared. */
  compared: number;
  differences: string[];
  /** The lower quartile of the time for foreign ids, divided by that for ids of nothing; the middle one of all operations, and the one furthest from 1. */
  ratio: number;
  furthest: { ratio: number; operation: string };
}

const METHODS = ['get', 'post', 'patch', 'delete'];

/** The body of an answer, without what differs between any two. */
const comparable = (text: string): string => text.replaceAll(/req_[0-9a-f]{32}/g, 'req').replaceAll(/[a-z]{3}_[0-9a-f]{32}/g, 'id');

const quartile = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)]!;

/** Asks one thing at a time, in turn about an id of another app and one that never was. */
export async function findOracles(
  url: string,
  document: Document,
  headers: Record<string, string>,
  foreign: Record<string, string[]>,
  pairs: number,
  random: Random,
): Promise<Oracle> {
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const differences: string[] = [];
  const measured: Pair[] = [];
  for (const [template, item] of Object.entries(document.paths)) {
    const prefix = template.includes('/admin/') ? null : prefixOf(template, 'id');
    const theirs = prefix ? foreign[prefix] : undefined;
    if (!prefix || !theirs || theirs.length === 0) continue;
    for (const method of METHODS.filter((one) => item[one])) {
      const { operationId, requestBody } = item[method]!;
      const content = Object.entries(requestBody?.content ?? {}).find(([type]) => type === 'application/json')?.[1];
      const body = content ? JSON.stringify(content.example ?? Object.values(content.examples ?? {})[0]?.value ?? {}) : null;
      const ask = async (id: string) => {
        const path = template.replace('{id}', id).replaceAll(/\{\w+\}/g, 'selfie');
        const began = performance.now();
        const answer = await agent.request({
          origin: url,
          method: method.toUpperCase() as 'GET',
          path,
          headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
          body,
        });
        const text = await answer.body.text();
        return { shown: `${answer.statusCode} ${comparable(text)}`, ms: performance.now() - began };
      };
      const pair: Pair = { operation: operationId, foreign: [], unknown: [] };
      for (let i = 0; i < pairs; i++) {
        const known = random.pick(theirs);
        // Who comes first alternates, or one of the two would always be the warmer.
        const first = i % 2 === 0 ? await ask(known) : null;
        const nothing = await ask(unknownId(random, prefix));
        const something = first ?? (await ask(known));
        pair.foreign.push(something.ms);
        pair.unknown.push(nothing.ms);
        if (something.shown !== nothing.shown || !something.shown.startsWith('4')) {
          differences.push(`${operationId}: another app's ${something.shown.slice(0, 200)}; nobody's ${nothing.shown.slice(0, 200)}`);
          break;
        }
      }
      measured.push(pair);
    }
  }
  await agent.close();
  const ratios = measured.map(({ operation, ...pair }) => ({ operation, ratio: quartile(pair.foreign) / quartile(pair.unknown) }));
  const middle = ratios.map(({ ratio }) => ratio).toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
  const furthest = ratios.toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))[0]!;
  return { compared: measured.length, differences, ratio: middle, furthest };
}
