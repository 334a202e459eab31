/**
 * Values that people may see without a reason. A member keeps its place and its value is masked by kind: numbers of people keep their last three characters,
 * names their first letters, dates their year; of an image it is said that there is one. A member that no rule covers is hidden completely, so a new member
 * shows nothing by mistake.
 */

const HIDDEN = '•••';
const HIDDEN_PICTURE = `${HIDDEN} (a picture)`;

/** Words of a fixed list, and the time of a screening, which do not identify anybody. */
const PLAIN =
  /^(screened_at|status|decision|risk_level|level|gender|outcome|category|type|company_type|verdict|result|unit|method|version)$/i;
const NAME = /name|surname|title/i;
const DATE = /date|birth|dob|_at$|since|until/i;
/** Figures that a check has computed; other numbers may be somebody's money or age. */
const FIGURE = /confidence|score|threshold|similarity|probability|quality|_hits$|^hits$|^count$/i;
/** Names that say nothing themselves: the member above counts. */
const GENERIC = /^(value|text|supplied|found|\d+)$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
const IMAGE_LENGTH = 1_000;
const NUMBER_DIGITS_MIN = 5;
const KEPT = 3;

/** `value` with every leaf masked. `hidden`: names of members at its top that hold images. */
export function masked<Value>(value: Value, hidden: readonly string[] = []): Value {
  const whole = mask('', value) as Record<string, unknown> | null;
  for (const name of hidden) if (whole?.[name]) whole[name] = HIDDEN_PICTURE;
  return whole as Value;
}

function mask(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(name, item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(GENERIC.test(key) ? name : key, member)]));
  if (typeof value === 'string') return maskText(name, value);
  if (typeof value === 'number') return FIGURE.test(name) ? value : HIDDEN;
  return value;
}

function maskText(name: string, text: string): string {
  if (text === '') return '';
  if (text.length >= IMAGE_LENGTH) return HIDDEN_PICTURE;
  if (PLAIN.test(name)) return text;
  if (ISO_DATE.test(text) || (DATE.test(name) && /\d{4}/.test(text))) return `${/\d{4}/.exec(text)![0]}-••-••`;
  if (text.includes('@')) return `${text[0]}${HIDDEN}@${HIDDEN}`;
  if (text.replace(/\D/g, '').length >= NUMBER_DIGITS_MIN && !/\s\D+\s/.test(text)) return `${HIDDEN}${text.trim().slice(-KEPT)}`;
  if (NAME.test(name))
    return text
      .trim()
      .split(/\s+/)
      .map((word) => `${[...word][0]}${HIDDEN}`)
      .join(' ');
  return HIDDEN;
}
