/** How values are written for people: money, counts, times, sizes, and text of others, which must not command the terminal. */

/** Without control characters: names and columns come from files and registries, and an escape sequence could rewrite the screen. */
export const plain = (text: string, { lines = false } = {}): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (letter) => (letter === '\n' && lines ? letter : ' '));

export const naira = (amount: number): string => `₦${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const count = (value: number): string => value.toLocaleString('en');

/** `one`, `2,000 ones` */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** In local time, to the minute. */
export function minute(instant: string | null | undefined): string {
  return instant ? new Date(instant).toLocaleString('sv').slice(0, 16) : '';
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.ceil(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} kB`;
  return size < 1e9 ? `${(size / 1e6).toFixed(1)} MB` : `${(size / 1e9).toFixed(2)} GB`;
}

/** Wide letters of East Asia are not counted as two: tables with them are a little ragged. */
export const width = (text: string): number => [...text].length;
