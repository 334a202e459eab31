/** Inputs that several checks share, each parsed to canonical text. An empty cell or parameter means that an optional input is absent. */
import { z } from 'zod';
import { isBase64 } from '../foundation/base64.ts';

export const requiredText = (max: number) => z.string().trim().min(1, { abort: true }).max(max, `must be at most ${max} characters`);

/** What kind of value an input's cells hold, because spreadsheets rewrite such values in files (`batches/written-values.ts`). */
export type CellForm = 'digits' | 'number' | 'date';
export const cellForms = z.registry<{ form: CellForm }>();

/** Marks the schema, and any schema derived from it by `describe` and `refine`. */
export function written<Schema extends z.ZodType>(form: CellForm, schema: Schema): Schema {
  cellForms.add(schema, { form } as Parameters<typeof cellForms.add>[1]);
  return schema;
}

/** The values of an input that takes only a few. A form offers them; the schema decides what is accepted. */
export const inputChoices = z.registry<{ choices: readonly string[] }>();

export function oneOfChoices<Schema extends z.ZodType>(choices: readonly string[], schema: Schema): Schema {
  inputChoices.add(schema, { choices } as Parameters<typeof inputChoices.add>[1]);
  return schema;
}

/** An optional `true` or `false`, as JSON or as text. Parsed to text. */
export const optionalFlag = z
  .union([z.boolean(), z.string().trim().toLowerCase()], 'must be true or false')
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : String(value)))
  .refine((text) => text === undefined || text === 'true' || text === 'false', { error: 'must be true or false', abort: true });

export const elevenDigits = (name: string) =>
  written(
    'digits',
    z
      .string('must be a string of 11 digits (a JSON number loses leading zeros)')
      .trim()
      .regex(/^\d{11}$/, {
        error: ({ input }) =>
          /^\d{10}$/.test(`${input}`) ? 'must be 11 digits; this has 10, so a leading zero may have been lost' : 'must be 11 digits',
      })
      .describe(`${name}, 11 digits, as a string`),
  );

/**
 * A company number without leading zeros, which do not distinguish companies. The sandbox scripts its outcomes by zeros and one digit; those stay.
 */
export const withoutZeros = (number: string): string => (/^0{6,}\d$/.test(number) ? number : number.replace(/^0+(?=\d)/, ''));

export const optionalText = z
  .string()
  .trim()
  .max(100, 'must be at most 100 characters')
  .optional()
  .transform((value) => value || undefined);

/** Made once: making a schema takes 30 µs, which each row with a date of birth would pay. */
const isoDate = z.iso.date();

export const isDate = (text: string): boolean => isoDate.safeParse(text).success;

/** Whether it is written like a date and means no day, in whatever order it is read: 31/02/1990. */
export function isNoDay(text: string): boolean {
  const [a = '', b = '', c = '', ...more] = text.split(/[./-]/);
  if (more.length > 0 || ![a, b, c].every((part) => /^\d{1,4}$/.test(part)) || [a, c].every((part) => part.length < 4)) return false;
  const orders =
    a.length === 4
      ? [[a, b, c]]
      : [
          [c, b, a],
          [c, a, b],
        ];
  return !orders.some(([year, month, day]) => isDate(`${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`));
}

/** Lagos is an hour ahead of UTC, so a child born today there may be born tomorrow by UTC. */
export const isPast = (date: string): boolean => date <= new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);

export const optionalBirthDate = written(
  'date',
  optionalText
    .refine((date) => date === undefined || isDate(date), {
      error: ({ input }) => `must be a date, YYYY-MM-DD${isNoDay(`${input}`) ? '; there is no such day' : ''}`,
      abort: true,
    })
    .refine((date) => date === undefined || isPast(date), 'must not be in the future')
    .describe('YYYY-MM-DD'),
);

/** Decoded size. Pictures from a phone's camera are smaller. */
export const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const BASE64_CHARACTERS_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4;
/** A body with one image, including line breaks in its base64 and the other members. */
export const IMAGE_BODY_BYTES_MAX = BASE64_CHARACTERS_MAX + 1024 * 1024;

