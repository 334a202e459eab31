/**
 * Entities of jobs as they are stored: sealed under their job's id, and their images (a portrait is larger than all the rest by far) apart
 * from them, so that a table of a million results neither reads nor opens one.
 */
import type { Check } from '../checks/check.ts';
import type { Cipher } from '../foundation/crypto.ts';
import { type Images, type Picture, packPictures, readPicture, showPicture, unpackImages } from './image-pack.ts';

export interface SealedEntity {
  entity: Buffer;
  /** Null: it has none of any size. */
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

/** Characters of an image that is worth a ciphertext of its own: a smaller one is read sooner than another one is sealed (a drawn portrait has 400). */
const APART_LENGTH = 1_500;

export function sealEntity(cipher: Cipher, check: Check, jobId: string, entity: Entity): SealedEntity {
  const pictures = new Map<string, Picture>();
  for (const name of check.images) {
    const text = entity[name];
    if (typeof text !== 'string' || text.length < APART_LENGTH) continue;
    const picture = readPicture(text);
    // What would not be read again exactly as it is (with line breaks, say) stays where it is.
    if (showPicture(picture) === text) pictures.set(name, picture);
  }
  const seal = (value: Entity) => cipher.seal(JSON.stringify(value), 'entity', jobId);
  if (pictures.size === 0) return { entity: seal(entity), entityImages: null };
  const rest = { ...entity };
  // In their places stays null: members keep their order.
  for (const name of pictures.keys()) rest[name] = null;
  return { entity: seal(rest), entityImages: cipher.seal(packPictures(pictures), 'entity_images', jobId) };
}

/** Throws where it does not open. */
export function openEntity(cipher: Cipher, { entity, entityImages, entityOf }: StoredEntity): Entity | null {
  if (entity === null) return null;
  const whole: Entity = JSON.parse(openText(cipher, entity, entityOf));
  return entityImages === null ? whole : Object.assign(whole, imagesIn(cipher.openBytes(entityImages, 'entity_images', entityOf)));
}

/** What is packed begins with a length, whose first byte is 0; images from before they were packed are an object in JSON. */
const imagesIn = (bytes: Buffer): Images => (bytes[0] === OBJECT_START ? JSON.parse(bytes.toString()) : unpackImages(bytes));

const OBJECT_START = 0x7b;

/** Opens entities of a check without their images, which are null or empty then. */
export function tableReader(cipher: Cipher, check: Check): (stored: StoredEntity) => Entity | null {
  const marks = check.images.map((name) => `"${name}":"`);
  return ({ entity, entityOf }) => (entity === null ? null : JSON.parse(cutImages(openText(cipher, entity, entityOf), marks)));
}

const openText = (cipher: Cipher, entity: Buffer, entityOf: string): string => cipher.open(entity, 'entity', entityOf);

/**
 * An entity's JSON without the text of the images that are in it, most of its bytes. `marks`: how their members begin; inside a string the
 * quotes would be escaped, so that nothing else can be met.
 */
function cutImages(json: string, marks: readonly string[]): string {
  let rest = json;
  for (const mark of marks) {
    const start = rest.indexOf(mark) + mark.length;
    const end = rest.indexOf('"', start);
    // An image is base64; what has an escape is left to the parser.
    if (start >= mark.length && end !== -1 && rest[end - 1] !== '\\') rest = rest.slice(0, start) + rest.slice(end);
  }
  return rest;
}
