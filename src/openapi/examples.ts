/** Inputs to try each check with, and what the sandbox answers to them: of invented people and companies only (docs/sandbox.md). */
import type { Check } from '../checks/check.ts';
import { ProviderFailure } from '../providers/provider.ts';
import { createSandbox } from '../providers/sandbox/sandbox.ts';

/** Values of one invented person by the name of the input, so that they fit each other whatever the check compares. */
const values: Record<string, string> = {
  nin: '70123456789',
  bvn: '22222222222',
  first_name: 'Morenike',
  last_name: 'Durojaiye',
  dob: '1991-04-17',
};

/** A valid input of the check: what it requires, and what else is known. Throws when a required value is missing from the table. */
export function exampleInput(check: Check): Record<string, string> {
  const fields = Object.keys(check.input.shape);
  const input = Object.fromEntries(fields.filter((field) => values[field] !== undefined).map((field) => [field, values[field]!]));
  const parsed = check.input.safeParse(input);
  if (!parsed.success)
    throw new Error(`no example for ${check.id}: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`);
  return input;
}

/** Longer text is images: cut, for people to read. */
const TEXT_MAX = 120;
const TEXT_SHOWN = 24;

/** The entity that a test key gets for the example. Null: nobody answers it in the sandbox. */
export async function exampleEntity(check: Check): Promise<Record<string, unknown> | null> {
  const sandbox = createSandbox();
  const signal = new AbortController().signal;
  const lookup: Parameters<Check['run']>[1] = (kind, tier, identifier) =>
    sandbox.lookup({ kind, tier, identifier, reference: 'example', signal });
  try {
    const result = await check.run(check.input.parse(exampleInput(check)) as Record<string, string | undefined>, lookup);
    return result.found ? (shorten(result.entity) as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof ProviderFailure) return null;
    throw error;
  }
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > TEXT_MAX ? `${value.slice(0, TEXT_SHOWN)}…` : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
}
