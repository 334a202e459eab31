/**
 * How images are stored: as bytes, a quarter smaller than the base64 that they arrive and leave as. Layout: length of the list (4 bytes, big endian) · list as
 * JSON, `[[name, bytes, what stands before the base64], …]` · the images' bytes, one after the other.
 */

/** Base64, or a data: URI of it, by member. */
export type Images = Record<string, string>;

export interface Picture {
  /** `data:image/png;base64,` or empty. */
  prefix: string;
  bytes: Buffer;
}

const DATA_URI = /^data:[\w/+.;=-]{0,100};base64,/;

/** Never fails: characters that are not base64 are skipped. */
export function readPicture(text: string): Picture {
  const prefix = DATA_URI.exec(text)?.[0] ?? '';
  return { prefix, bytes: Buffer.from(text.slice(prefix.length), 'base64') };
}

/** The inverse of `readPicture`: exactly the original text if that was canonical base64. */
export const showPicture = ({ prefix, bytes }: Picture): string => prefix + bytes.toString('base64');

export function packPictures(pictures: ReadonlyMap<string, Picture>): Buffer {
  const list = Buffer.from(JSON.stringify([...pictures].map(([name, { prefix, bytes }]) => [name, bytes.length, prefix])));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(list.length);
  return Buffer.concat([length, list, ...[...pictures.values()].map(({ bytes }) => bytes)]);
}

export function unpackImages(packed: Buffer): Images {
  let at = 4 + packed.readUInt32BE();
  const list = JSON.parse(packed.toString('utf8', 4, at)) as [name: string, length: number, prefix?: string][];
  return Object.fromEntries(
    list.map(([name, length, prefix = '']) => {
      const image = showPicture({ prefix, bytes: packed.subarray(at, at + length) });
      at += length;
      return [name, image];
    }),
  );
}
