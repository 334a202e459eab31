/** Pictures for face check tests: people of the development pairs, and variants made or drawn from them. None is ever stored. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { hasPhotographs, readPhotograph } from '../../bench/photographs.ts';
import { modelsAreHere } from '../engines/face/faces.ts';
import type { Client } from './api.ts';

export const canCompare = hasPhotographs && modelsAreHere;

/** Two photographs of one person, and one of somebody else. */
export const one = (): Buffer => readPhotograph('c_Tony_Blair_0001');
export const again = (): Buffer => readPhotograph('c_Tony_Blair_0002');
export const other = (): Buffer => readPhotograph('c_Colin_Powell_0003');

export const base64 = (picture: Buffer): string => picture.toString('base64');

/** Enrols a picture as the portrait of a number in the app's sandbox. */
export const enrol = (app: Client, idType: 'nin' | 'bvn', number: string, picture: Buffer) =>
  app.send('PUT', `/api/v1/sandbox/portraits/${idType}/${number}`, { headers: { 'Content-Type': 'image/jpeg' }, body: picture });

export const plain = (colour: string, width = 600, height = width): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();

export const twoPeople = (): Promise<Buffer> =>
  sharp({ create: { width: 500, height: 250, channels: 3, background: 'gray' } })
    .composite([
      { input: one(), left: 0, top: 0 },
      { input: other(), left: 250, top: 0 },
    ])
    .jpeg()
    .toBuffer();

/** A 1-bit PNG that declares the given size. */
export function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(body.length);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(1_000_000));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}
