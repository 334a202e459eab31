/** Pictures as large as those of real registries. */
import { randomBytes } from 'node:crypto';
import type { Check } from '../checks/check.ts';
import { readPicture, showPicture } from '../jobs/image-pack.ts';
import type { Entity } from './questions.ts';

/** The same padding for all of a size: what follows the end of a picture is not read by whoever shows it. */
let padding = Buffer.alloc(0);

/** The entity with its pictures (base64, or data: URIs) brought to `bytes`; one that is larger stays as it is. */
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
