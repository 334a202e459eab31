/**
 * The images of a batch's rows. A cell may hold an image's base64 or name a file of the uploaded archive; a check always sees base64. The stored
 * and shown row never holds an image, only the file's name or a note. The bytes are stored with the job.
 */
import type { Check } from '../checks/check.ts';
import { image, imageInputs } from '../checks/inputs.ts';
import { keyOf } from '../checks/read-input.ts';
import type { Context } from '../foundation/context.ts';
import { type Images, packPictures, readPicture, unpackImages } from '../jobs/image-pack.ts';
import { ROW_LIMITS, type RowSource } from '../rows/row.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { RawRow } from './row-reader.ts';

export interface RowImages {
  /** The row for its checks, with file names replaced by the files' contents. */
  load(row: RawRow): Promise<LoadedRow>;
  /** The row as stored. Null: even without its images it is larger than a row may be. */
  strip(row: RawRow): RawRow | null;
}

export interface LoadedRow {
  read(key: string): unknown;
  /** Problems of files; the inputs concerned need no other problem. */
  problems: RowProblem[];
}

/** A longer text in an image input is neither a file name nor a typo. */
const NAME_LENGTH_MAX = 255;

/** Null if no check takes an image. */
export function openImages(
  checks: readonly Check[],
  { columns, ...source }: RowSource,
  read: (row: RawRow, key: string) => unknown,
): RowImages | null {
  const inputs = checks.flatMap((check) => imageInputs(check).map((field) => ({ check, field })));
  if (inputs.length === 0) return null;
  const files = 'files' in source ? source.files : undefined;
  const keysIn = (row: RawRow): Set<string> => new Set(inputs.map(({ check, field }) => keyOf(check, field, (key) => read(row, key))));
  return {
    async load(row) {
      const contents = new Map<string, string>();
      const problems: RowProblem[] = [];
      for (const key of files ? keysIn(row) : []) {
        const name = read(row, key);
        if (typeof name !== 'string') continue;
        const file = await files!.read(name);
        if ('bytes' in file) contents.set(key, file.bytes.toString('base64'));
        else problems.push({ field: key, ...file });
      }
      return { problems, read: (key) => contents.get(key) ?? read(row, key) };
    },
    strip(row) {
      const texts = files ? [] : [...keysIn(row)].map((key) => read(row, key)).filter((value) => typeof value === 'string');
      const stored = without(
        row,
        texts.filter((text) => text.length > NAME_LENGTH_MAX || image.safeParse(text).success),
      ) as RawRow;
      return Buffer.byteLength(JSON.stringify(stored)) > ROW_LIMITS.rowBytesMax ? null : stored;
    },
  };
}

/** The same row with each of the texts replaced by a note; a check's members are one level down. */
function without(row: unknown, texts: readonly string[]): unknown {
  if (texts.length === 0) return row;
  if (typeof row === 'string') return texts.includes(row) ? `(image of ${Buffer.byteLength(row, 'base64')} bytes)` : row;
  if (Array.isArray(row)) return row.map((cell) => without(cell, texts));
  if (typeof row !== 'object' || row === null) return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, without(value, texts)]));
}

/** The images of a parsed input. Null if it has none. */
export function imagesOf(check: Check, input: Record<string, string | undefined>): Images | null {
  const images = imageInputs(check).flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]] as const]));
  return images.length === 0 ? null : Object.fromEntries(images);
}

/** A parsed input without its images. */
export function withoutImages(check: Check, input: Record<string, string | undefined>): Record<string, string | undefined> {
  const images = imageInputs(check);
  return Object.fromEntries(Object.entries(input).filter(([field]) => !images.includes(field)));
}

export const packImages = (images: Images): Buffer =>
  packPictures(new Map(Object.entries(images).map(([field, text]) => [field, readPicture(text)])));

/** The inputs of face checks, by what they show. */
const sides = { selfie: ['image', 'selfie_image'], portrait: ['photoid_image'] } as const;
export type ImageSide = keyof typeof sides;

/** An image that a job still has, as sent. Null if it has none or has it no longer. */
export async function readImage(ctx: Context, jobId: string, side: ImageSide): Promise<Buffer | null> {
  const images = await keptImages(ctx, jobId);
  const base64 = sides[side].map((field) => images[field]).find((found) => found !== undefined);
  return base64 === undefined ? null : Buffer.from(base64, 'base64');
}

/** The submitted images that a job still has: base64 by input. */
export async function keptImages({ sql, cipher }: Context, jobId: string): Promise<Images> {
  const [row] = await sql<{ images: Buffer | null }[]>`select images from jobs where id = ${jobId}`;
  return row?.images ? unpackImages((await cipher.opener([row.images])).openBytes(row.images, 'images', jobId)) : {};
}
