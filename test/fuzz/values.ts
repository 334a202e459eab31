/** Values by a JSON schema of `/openapi.json`: ones that fit it, and ones that break it. */
import fc from 'fast-check';
import type { Random } from './random.ts';

export type Schema = Record<string, unknown> & {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  pattern?: string;
};

export class Values {
  private readonly random: Random;
  private readonly resolve: (ref: string) => Schema;
  private readonly matching = new Map<string, string[]>();

  constructor(random: Random, resolve: (ref: string) => Schema) {
    this.random = random;
    this.resolve = resolve;
  }

  /** A value that fits. */
  fitting(schema: Schema, depth = 0): unknown {
    const { random } = this;
    if (typeof schema.$ref === 'string') return this.fitting(this.resolve(schema.$ref), depth + 1);
    const examples = [...((schema.examples as unknown[] | undefined) ?? []), ...('example' in schema ? [schema.example] : [])];
    if (examples.length > 0 && random.chance(0.4)) return random.pick(examples);
    if ('const' in schema) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
    if (choices) return this.fitting(random.pick(choices), depth + 1);
    if (schema.allOf) return Object.assign({}, ...(schema.allOf as Schema[]).map((part) => this.fitting(part, depth + 1)));
    const types = [schema.type ?? (schema.properties ? 'object' : undefined)].flat().filter(Boolean) as string[];
    const type = types.length > 0 ? random.pick(types) : random.pick(['string', 'integer', 'boolean', 'null']);
    if (type === 'object') return this.object(schema, depth);
    if (type === 'array') return this.array(schema, depth);
    if (type === 'boolean') return random.chance(0.5);
    if (type === 'null') return null;
    if (type === 'integer' || type === 'number') return this.number(schema, type);
    return this.text(schema);
  }

  /** `value` with something wrong in it. */
  broken(value: unknown): unknown {
    const { random } = this;
    if (typeof value !== 'object' || value === null || random.chance(0.15)) return this.odd();
    if (Array.isArray(value)) {
      if (value.length === 0 || random.chance(0.2)) return Array.from({ length: 1 + random.below(3_000) }, () => value[0] ?? 'x');
      return value.map((item, i) => (i === 0 ? this.broken(item) : item));
    }
    const names = Object.keys(value);
    const copy: Record<string, unknown> = { ...value };
    const name = names.length > 0 ? random.pick(names) : 'x';
    const what = random.below(5);
    if (what === 0) delete copy[name];
    else if (what === 1)
      copy[random.pick(['unknown', '__proto__', 'constructor', '', 'i\u0000d', `${name}s`, name.toUpperCase()])] = this.odd();
    else if (what === 2) copy[name] = this.odd();
    else copy[name] = this.broken(copy[name]);
    return copy;
  }

  /** What no schema expects. */
  odd(): unknown {
    const { random } = this;
    let deep: unknown = 1;
    for (let i = 0; i < 40; i++) deep = random.chance(0.5) ? [deep] : { a: deep };
    return random.pick<unknown>([
      null,
      '',
      ' ',
      '\u0000',
      '\ud800',
      '\u202eabc\u200b',
      '💥'.repeat(50),
      "'; drop table jobs; --",
      '../../etc/passwd',
      '{{7*7}}',
      '9'.repeat(400),
      'x'.repeat(20_000),
      -1,
      0,
      1e308,
      -0.1,
      2 ** 53,
      4_294_967_296,
      true,
      [],
      {},
      [[]],
      [null],
      { toString: 'x' },
      deep,
      '2026-02-30',
      '0000-00-00',
      '+999999-01-01T00:00:00Z',
      'NaN',
      '1e3',
      'http://127.0.0.1:1/',
      'http://[::1]/',
      'https://user:pass@example.com:99999/',
    ]);
  }

  private object(schema: Schema, depth: number): Record<string, unknown> {
    const { properties = {}, required = [] } = schema;
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(properties))
      if (required.includes(name) || (depth < 4 && this.random.chance(0.35))) made[name] = this.fitting(property, depth + 1);
    const more = schema.additionalProperties;
    if (typeof more === 'object' && more !== null && this.random.chance(0.5))
      made[`k${this.random.below(9)}`] = this.fitting(more as Schema, depth + 1);
    return made;
  }

  private array(schema: Schema, depth: number): unknown[] {
    const least = Number(schema.minItems ?? 0);
    const most = Math.min(Number(schema.maxItems ?? 3), least + 3);
    return Array.from({ length: least + this.random.below(most - least + 1) }, () => this.fitting(schema.items ?? {}, depth + 1));
  }

  private number(schema: Schema, type: string): number {
    const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0);
    const most = Math.min(Number(schema.maximum ?? schema.exclusiveMaximum ?? least + 1_000), least + 1_000_000);
    const drawn = this.random.chance(0.2) ? this.random.pick([least, most]) : least + this.random.next() * (most - least);
    return type === 'integer' ? Math.round(drawn) : Math.round(drawn * 100) / 100;
  }

  private text(schema: Schema): string {
    const { random } = this;
    if (schema.pattern) return random.pick(this.matches(schema.pattern));
    const day = `20${10 + random.below(20)}-0${1 + random.below(9)}-1${random.below(10)}`;
    switch (schema.format) {
      case 'date':
        return day;
      case 'date-time':
        return `${day}T12:00:00Z`;
      case 'email':
        return `ada${random.below(1_000)}@bank.test`;
      case 'uri':
        return `https://hooks.example.com/${random.below(1_000)}`;
      case 'uuid':
        return `01890000-0000-7000-8000-${String(random.below(1e12)).padStart(12, '0')}`;
    }
    const length = Math.max(Number(schema.minLength ?? 0), Math.min(Number(schema.maxLength ?? 40), 1 + random.below(24)));
    return Array.from({ length }, () => random.pick([...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_.ọṣẹ'])).join('');
  }

  private matches(pattern: string): string[] {
    const known = this.matching.get(pattern);
    if (known) return known;
    const drawn = ((): string[] => {
      try {
        return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 30, seed: this.random.below(2 ** 31) });
      } catch {
        // Not every expression can be turned round; such a value is refused.
        return ['70123456789', 'x'];
      }
    })();
    this.matching.set(pattern, drawn);
    return drawn;
  }
}
