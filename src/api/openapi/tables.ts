/** JSON Schemas as rows of Markdown tables, for `docs/checks.md` and for the API reference. */
import type { JsonSchema } from './schema.ts';

const REF = '#/components/schemas/';

/** One line, in which `|` does not end the cell. HTML is text. */
export const cell = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .replace(/`[^`]*`|[<|]/g, (part) => (part === '<' ? '&lt;' : part.replaceAll('|', '\\|')));

export function rulesOf(schema: JsonSchema): string {
  const { description, enum: names, maxLength, pattern, format, minimum, maximum, default: fallback } = schema;
  const rules = [
    description,
    Array.isArray(names) && `one of ${names.map((name) => `\`${name}\``).join(', ')}`,
    // A description explains the pattern.
    description === undefined && pattern !== undefined && `\`${pattern}\``,
    format !== undefined && `${format}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    fallback !== undefined && `default \`${JSON.stringify(fallback).replace(/^"(.*)"$/, '$1')}\``,
  ];
  return rules.filter((rule) => typeof rule === 'string').join('; ');
}

/** Shared schemas are links to their sections in `schemas.md`. */
export function typeOf(schema: JsonSchema): string {
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' or ');
  const shared = sharedName(schema);
  if (shared !== null) return `[${shared}](schemas.md#${shared.toLowerCase().replaceAll('.', '')})`;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.type === 'array') return `array of ${typeOf((schema.items as JsonSchema | undefined) ?? {})}`;
  return [schema.type ?? (schema.enum ? 'string' : 'any')].flat().join(' or ');
}

export const sharedName = ({ $ref }: JsonSchema): string | null =>
  typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : null;

/** A row for each member: name, type, rules. Members of nested objects are named by their path: `directors[].name`. */
export function memberRows(prefix: string, schema: JsonSchema): string {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties)
    .flatMap(([name, member]) => {
      const path = `${prefix}${name}`;
      // An object that may be null has its members listed too.
      const alternative = (member.anyOf as JsonSchema[] | undefined)?.find(({ properties: members }) => members);
      const inner = (member.items ?? alternative ?? member) as JsonSchema;
      const nested = inner.properties === undefined ? [] : [memberRows(`${path}${member.items ? '[]' : ''}.`, inner)];
      const absent = required.includes(name) ? '' : ' or absent';
      return [`| \`${path}\` | ${typeOf(member)}${absent} | ${cell(rulesOf(member))} |`, ...nested];
    })
    .join('\n');
}
