/** What Postgres can store in text and jsonb, and how to replace what it cannot. */

type Flaw = 'too_deep' | 'invalid_characters';

/** Why a member of a JSON object cannot be stored; null if it can. */
export function memberFlaw(name: string, value: unknown, depthMax: number): Flaw | null {
  return isStorable(name) ? valueFlaw(value, depthMax) : 'invalid_characters';
}

/** Why a JSON value cannot be stored. `depthMax` bounds the recursion; at 1, only what has no members passes. */
export function valueFlaw(value: unknown, depthMax: number): Flaw | null {
  if (typeof value === 'string') return isStorable(value) ? null : 'invalid_characters';
  if (typeof value !== 'object' || value === null) return null;
  if (depthMax <= 1) return 'too_deep';
  let flaw: Flaw | null = null;
  const isList = Array.isArray(value);
  for (const name of isList ? value.keys() : Object.keys(value)) {
    const inner = (value as Record<string | number, unknown>)[name];
    const innerFlaw = isList ? valueFlaw(inner, depthMax - 1) : memberFlaw(name as string, inner, depthMax - 1);
    if (innerFlaw === 'too_deep') return innerFlaw;
    flaw ??= innerFlaw;
  }
  return flaw;
}

/** Postgres stores neither NUL nor a lone surrogate in text or jsonb. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The value with U+FFFD in place of characters that cannot be stored. The caller has bounded its depth. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storable(inner)]));
}
