/** How values are written for people: money, counts, times, sizes, and text of others, which must not command the terminal. */
import { readable } from '../../foundation/readable.ts';

/** Names and columns come from files and registries. Without `lines` the text stays on its line. */
export const plain = (text: string, { lines = false } = {}): string => readable(text).replace(lines ? /[\t\r]/g : /[\t\r\n]/g, ' ');

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const COMMANDS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The same value, with everything escaped that must not reach the terminal: JSON leaves U+009B, which begins a command like ESC, as it is. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(COMMANDS, (letter) =>
    letter === '\n' ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

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
