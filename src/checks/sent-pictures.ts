/**
 * The pictures of one call, decoded as its body is parsed. A text of a megabyte or more lives outside V8's heap, and two such texts make it collect the whole heap for
 * each call. So the call's input holds a short name in place of each picture: base64 too, with the picture's first bytes and its digest, so that the picture's own
 * rules can tell its type and equal pictures have the same name.
 */
import { createHash } from 'node:crypto';
import { decodeBase64 } from '../foundation/base64.ts';
import type { PictureTexts } from './check.ts';
import { IMAGE_BYTES_MAX } from './inputs.ts';
import { type Pictures, ProviderFailure } from './provider.ts';

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

/**
 * The bytes of pictures. Throws `ProviderFailure` if they were sent with a call and have been given to a thread before: it ended without an answer, and there is nothing to ask
 * again with.
 */
export const decodePictures = ({ selfie, portrait }: PictureTexts, sent: SentPictures | undefined): Pictures => ({
  selfie: decoded(selfie, sent),
  portrait: portrait === undefined ? undefined : decoded(portrait, sent),
});

/** Registries send portraits bare or as a data: URI. */
function decoded(text: string, sent: SentPictures | undefined): Buffer {
  const bytes = sent?.bytesOf(text);
  if (bytes?.length === 0) throw new ProviderFailure('down');
  return bytes ?? Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64');
}