/** Recognized by the first bytes: JPEG, PNG, or WebP in its RIFF container. Null for anything else. */
export function imageType(image: Uint8Array): 'image/jpeg' | 'image/png' | 'image/webp' | null {
  const start = Buffer.from(image.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return /^RIFF.{4}WEBP/s.test(start) ? 'image/webp' : null;
}

/** The image of a record as a data: URI. Registries' pictures of other types are rare and shown as PNG. */
export const imageUri = (base64: string): string =>
  base64 && `data:${imageType(Buffer.from(base64.slice(0, 16), 'base64')) ?? 'image/png'};base64,${base64}`;

/** A row of a batch: two images and its other inputs. */
export const IMAGE_ROW_BYTES_MAX = 2 * IMAGE_BODY_BYTES_MAX;

/** Rules that a supplied picture can break. They are also codes of `foundation/errors.ts`. */
export type ImageRule = 'invalid_image' | 'image_too_large';
const INVALID_IMAGE = { rule: 'invalid_image' satisfies ImageRule };
const IMAGE_TOO_LARGE = { rule: 'image_too_large' satisfies ImageRule };

/** Adds padding that some clients omit, so that the same bytes always give the same text. */
function padded(text: string): string {
  if (text.length % 4 === 0) return text;
  const padding = text.indexOf('=');
  const digits = padding === -1 ? text : text.slice(0, padding);
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
}

/** Bare base64 with padding, whatever form was sent. Decoded only once if it has no line breaks, as most pictures: for 10 MB, decoding takes as long as everything else. */
export const base64 = z.string().transform((text, { addIssue }) => {
  const sent = text.replace(/^\s*data:[^,]{0,100},/, '');
  if (isBase64(sent)) return padded(sent);
  const bare = sent.replace(/\s+/g, '');
  if (bare !== sent && isBase64(bare)) return padded(bare);
  if (bare === '') addIssue({ code: 'custom', message: 'must not be empty', params: { rule: 'empty' } });
  else addIssue({ code: 'custom', message: 'must be base64, bare or as a data: URI', params: INVALID_IMAGE });
  return z.NEVER;
});

export const image = z
  .string()
  .refine((text) => text.length <= IMAGE_BODY_BYTES_MAX, { error: 'must be at most 10 MB', abort: true, params: IMAGE_TOO_LARGE })
  .pipe(base64)
  .refine((text) => text.length <= BASE64_CHARACTERS_MAX, { error: 'must be at most 10 MB', abort: true, params: IMAGE_TOO_LARGE })
  .refine((text) => imageType(Buffer.from(text.slice(0, 16), 'base64')) !== null, {
    error: 'must be a JPEG, PNG or WebP image; videos, PDFs and other files are not accepted',
    params: INVALID_IMAGE,
  })
  .describe('JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB');

/** `image`, and schemas derived from it by `describe` and the like, which inherit the registration. */
const images = z.registry<{ isImage: true }>();
images.add(image, { isImage: true });

/** Cached, because inspecting a schema takes microseconds and this is asked for every job and row. */
const imagesOfSchema = new WeakMap<z.ZodObject, readonly string[]>();

/** The inputs that are images. In an archive's rows their cells name files. */
export function imageInputs({ input }: { input: z.ZodObject }): readonly string[] {
  let names = imagesOfSchema.get(input);
  if (!names) {
    const schemas = Object.entries(input.shape as Record<string, z.ZodType>);
    const isImage = (schema: z.ZodType) => images.get(schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema)?.isImage;
    names = schemas.flatMap(([name, schema]) => (isImage(schema) ? [name] : []));
    imagesOfSchema.set(input, names);
  }
  return names;
}

/** A number, or text that is one. */
export const percentage = z
  .union([z.number(), z.string().trim().max(20)], 'must be a number from 0 to 100')
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : String(value)))
  .refine((text) => text === undefined || (/^\d{1,3}(\.\d+)?$/.test(text) && Number(text) <= 100), 'must be a number from 0 to 100')
  .transform((text) => (text === undefined ? undefined : String(Number(text))));
