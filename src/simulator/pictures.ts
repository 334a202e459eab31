/** Enlarges pictures to the size of real registries' pictures. */
import { randomBytes } from 'node:crypto';
import type { Check } from '../checks/check.ts';
import { readPicture, showPicture } from '../jobs/image-pack.ts';
import type { Entity } from './questions.ts';

/** The same padding for all pictures: viewers ignore whatever follows the end of a picture. */
let padding = Buffer.alloc(0);

/** The entity with its pictures (base64 or data: URIs) padded to `bytes`; a larger one stays as it is. */
export function enlargePictures(entity: Entity, { images }: Pick<Check, 'images'>, bytes: number): Entity {
  if (padding.length < bytes) padding = randomBytes(bytes);
  const enlarged = { ...entity };
  for (const member of images) {
    const text = entity[member];
    if (typeof text !== 'string' || text === '') continue;
    const { prefix, bytes: drawing } = readPicture(text);
    const missing = Math.max(0, bytes - drawing.length);
    enlarged[member] = showPicture({ prefix, bytes: Buffer.concat([drawing, padding.subarray(0, missing)]) });
  }
  return enlarged;
}
