/** What the simulated vendor finds: runs the checks of the catalogue over the invented people of the sandbox. */
import type { Check, Lookup } from '../checks/check.ts';
import { readInput, sentence } from '../checks/read-input.ts';
import { ApiError } from '../foundation/errors.ts';
import { createSandbox } from '../sandbox/provider.ts';
import { registries } from '../sandbox/registries.ts';

export interface Question {
  check: Check;
  input: Record<string, string | undefined>;
}

export type Entity = Record<string, unknown>;
export type Finding = { found: true; entity: Entity } | { found: false };

/** Throws `invalid_request` naming every wrong member. As in the single calls, null counts as not supplied. */
export function readQuestion(check: Check, fields: Record<string, unknown>): Question {
  const read = readInput(check, (field) => fields[field] ?? undefined);
  if ('input' in read) return { check, input: read.input };
  throw new ApiError('invalid_request', sentence(read.problems), {
    details: read.problems.map(({ field, message, rule }) => ({ path: field ?? '', message, rule })),
  });
}

export const subjectOf = ({ check, input }: Question): string => `${check.family} ${check.subject(input)}`;

/** Looks questions up. One for each vendor, since numbers that fail once are remembered. Throws `ProviderFailure` and `CheckRefusal`. */
export function openRegistry(): (question: Question) => Promise<Finding> {
  const sandbox = createSandbox();
  const lookup: Lookup = (kind, tier, identifier) =>
    // Never aborted: a vendor finishes a question even if its client no longer waits.
    sandbox.lookup({ kind, tier, identifier, reference: '', signal: new AbortController().signal });
  return ({ check, input }) => check.run(input, lookup);
}

/** The answer of a registry that mixes up two subjects; null if no similar number exists, or if the mix-up would be noticed. */
export async function findOther({ check, input }: Question): Promise<Entity | null> {
  const mixedUp: Lookup = async (kind, _, identifier) => {
    const record = likes(identifier)
      .map((other) => registries[kind]?.record(other))
      .find(Boolean);
    return record ? { found: true, record } : { found: false };
  };
  const finding = await check.run(input, mixedUp).catch(() => ({ found: false as const }));
  return finding.found ? finding.entity : null;
}

/** Identifiers of the same form with another last digit. */
function likes(identifier: string): string[] {
  const at = identifier.search(/\d\D*$/);
  const others = Array.from({ length: 9 }, (_, i) => String((Number(identifier[at]) + i + 1) % 10));
  return others.map((digit) => identifier.slice(0, at) + digit + identifier.slice(at + 1));
}
