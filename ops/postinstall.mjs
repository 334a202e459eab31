/**
 * Runs after `npm ci` of this repository, and after the installation of its package, which has the compiled program instead of the sources: patches Postgres's
 * client, fetches the models of face matching, and bundles the console (a package brings it along).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './patch-postgres.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function run(module, ...args) {
  const source = join(root, 'src', `${module}.ts`);
  const program = existsSync(source) ? ['--import', 'tsx', source] : [join(root, 'dist/src', `${module}.js`)];
  const { status } = spawnSync(process.execPath, [...program, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

run('engines/face/fetch-models', '--install');
run('api/console/build');
