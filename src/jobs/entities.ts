/**
 * How the entities of jobs are stored, and the one way to open them: in blocks (`result-blocks.ts`), or sealed under their job's id, with their images sealed
 * apart. A portrait is the largest part, and a table of a million results must neither read nor open one.
 */
import type { Check } from '../checks/check.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { type Images, type Picture, packPictures, readPicture, showPicture, unpackImages } from './image-pack.ts';
import { BlockRow, type InBlock, type ResultBlock } from './result-blocks.ts';

export interface SealedEntity {
  entity: Buffer;
  /** Null if no image is large enough. */
  entityImages: Buffer | null;
}

/** As read from `results`, or from a block once `attachBlocks` has read it; for the job or for its original. `entityOf` is the job it belongs to. */
export interface StoredEntity extends Partial<InBlock> {
  /** Null: nothing found, not yet, or in a block. */
  entity: Buffer | null;
  entityImages: Buffer | null;
  entityOf: string;
}

type Entity = Record<string, unknown>;

/** Characters from which an image gets its own ciphertext. A smaller one is faster to read than to seal apart (a drawn portrait has 400). */
const APART_LENGTH = 1_500;

/** Whether an image of the entity may be stored apart from it, which blocks do not do. */
export const hasLargeImage = (check: Check, entity: Entity): boolean =>
  check.images.some((name) => typeof entity[name] === 'string' && (entity[name] as string).length >= APART_LENGTH);

export function sealEntity(sealer: Sealer, check: Check, jobId: string, entity: Entity): SealedEntity {
  const pictures = new Map<string, Picture>();
  for (const name of check.images) {
    const text = entity[name];
    if (typeof text !== 'string' || text.length < APART_LENGTH) continue;
    const picture = readPicture(text);
    // An image that would not read back exactly (one with line breaks, say) stays in place.
    if (showPicture(picture) === text) pictures.set(name, picture);
  }
  const seal = (value: Entity) => sealer.seal(JSON.stringify(value), 'entity', jobId);
  if (pictures.size === 0) return { entity: seal(entity), entityImages: null };
  const rest = { ...entity };
  // Null holds their places, so that members keep their order.
  for (const name of pictures.keys()) rest[name] = null;
  return { entity: seal(rest), entityImages: sealer.seal(packPictures(pictures), 'entity_images', jobId) };
}

/** Opens the entities of `jobs` that are not in blocks. */
export const entityOpener = (cipher: Pick<Cipher, 'opener'>, jobs: readonly StoredEntity[]): Promise<Opener> =>
  cipher.opener(jobs.flatMap(({ entity, entityImages }) => [entity, entityImages]));

/** Throws if the ciphertext does not open. */
export function openEntity(opener: Opener, stored: StoredEntity): Entity | null {
  const { entity, entityImages, entityOf } = stored;
  if (isInBlock(stored)) return blockOf(stored)?.entity(stored.resultSlot!) ?? null;
  if (entity === null) return null;
  const whole: Entity = JSON.parse(openText(opener, entity, entityOf));
  return entityImages === null ? whole : Object.assign(whole, imagesIn(opener.openBytes(entityImages, 'entity_images', entityOf)));
}

const isInBlock = (stored: StoredEntity): boolean => typeof stored.resultBlock === 'string';

function blockOf({ block }: StoredEntity): ResultBlock | null {
  if (block === undefined) throw new Error('the block of a result was not read');
  return block;
}

/** Packed images begin with a length whose first byte is 0. Images stored before packing are a JSON object. */
const imagesIn = (bytes: Buffer): Images => (bytes[0] === OBJECT_START ? JSON.parse(bytes.toString()) : unpackImages(bytes));

const OBJECT_START = 0x7b;

/** Opens entities of a check for a table, without images that are stored apart; others may be empty. A `BlockRow` is valid until the next is opened. */
export function tableReader(opener: Opener, check: Check): (stored: StoredEntity) => Entity | BlockRow | null {
  const marks = check.images.map((name) => `"${name}":"`);
  const row = new BlockRow();
  return (stored) => {
    const { entity, entityOf } = stored;
    if (isInBlock(stored)) return blockOf(stored)?.row(stored.resultSlot!, row) ?? null;
    return entity === null ? null : JSON.parse(cutImages(openText(opener, entity, entityOf), marks));
  };
}

const openText = (opener: Opener, entity: Buffer, entityOf: string): string => opener.open(entity, 'entity', entityOf);

/**
 * An entity's JSON without the text of its images, which is most of its bytes. `marks` are how their members begin; inside a string the quotes would be
 * escaped, so nothing else can match.
 */
function cutImages(json: string, marks: readonly string[]): string {
  let rest = json;
  for (const mark of marks) {
    const start = rest.indexOf(mark) + mark.length;
    const end = rest.indexOf('"', start);
    // An image is base64; anything with an escape is left to the parser.
    if (start >= mark.length && end !== -1 && rest[end - 1] !== '\\') rest = rest.slice(0, start) + rest.slice(end);
  }
  return rest;
}
