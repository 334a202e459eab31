/** ZIP archives for tests, written by hand, with any fault a test needs. Layouts: APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** Text is written as UTF-8 with the UTF-8 flag set. */
  name: string | Buffer;
  content?: string | Uint8Array;
  /** Default: stored. */
  deflate?: boolean;
  /** Overrides the entry's record in the central directory. */
  declared?: { size?: number; crc?: number; method?: number; flags?: number; mode?: number };
}

const UTF8 = 0x800;
const UNIX = 3;

export function archive(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', deflate = false, declared = {} } of entries) {
    const nameBytes = Buffer.from(name as string);
    const bytes = Buffer.from(content as string);
    const packed = deflate ? deflateRawSync(bytes) : bytes;
    const flags = declared.flags ?? (typeof name === 'string' ? UTF8 : 0);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(declared.method ?? (deflate ? 8 : 0), 4);
    common.writeUInt32LE(declared.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declared.size ?? bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    locals.push(Buffer.from('PK\x03\x04'), common, nameBytes, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((declared.mode ?? 0) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, UNIX]), common, rest, nameBytes);
    offset += 30 + nameBytes.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length % 65_536, 4);
  end.writeUInt16LE(entries.length % 65_536, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06'), end]);
}

/** This many bytes that begin like a JPEG; each `seed` gives different ones. */
export function picture(bytes: number, seed = 0): Buffer {
  const image = Buffer.alloc(bytes, `picture ${seed} `);
  image.set([0xff, 0xd8, 0xff, 0xe0]);
  return image;
}
