/** Portraits: the path that names one, the body that sends one, and the answer made from its row. */
import { z } from 'zod';
import { base64, elevenDigits } from '../checks/inputs.ts';
import type { sandboxPortraits } from '../schema/sandbox.ts';
import { count, instant, showInstant, text } from './fields.ts';

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

export interface PortraitOf {
  idType: IdType;
  /** 11 digits. */
  idNumber: string;
}

export const portraitPath = z
  .object({
    id_type: z
      .string()
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(['nin', 'bvn'], 'must be nin or bvn')),
    id_number: elevenDigits('The NIN or BVN'),
  })
  .transform(({ id_type, id_number }): PortraitOf => ({ idType: id_type, idNumber: id_number }));

export const portraitBody = z.strictObject({
  image: base64.describe('JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB'),
});

/** Everything about a portrait except the picture. */
export type PortraitRow = Pick<typeof sandboxPortraits.$inferSelect, 'id' | 'idType' | 'type' | 'bytes' | 'enrolledAt'> & {
  /** `*******6789` */
  maskedNumber: string;
};

export const showPortrait = ({ idType, maskedNumber, bytes, type, enrolledAt }: PortraitRow): z.infer<typeof portraitAnswer> => ({
  object: 'sandbox_portrait',
  id_type: idType,
  id_number: maskedNumber,
  bytes,
  type,
  enrolled_at: showInstant(enrolledAt),
});

export type IdType = 'nin' | 'bvn';

export const portraitAnswer = z.object({
  object: z.literal('sandbox_portrait'),
  id_type: z.enum(['nin', 'bvn']),
  id_number: text.describe('Its last four digits: *******6789'),
  bytes: count.describe('Size of the picture as sent'),
  type: z.enum(['image/jpeg', 'image/png', 'image/webp']),
  enrolled_at: instant,
});
