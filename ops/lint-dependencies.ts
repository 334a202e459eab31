/**
 * Checks package-lock.json and the licences of what is installed (`npm run lint:dependencies`). Offline. A package comes from the public registry under its
 * own name with a SHA-512 of its content, or is a folder of this repository. Its licence allows a closed service to use it, or has a named exception with its
 * reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../src/foundation/package-root.ts';

interface Entry {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  /** Set if the package was installed under another name. */
  name?: string;
  link?: boolean;
}

/** The entries of a lockfile by their path; the repository itself is `''`. */
export type Packages = Record<string, Entry>;

const REGISTRY = 'https://registry.npmjs.org/';
const OURS = /^ops\/[\w-]+$/;

/** Licences that ask for no more than their own text. */
const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Why packages whose names begin so are excepted. */
const LICENCE_EXCEPTIONS: Readonly<Record<string, string>> = {
  '@img/sharp-': 'LGPL-3.0: libvips is a shared library of its own, used unchanged',
  'axe-core': 'MPL-2.0: finds faults of accessibility in tests, is not part of the product',
  'dejavu-fonts-ttf': 'the free licences of Bitstream Vera and Arev: fonts may be embedded in documents',
  lightningcss: 'MPL-2.0: comes with vitest, is not part of the product',
  'png-js': 'MIT by its file LICENSE; its package.json does not say so',
};

/** `licenceOf`: of the installed package, undefined if it is not installed. */
export function faultsOf(packages: Packages, licenceOf: (path: string) => string | undefined): string[] {
  const used = new Set<string>();
  const isExcepted = (name: string): boolean => {
    const stem = Object.keys(LICENCE_EXCEPTIONS).find((beginning) => name.startsWith(beginning));
    if (stem !== undefined) used.add(stem);
    return stem !== undefined;
  };
  const faults = Object.entries(packages).flatMap(([path, entry]) => {
    if (path === '' || OURS.test(path) || (entry.link && OURS.test(entry.resolved ?? ''))) return [];
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = licenceOf(path) ?? entry.license;

    return [
      // Without a URL npm asks the registry for the name and the version.
      (entry.resolved ?? `${REGISTRY}${name}/-/`).startsWith(`${REGISTRY}${name}/-/`)
        ? null
        : `comes from ${entry.resolved}, not from the registry`,
      entry.integrity?.startsWith('sha512-') ? null : 'has no SHA-512',
      isAllowed(licence) || isExcepted(name) ? null : `has the licence ${licence ?? 'none'}, which is not on the list`,
    ]
      .filter((fault) => fault !== null)
      .map((fault) => `${path} ${fault}`);
  });
  const unused = Object.keys(LICENCE_EXCEPTIONS).filter((stem) => !used.has(stem));
  return [...faults, ...unused.map((stem) => `the exception for ${stem} is no longer needed`)];
}

/** An SPDX expression of alternatives or of parts. A person must read one that mixes both. */
function isAllowed(licence: string | undefined): boolean {
  const expression = (licence ?? '').replace(/^\(([^()]*)\)$/, '$1');
  const alternatives = expression.split(' OR ');
  if (alternatives.length > 1) return alternatives.some((one) => LICENCES.has(one));
  return expression.split(' AND ').every((one) => LICENCES.has(one));
}

function installedLicence(path: string): string | undefined {
  const file = join(packageRoot(), path, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown };
  return typeof license === 'string' ? license : 'unstated';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { packages } = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')) as { packages: Packages };
  const faults = faultsOf(packages, installedLicence);
  for (const fault of faults) console.error(fault);
  console.log(`dependencies: ${Object.keys(packages).length} packages, ${faults.length} problems`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
