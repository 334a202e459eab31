/** Parses values by schemas and says in our own words and rules what is wrong with them. Each text reads as a sentence after the member's name. */
import type { z } from 'zod';

/** Like `safeParse`. `messageOf` and `ruleOf` read its issues. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  // Most values are right. Without options zod takes a shorter way: 0.2 instead of 4.6 µs for the input of `nin_basic` (29 November 2026, Node 20).
  const right = schema.safeParse(value);
  if (right.success) return right;
  const parsed = schema.safeParse(value, { error: plainText, reportInput: true });
  if (!parsed.success) keepOneBound(parsed.error.issues);
  return parsed;
}

const isBound = (issue: z.core.$ZodIssue | undefined): boolean => issue?.code === 'too_big' || issue?.code === 'too_small';

/**
 * A number beyond the safe integers breaks two bounds, that one and the member's own: only the member's own is worth saying. Of a value of the
 * wrong type, such as a list where a text belongs, none is.
 */
function keepOneBound(issues: z.core.$ZodIssue[]): void {
  for (let at = issues.length - 2; at >= 0; at--) {
    const [one, next] = [issues[at]!, issues[at + 1]!];
    if (!isBound(next) || one.path.join() !== next.path.join()) continue;
    if (one.code === 'invalid_type') issues.splice(at + 1, 1);
    else if (one.code === next.code) issues.splice(at, 1);
  }
}

/** The schema's own text if it has one. A missing member always gets the same text. */
export const messageOf = (issue: z.core.$ZodIssue): string => (isMissing(issue) ? 'is required' : issue.message);

/** The stable rule that a schema issue violates: the declaration's own or the validator's, without its internal names. */
export function ruleOf(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return 'required';
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'empty';
  if (issue.code === 'invalid_union') return 'invalid_value';
  if (issue.code !== 'custom') return issue.code;
  return typeof issue.params?.rule === 'string' ? issue.params.rule : 'invalid_value';
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined)
    return (issue.input as Record<string, unknown>)[issue.discriminator] === undefined;
  return ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code) && issue.input === undefined;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Record<string, string> = { date: 'a date, YYYY-MM-DD', datetime: 'an ISO time', url: 'a URL' };

/** The text for an issue whose schema has none of its own. */
function plainText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] && `must be ${TYPES[issue.expected]}`;
    case 'invalid_format':
      return FORMATS[issue.format] ? `must be ${FORMATS[issue.format]}` : 'is not in the expected form';
    case 'invalid_value':
      return mustBe(issue.values);
    case 'invalid_union':
      return Array.isArray(issue.options) ? mustBe(issue.options) : 'is not of an accepted kind';
    case 'too_small':
      return bound(issue.origin, 'least', issue.minimum, issue.inclusive);
    case 'too_big':
      return bound(issue.origin, 'most', issue.maximum, issue.inclusive);
    default:
      return undefined;
  }
}

const mustBe = (values: readonly unknown[]): string => `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;

function bound(origin: string, side: 'least' | 'most', limit: number | bigint, inclusive = true): string {
  if (origin === 'string') return side === 'least' && limit === 1 ? 'must not be empty' : `must be at ${side} ${limit} characters`;
  if (origin === 'array') return `must have at ${side} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  if (inclusive) return `must be at ${side} ${limit}`;
  return `must be ${side === 'least' ? 'more' : 'less'} than ${limit}`;
}
