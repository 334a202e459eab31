/** Inputs that several checks take, each parsed to canonical text. An empty cell or parameter means that an optional one was not supplied. */
import { z } from 'zod';

export const missingOr = (message: string) => ({
  error: (issue: { input: unknown }) => (issue.input === undefined ? 'is required' : message),
});

export const requiredText = (max: number) =>
  z.string(missingOr('must be a string')).trim().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);

export const elevenDigits = (name: string) =>
  z
    .string(missingOr('must be a string of 11 digits (a JSON number loses leading zeros)'))
    .trim()
    .regex(/^\d{11}$/, 'must be 11 digits')
    .describe(`${name}, 11 digits, as a string`);

export const optionalText = z
  .string('must be a string')
  .trim()
  .max(100, 'must be at most 100 characters')
  .optional()
  .transform((value) => value || undefined);

const isDate = (text: string): boolean => z.iso.date().safeParse(text).success;
/** Lagos is an hour ahead of UTC: whoever is born today there is not born tomorrow here. */
const isPast = (date: string): boolean => date <= new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);

export const optionalBirthDate = optionalText
  .refine((date) => date === undefined || isDate(date), { error: 'must be a date, YYYY-MM-DD', abort: true })
  .refine((date) => date === undefined || isPast(date), 'must not be in the future')
  .describe('YYYY-MM-DD');

/** Decoded: what a phone's camera makes is smaller. */
const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const BASE64_CHARACTERS_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4;
/** A body with one image, the line breaks of its base64 and the other members. */
export const IMAGE_BODY_BYTES_MAX = BASE64_CHARACTERS_MAX + 1024 * 1024;

/** JPEG, PNG, or WebP in its RIFF container. */
function isImage(base64: string): boolean {
  const start = Buffer.from(base64.slice(0, 16), 'base64').toString('latin1');
  return start.startsWith('\xff\xd8\xff') || start.startsWith('\x89PNG\r\n\x1a\n') || /^RIFF.{4}WEBP/s.test(start);
}

/** Bare base64, whatever came around it. */
export const image = z
  .string(missingOr('must be a string'))
  .max(IMAGE_BODY_BYTES_MAX, 'must be at most 10 MB')
  .transform((text) => text.replace(/^\s*data:[^,]{0,100},/, '').replace(/\s+/g, ''))
  .refine((base64) => base64 !== '', { error: 'must not be empty', abort: true })
  .refine((base64) => base64.length <= BASE64_CHARACTERS_MAX, { error: 'must be at most 10 MB', abort: true })
  .refine((base64) => /^[A-Za-z0-9+/]+={0,2}$/.test(base64), { error: 'must be base64, bare or as a data: URI', abort: true })
  .refine(isImage, 'must be a JPEG, PNG or WebP image')
  .describe('JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB');

/** A number or its text. */
export const percentage = z
  .union([z.number(), z.string().trim().max(20)], 'must be a number from 0 to 100')
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : String(value)))
  .refine((text) => text === undefined || (/^\d{1,3}(\.\d+)?$/.test(text) && Number(text) <= 100), 'must be a number from 0 to 100')
  .transform((text) => (text === undefined ? undefined : String(Number(text))));
