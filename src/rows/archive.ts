/**
 * A ZIP archive on disk: a manifest of rows, and the files that the rows name. The directory is read and checked as a whole first. Only the position
 * of each file is kept; a file is read when a row asks for it. Refuses what no honest archive has: names that lead outside, links, two files with one
 * name, files that expand absurdly.
 */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { type Bytes, EXPANSION_MAX, foreignSpreadsheet, GZIP_IGNORED_BYTES } from './decode.ts';
import { PagedFile } from './pages.ts';
import { type Files, UploadError } from './row.ts';

const inflate = promisify(inflateRaw);

/** Name, extra fields and comment of one entry. */
const ENTRY_BYTES_MAX = 4_096;
/** Photographs are already compressed. A file below this size does no harm, however far it expands. */
const IMAGE_EXPANSION_IGNORED_BYTES = 1024 * 1024;
/** Deflate adds 5 bytes a block to data that it cannot compress. */
const DEFLATE_OVERHEAD_BYTES = 65_536;

const MANIFEST = 'manifest.csv';
const DEFLATED = 8;

/** APPNOTE.TXT 4.4.2: the upper byte of "version made by" is the system whose attributes the entry has. */
const UNIX = 3;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;
/** Info-ZIP's field with the name in UTF-8 (APPNOTE.TXT 4.6.9). */
const UNICODE_PATH = 0x7075;
/** General purpose bit 11: name and comment are UTF-8. */
const UTF8_FLAG = 0x800;

export interface ArchiveLimits {
  entriesMax: number;
  fileBytesMax: number;
  /** Size limit of the expanded manifest. */
  manifestBytesMax: number;
  /** Limit for all files that rows ask for; a file counts each time it is asked for. */
  expandedMax: number;
}

interface StoredFile {
  relativeOffsetOfLocalHeader: number;
  compressedSize: number;
  uncompressedSize: number;
  crc32: number;
  isDeflated: boolean;
  isUsed: boolean;
}

export class Archive implements Files {
  private expanded = 0;
  private used = 0;
  private readonly file: FileHandle;
  private readonly zip: ZipFile;
  private readonly files: Map<string, StoredFile>;
  private readonly manifestEntry: Entry;
  private readonly limits: ArchiveLimits;

  private constructor(file: FileHandle, zip: ZipFile, files: Map<string, StoredFile>, manifest: Entry, limits: ArchiveLimits) {
    this.file = file;
    this.zip = zip;
    this.files = files;
    this.manifestEntry = manifest;
    this.limits = limits;
  }

  /** The caller still has to close `file`. Throws `UploadError`. */
  static async open(file: FileHandle, limits: ArchiveLimits): Promise<Archive> {
    const files = new Map<string, StoredFile>();
    let manifest: Entry | null = null;
    let hasManifestInFolder = false;
    const zip = await openZip(file, limits.entriesMax);
    for await (const { entry, name, number } of entriesOf(zip)) {
      if (files.has(name)) throw new UploadError('duplicate_file', `Entry ${number} of the archive has the same name as an earlier entry`);
      const lower = name.toLowerCase();
      if (lower === MANIFEST) {
        if (manifest) throw new UploadError('several_manifests', `The archive has more than one ${MANIFEST}`);
        manifest = entry;
        continue;
      }
      hasManifestInFolder ||= lower.endsWith(`/${MANIFEST}`);
      files.set(name, {
        relativeOffsetOfLocalHeader: entry.relativeOffsetOfLocalHeader,
        compressedSize: entry.compressedSize,
        uncompressedSize: entry.uncompressedSize,
        crc32: entry.crc32,
        isDeflated: entry.compressionMethod === DEFLATED,
        isUsed: false,
      });
    }
    if (manifest) return new Archive(file, zip, files, manifest, limits);
    const names = new Set([...files.keys()].map((name) => name.toLowerCase()));
    const foreign = foreignSpreadsheet((part) => names.has(part));
    if (foreign) throw foreign;
    const where = hasManifestInFolder ? '; the one in a folder does not count' : '';
    throw new UploadError('no_manifest', `The archive has no ${MANIFEST} at its root${where}`);
  }

