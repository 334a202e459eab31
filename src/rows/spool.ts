/** A temporary file without a name. Only its descriptor leads to it, so its content is gone when the process ends, however that happens. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bytes } from './decode.ts';

/** The caller must close it. */
export async function openSpool(folder = tmpdir()): Promise<FileHandle> {
  const path = join(folder, `confam-${randomBytes(16).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Writes all of `bytes` to a new spool. Throws errors of `bytes`. */
export async function spool(bytes: Bytes): Promise<FileHandle> {
  const file = await openSpool();
  try {
    for await (const chunk of bytes) await writeAll(file, chunk);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
