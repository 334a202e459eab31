/** Saved mappings: body and answer. */
import { z } from 'zod';
import { showId } from '../foundation/ids.ts';
import { dateFormats } from '../schema/batches.ts';
import { batchOptions } from './batches.ts';
import { instant, showInstant, text } from './fields.ts';

export const mappingBody = z.strictObject({
  mapping: batchOptions.shape.mapping.unwrap().refine((mapping) => Object.keys(mapping).length <= 200, 'must have at most 200 members'),
  checks: z.array(z.string()).max(20, 'must name at most 20 checks').default([]).describe('The checks that the file was for'),
  date_format: batchOptions.shape.date_format,
});

export type SavedContent = z.infer<typeof mappingBody>;

export interface SavedMapping extends SavedContent {
  id: string;
  createdAt: string;
  usedAt: string;
}

export const savedMappingAnswer = z.object({
  id: text.describe('map_…: the `fingerprint` of a preview'),
  object: z.literal('mapping'),
  mapping: z.record(z.string(), text).describe('Input → column'),
  checks: z.array(text),
  date_format: z.enum(dateFormats),
  created_at: instant,
  used_at: instant,
});

export const showSavedMapping = (saved: SavedMapping): z.infer<typeof savedMappingAnswer> => ({
  id: showId('map', saved.id),
  object: 'mapping',
  mapping: saved.mapping,
  checks: saved.checks,
  date_format: saved.date_format,
  created_at: showInstant(saved.createdAt),
  used_at: showInstant(saved.usedAt),
});