  async *manifest(): Bytes {
    const { uncompressedSize, compressedSize, crc32: expected } = this.manifestEntry;
    if (uncompressedSize > this.limits.manifestBytesMax)
      throw expandsTooFar(`The manifest expands to more than ${this.limits.manifestBytesMax} bytes`);
    if (uncompressedSize > GZIP_IGNORED_BYTES && uncompressedSize > EXPANSION_MAX * compressedSize)
      throw expandsTooFar(`The manifest expands more than ${EXPANSION_MAX} times`);
    let checksum = 0;
    try {
      // yauzl ends the stream with an error if it does not have the size that the entry declares.
      for await (const chunk of (await this.zip.openReadStreamPromise(this.manifestEntry)) as AsyncIterable<Buffer>) {
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    } catch {
      throw badArchive('The manifest of the archive is damaged');
    }
    if (checksum !== expected) throw badArchive('The manifest of the archive is damaged');
  }

  async read(name: string): ReturnType<Files['read']> {
    const { fileBytesMax } = this.limits;
    const found = this.files.get(keyOf(name));
    if (!found) return { rule: 'file_not_found', message: 'names a file that is not in the archive' };
    if (!found.isUsed) {
      found.isUsed = true;
      this.used++;
    }
    const { uncompressedSize, compressedSize } = found;
    if (uncompressedSize > IMAGE_EXPANSION_IGNORED_BYTES && uncompressedSize > EXPANSION_MAX * compressedSize)
      throw expandsTooFar(`A file of the archive expands more than ${EXPANSION_MAX} times`);
    if (uncompressedSize > fileBytesMax)
      return { rule: 'file_too_large', message: `names a file larger than ${fileBytesMax / 1024 / 1024} MB` };
    this.expanded += uncompressedSize;
    if (this.expanded > this.limits.expandedMax)
      throw expandsTooFar(`The files that the rows name expand to more than ${this.limits.expandedMax} bytes`);
    const bytes = await this.content(found);
    return bytes ? { bytes } : { rule: 'file_damaged', message: 'names a file that is damaged in the archive' };
  }

  unused(): number {
    return this.files.size - this.used;
  }

  /** Null if the file does not match its directory entry. */
  private async content(stored: StoredFile): Promise<Buffer | null> {
    const { uncompressedSize, compressedSize } = stored;
    if (uncompressedSize === 0) return Buffer.alloc(0);
    if (compressedSize > uncompressedSize + DEFLATE_OVERHEAD_BYTES) return null;
    const packed = Buffer.allocUnsafeSlow(compressedSize);
    let bytes: Buffer = packed;
    try {
      // Uses only the offset and the size.
      const { fileDataStart } = await this.zip.readLocalFileHeaderPromise(stored as unknown as Entry, { minimal: true });
      for (let at = 0; at < packed.length; ) {
        const { bytesRead } = await this.file.read(packed, at, packed.length - at, fileDataStart + at);
        if (bytesRead === 0) return null;
        at += bytesRead;
      }
      if (stored.isDeflated) bytes = await inflate(packed, { maxOutputLength: uncompressedSize });
    } catch {
      return null;
    }
    return bytes.length === uncompressedSize && crc32(bytes) === stored.crc32 ? bytes : null;
  }
}

/** Whether a ZIP file is a workbook rather than an archive. An unreadable one counts as a workbook, whose reader reports the fault. */
export async function isWorkbook(file: FileHandle, entriesMax: number): Promise<boolean> {
  try {
    for await (const { name } of entriesOf(await openZip(file, entriesMax))) if (name === '[Content_Types].xml') return true;
    return false;
  } catch (error) {
    return !(error instanceof UploadError) || error.rule === 'bad_archive';
  }
}

async function openZip(file: FileHandle, entriesMax: number): Promise<ZipFile> {
  const { size } = await file.stat();
  const zip = await fromRandomAccessReaderPromise(new PagedFile(file), size, { autoClose: false, decodeStrings: false }).catch(() => {
    throw badArchive('The upload is not a complete ZIP archive');
  });
  if (zip.entryCount > entriesMax) throw new UploadError('too_many_files', `The archive has more than ${entriesMax} entries`);
  return zip;
}

/** The archive's files, each with its name as rows may give it and its number in the directory. Skips folders and files that macOS adds. */
async function* entriesOf(zip: ZipFile): AsyncGenerator<{ entry: Entry; name: string; number: number }> {
  let number = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      number++;
      const name = nameOf(entry, number);
      refuseUnreadable(entry, number, name.endsWith('/'));
      if (!name.endsWith('/') && !/^__MACOSX\/|(?:^|\/)\.DS_Store$/.test(name)) yield { entry, name: keyOf(name), number };
    }
  } catch (error) {
    throw error instanceof UploadError ? error : badArchive('The directory of the archive is damaged');
  }
}

/** UTF-8 if the entry says so or cannot be anything else (macOS does not say so), otherwise code page 437. */
function nameOf(entry: Entry, number: number): string {
  if (entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength > ENTRY_BYTES_MAX)
    throw new UploadError('bad_file_name', `Entry ${number} of the archive has too long a name`);
  const flag = isUtf8(entry.fileNameRaw) ? UTF8_FLAG : entry.generalPurposeBitFlag;
  const name = getFileNameLowLevel(
    flag,
    entry.fileNameRaw,
    entry.extraFields.filter(({ id }) => id === UNICODE_PATH),
    true,
  );
  const leadsAway = /^(?:\/|[A-Za-z]:)/.test(name) || name.split('/').includes('..');
  if (leadsAway || name === '' || /[\\\0]/.test(name)) {
    const why = 'is absolute, contains ".." or a backslash, or is not a valid name';
    throw new UploadError('bad_file_name', `The name of entry ${number} of the archive ${why}`);
  }
  return name;
}

function refuseUnreadable(entry: Entry, number: number, isFolder: boolean): void {
  if (entry.isEncrypted())
    throw new UploadError('password_protected', 'The archive is password-protected. Create it without a password and send it again');
  const type = entry.versionMadeBy >>> 8 === UNIX ? (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK : 0;
  if (type !== 0 && type !== REGULAR_FILE && type !== FOLDER)
    throw new UploadError('not_a_file', `Entry ${number} of the archive is a link or a device`);
  if (!isFolder && entry.compressionMethod !== 0 && entry.compressionMethod !== DEFLATED)
    throw badArchive(`Entry ${number} of the archive is compressed with a method other than Deflate`);
}

/** Case counts. A letter may be composed in two ways (NFC, and NFD as macOS writes it); both count as one. */
const keyOf = (name: string): string => name.replace(/^(?:\.\/)+/, '').normalize('NFC');

const badArchive = (message: string): UploadError => new UploadError('bad_archive', message);
const expandsTooFar = (message: string): UploadError => new UploadError('expands_too_far', message);
