/**
 * Entities of jobs as they are stored: sealed under their job's id, and their images (a portrait is larger than all the rest by far) apart
 * from them, so that a table of a million results neither reads nor opens one.
 */
import type { Check } from './checks/check.ts';
import type { Cipher } from './crypto.ts';

export interface SealedEntity {
  entity: Buffer;
  /** Null: it has none. */
  entityImages: Buffer | null;
}

/** As it is read from `results`, for the job or for its twin, whose it is then. */
export interface StoredEntity {
  /** Null: nothing was found, or not yet. */
  entity: Buffer | null;
  entityImages: Buffer | null;
  entityOf: string;
}

type Entity = Record<string, unknown>;

export function sealEntity(cipher: Cipher, check: Check, jobId: string, entity: Entity): SealedEntity {
  const names = check.images.filter((name) => typeof entity[name] === 'string' && entity[name] !== '');
  const seal = (value: Entity, purpose: string) => cipher.seal(JSON.stringify(value), purpose, jobId);
  if (names.length === 0) return { entity: seal(entity, 'entity'), entityImages: null };
  // In their places stays null: members keep their order.
  const rest = { ...entity };
  const images: Entity = {};
  for (const name of names) [images[name], rest[name]] = [entity[name], null];
  return { entity: seal(rest, 'entity'), entityImages: seal(images, 'entity_images') };
}

/** Throws where it does not open. */
export function openEntity(cipher: Cipher, stored: StoredEntity): Entity | null {
  const entity = openWithoutImages(cipher, stored);
  if (entity === null || stored.entityImages === null) return entity;
  return Object.assign(entity, JSON.parse(cipher.open(stored.entityImages, 'entity_images', stored.entityOf)));
}

/** Its images are null. */
export function openWithoutImages(cipher: Cipher, { entity, entityOf }: Pick<StoredEntity, 'entity' | 'entityOf'>): Entity | null {
  return entity === null ? null : JSON.parse(cipher.open(entity, 'entity', entityOf));
}
