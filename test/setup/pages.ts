/** Pages of the documentation whose commands tests run as written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { packageRoot } from '../../src/foundation/package-root.ts';

export interface Block {
  language: string;
  code: string;
  /** It says why it is not run as it stands. */
  isMarked: boolean;
}

export const blocksOf = (page: string): Block[] =>
  [
    ...readFileSync(join(packageRoot(), page), 'utf8').matchAll(
      /^(?<marker> *<!-- not run: [^\n]+ -->\n)?(?<indent> *)```(?<language>\w+)\n(?<code>.*?)^\k<indent>```$/gms,
    ),
  ].map(({ groups }) => ({ language: groups!.language!, code: groups!.code!, isMarked: groups!.marker !== undefined }));

/**
 * A folder with `confam`, the program that is compiled for tests, and an `npm` whose `run confam -- …` and `start` run the same; nothing else of npm is there.
 */
export function makePrograms(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const confam = `exec '${process.execPath}' '${join(inject('compiled'), 'src/cli.js')}' "$@"\n`;
  const npm = `case "$*" in
  start) ;;
  'run confam -- '* | 'run -s confam -- '*) while [ "$1" != -- ]; do shift; done; shift ;;
  *) exit 97 ;;
esac
`;
  for (const [name, text] of Object.entries({ confam, npm: npm + confam }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}`, { mode: 0o755 });
  return bin;
}
