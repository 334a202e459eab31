/** The bundle of the console in memory, built first if its sources are newer. `routes.ts` answers with it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../../pipeline/service.ts';
import { type Bundle, buildConsole, bundleFolder, isStale, readBundle } from './build.ts';

export interface ConsoleFile {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  br: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
}

export interface ConsoleFiles extends Pick<Bundle, 'script' | 'style' | 'preload'> {
  byName: ReadonlyMap<string, ConsoleFile>;
}

export interface Console {
  /** Null if it is not built and cannot be. */
  files(): Promise<ConsoleFiles | null>;
  /** Builds and loads it now. Without this the first request waits for it. */
  prepare(): void;
}

const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

export function openConsole({ log }: Pick<Service, 'log'>): Console {
  let loaded: Promise<ConsoleFiles | null> | null = null;
  const files = () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      log.error({ err: error }, 'the console is not built: `npm run build` says why. The API answers all the same');
      return null;
    });
    return loaded;
  };
  return { files, prepare: () => void files() };
}

async function load(): Promise<ConsoleFiles> {
  const bundle = isStale() ? await buildConsole() : await readBundle();
  if (bundle === null) throw new Error('there is neither a bundle nor its sources');
  const read = async (name: string) => new Uint8Array(await readFile(join(bundleFolder(), name)));
  const files = await Promise.all(
    bundle.files.map(async (name): Promise<[string, ConsoleFile]> => {
      const [plain, br, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)]);
      return [name, { type: TYPES[name.slice(name.lastIndexOf('.') + 1)]!, plain, br, gzip }];
    }),
  );
  return { ...bundle, byName: new Map(files) };
}
