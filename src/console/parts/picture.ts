/** Pictures in answers: registries give them in base64, with or without their type. */

const TYPES: readonly (readonly [beginning: string, type: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['UklGR', 'image/webp'],
];

/** Shorter ones only look like pictures. */
const LENGTH_MIN = 100;

/** An address that shows the picture; null: the value is none. */
export function pictureUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length < LENGTH_MIN) return null;
  if (/^data:image\/(?:png|jpeg|webp);base64,/.test(value)) return value;
  const type = TYPES.find(([beginning]) => value.startsWith(beginning))?.[1];
  return type ? `data:${type};base64,${value}` : null;
}
