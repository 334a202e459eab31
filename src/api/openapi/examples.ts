/** The sandbox's answers to the example inputs of checks. */
import { answerScreening } from '../../aml/answer.ts';
import { openSandboxLists } from '../../aml/sandbox-lists.ts';
import { type Check, CheckRefusal } from '../../checks/check.ts';
import { type LookupResult, ProviderFailure } from '../../checks/provider.ts';
import { entityOf } from '../../email/entity.ts';
import { buildIndex } from '../../engines/aml/match/build.ts';
import { openMatcher } from '../../engines/aml/match/screen.ts';
import { readRequest } from '../../engines/aml/request.ts';
import { openLists } from '../../engines/email/lists.ts';
import { openEmailSandbox } from '../../sandbox/internet/engine.ts';
import { createSandbox } from '../../sandbox/provider.ts';
import { exampleInput } from './example-inputs.ts';

/** Longer text is an image: shorten it for readers. */
const TEXT_MAX = 120;
const TEXT_SHOWN = 24;

/** The entity that a test key gets for the example. Null if the sandbox does not answer it. */
export async function exampleEntity(check: Check): Promise<Record<string, unknown> | null> {
  const input = exampleInput(check);
  if (input === null) return null;
  const sandbox = createSandbox();
  const signal = new AbortController().signal;
  const lookup: Parameters<Check['run']>[1] = (kind, tier, identifier) => {
    if (kind === 'aml') return screen(identifier);
    return kind === 'email' ? assess(identifier, signal) : sandbox.lookup({ kind, tier, identifier, reference: 'example', signal });
  };
  try {
    const result = await check.run(check.input.parse(input) as Record<string, string | undefined>, lookup);
    return result.found ? (shorten(result.entity) as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof CheckRefusal) return null;
    throw error;
  }
}

/** Fixed for every example, so that the document does not depend on the time. */
const SCREENED_AT = '2026-01-15T09:30:00.000Z';

/** Uses the sandbox's servers, as a test key does. */
async function assess(address: string, signal: AbortSignal): Promise<LookupResult> {
  const engine = await openEmailSandbox(await openLists());
  try {
    const assessment = await engine.assess(address, signal);
    return assessment ? { found: true, record: entityOf(assessment, new Date(SCREENED_AT)) } : { found: false };
  } finally {
    await engine.close();
  }
}

/** Uses the sandbox lists, as a test key does; no hit is cleared. */
async function screen(identifier: string): Promise<LookupResult> {
  const lists = openSandboxLists();
  const { subject, options } = readRequest(JSON.parse(identifier), {});
  const matches = openMatcher(buildIndex(await lists.inForce())).screen(subject, options);
  const none = matches.map(() => null);
  const times = { threshold: options.threshold, screenedAt: SCREENED_AT };
  return { found: true, record: answerScreening({ matches, lists: await lists.screened() }, none, times) };
}

/** Long texts, which are pictures, as the documents show them. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > TEXT_MAX ? `${value.slice(0, TEXT_SHOWN)}…` : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
}
