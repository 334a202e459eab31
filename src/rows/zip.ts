/** ZIP in: the rows of its manifest, which is any CSV, and the files that its cells name. */
import type { FileHandle } from 'node:fs/promises';
import { Archive, type ArchiveLimits } from './archive.ts';
import { readCsv } from './csv.ts';
import { decodeUtf16 } from './decode.ts';
import { type Names, NO_NAMES } from './header.ts';
import { ROW_LIMITS, type RowLimits, type TableSource } from './row.ts';

/** Reads the archive's directory and the manifest's header before it returns. From here on the source closes the file, whatever happens. */
export async function readZip(
  file: FileHandle,
  archiveLimits: ArchiveLimits,
  limits: RowLimits = ROW_LIMITS,
  names: Names = NO_NAMES,
): Promise<TableSource> {
  try {
    const archive = await Archive.open(file, archiveLimits);
    const { close, ...table } = await readCsv(await decodeUtf16(archive.manifest()), limits, names);
    return {
      ...table,
      files: archive,
      // Not closed at the end of the rows: the files of the last ones may still be needed.
      async close() {
        await close();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
