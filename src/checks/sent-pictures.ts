/**
 * The pictures of one call, decoded as its body is parsed: two strings of 8 MB, which live outside V8's heap, would make it collect the whole heap. In the call's input a
 * short name stands for each picture. It is base64 too, of the picture's first bytes and of its digest: its type can be told from it, and equal pictures have equal
 * names. See docs/decisions/0047-pictures-of-calls.md.
 */
import { createHash } from 'node:crypto';
import { decodeBase64 } from '../foundation/base64.ts';
import type { PictureTexts } from './check.ts';
import { IMAGE_BYTES_MAX } from './inputs.ts';
import type { Pictures } from './provider.ts';

/** Whole groups of base64, and enough to tell the type by. */
const HEAD_BYTES = 12;

export class SentPictures {
  private readonly members: ReadonlySet<string>;
  private readonly byName = new Map<string, Buffer>();

  /** `members`: of the body, those that hold pictures. */
  constructor(members: Iterable<string>) {
    this.members = new Set(members);
  }

  has(member: string): boolean {
    return this.members.has(member);
  }

  /** Decodes a picture from its base64 and returns its name; null if it is not base64 or too large, which its text is then refused for. */
  *take(base64: Buffer): Generator<void, string | null> {
    const hash = createHash('sha256');
    const bytes = yield* decodeBase64(base64, (piece) => hash.update(piece));
    if (!bytes || bytes.length > IMAGE_BYTES_MAX) return null;
    const name = bytes.toString('base64', 0, HEAD_BYTES) + hash.digest('base64');
    this.byName.set(name, bytes);
    return name;
  }

  /** Undefined: the text names none of them. Empty: a thread took the bytes over. */
  bytesOf(text: string): Buffer | undefined {
    return this.byName.get(text);
  }
}

export const decodePictures = ({ selfie, portrait }: PictureTexts, sent: SentPictures | undefined): Pictures => ({
  selfie: decoded(selfie, sent),
  portrait: portrait === undefined ? undefined : decoded(portrait, sent),
});

/** Registries send portraits bare or as a data: URI. */
function decoded(text: string, sent: SentPictures | undefined): Buffer {
  const bytes = sent?.bytesOf(text);
  // A comparison is the last question of a check, and a call does not ask again after a fault of ours.
  if (bytes?.length === 0) throw new Error('a thread has taken these pictures over');
  return bytes ?? Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64');
}
