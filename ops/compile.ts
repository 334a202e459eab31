/**
 * Compiles `src/` and `workers/` as `npm run build` does, but without checking types, so that it takes a second: the processes of tests and benchmarks start
 * twice as fast as from the sources.
 */
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../src/foundation/package-root.ts';

/** Returns the folder; the caller removes it. It is within the package, so that its modules find their packages and files. */
export async function compile(purpose: 'test' | 'bench'): Promise<string> {
  const root = packageRoot();
  mkdirSync(join(root, 'dist'), { recursive: true });
  const outdir = mkdtempSync(join(root, 'dist', `${purpose}-`));
  const sources = ['src', 'workers'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(root, room, name)),
  );
  await build({
    entryPoints: sources.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')),
    outdir,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'warning',
    // Bundles nothing: only so that `.ts` in imports becomes `.js`.
    bundle: true,
    plugins: [
      {
        name: 'extensions',
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ kind, path }) =>
            kind === 'entry-point' ? null : { path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true },
          ),
      },
    ],
  });
  return outdir;
}
