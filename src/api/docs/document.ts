/** The OpenAPI document and the documentation site, each made once. */
import { openThreads } from '../../engines/threads.ts';
import type { Service } from '../../pipeline/service.ts';
import type { Written } from '../openapi/document-thread.ts';
import { keep, keptPath, readKept } from '../openapi/kept.ts';
import type { Operation } from '../openapi/operation.ts';
import { openSite, type Site } from './site.ts';

export interface Docs {
  /** The text of `/openapi.json`. */
  document(): Promise<string>;
  /** The pages of this installation, with those of the API reference. Its files do not change while the service runs. */
  site(): Promise<Site>;
  /** Reads the document that was kept, or writes it in a thread. Without this the first request waits for it. */
  prepare(): void;
}

/** `path`: where the document is kept. */
export function openDocs({ log }: Pick<Service, 'log'>, operations: () => readonly Operation[], path = keptPath()): Docs {
  let written: Promise<Written & { site: Site }> | null = null;
  /** Written once; after a failure the next call tries again. */
  const write = (): Promise<Written & { site: Site }> => {
    written ??= keptOrWritten(operations, path)
      .then((made) => ({ ...made, site: openSite(undefined, made.pages) }))
      .catch((error: unknown) => {
        written = null;
        throw error;
      });
    return written;
  };
  return {
    document: async () => (await write()).json,
    site: async () => (await write()).site,
    prepare: () => void write().catch((error: unknown) => log.warn({ err: error }, 'openapi.json could not be written yet')),
  };
}

async function keptOrWritten(operations: () => readonly Operation[], path: string): Promise<Written> {
  const kept = await readKept(path);
  if (kept) return kept;
  const written = await writeDocument(operations());
  // In a folder that may not be written, each start writes it again.
  await keep(written, path).catch(() => {});
  return written;
}

/** It runs for two seconds after the start, perhaps beside the first upload. V8's default of 48 MB makes the process larger and this no faster. */
const YOUNG_MB = 6;

/** In a thread, so that no other request waits. The thread gets the operations as data and loads no routes. */
async function writeDocument(operations: readonly Operation[]): Promise<Written> {
  const thread = openThreads<readonly Operation[], Written>(import.meta.url, '../openapi/document-thread', {
    threads: 1,
    youngGenerationMb: YOUNG_MB,
  });
  try {
    return await thread.run(operations);
  } finally {
    await thread.destroy();
  }
}
