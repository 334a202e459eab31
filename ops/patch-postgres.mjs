/**
 * Mends postgres.js 3.4.9 in node_modules, after each install (`postinstall`, and Dockerfile, which installs without scripts). Downloads nothing
 * and needs nothing installed. Done twice it changes nothing; a release that it was not written for is refused.
 *
 * What is wrong in 3.4.9 (porsager/postgres#1193 and #1208 tell of it too), and stands in no release yet:
 * - A connection that closes with a write scheduled keeps the handle of the cancelled timer, and the bytes. Connected anew it waits for that
 *   timer before it says who it is: every query that it is given hangs for `connect_timeout`, and so do those after it.
 * - A connection that the server closes before it is ready, without a word, is made anew at once and for ever, and its query hangs.
 * - Queries that wait for a connection wait on when none can be had: one of them is told at each attempt, the others hang.
 * - A connection that is lost while it asks for the types of arrays rejects a promise that nobody holds, which ends the process.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const VERSION = '3.4.9';

/** In each file: what stands there once, and what takes its place. */
const CHANGES = {
  'connection.js': [
    [
      `    clearImmediate(nextWriteTimer)
    if (socket) {`,
      `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null // confam
    if (socket) {`,
    ],
    [
      `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)`,
      `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null // confam
    socket.removeListener('data', data)`,
    ],
    [
      `    if (initial)
      return reconnect()`,
      `    if (initial && options.host.length > 1) // confam
      return reconnect()
    initial && errored(Errors.connection('CONNECTION_CLOSED', options, socket)) // confam`,
    ],
    [
      `        return fetchArrayTypes()
`,
      `        return fetchArrayTypes().catch(() => {}) // confam
`,
    ],
  ],
  'index.js': [
    [
      `  function onclose(c, e) {
    move(c, closed)`,
      `  function onclose(c, e) {
    const isRefused = c.queue === connecting // confam
    move(c, closed)
    if (isRefused && open.length + busy.length + full.length + reserved.length === 0) // confam
      while (queries.length) queries.shift().reject(e)`,
    ],
  ],
};

const folder = new URL('.', import.meta.resolve('postgres'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8'));
if (version !== VERSION) throw new Error(`ops/patch-postgres.mjs was written for postgres ${VERSION}, not ${version}: see whether it is still needed`);
for (const [name, changes] of Object.entries(CHANGES)) {
  const path = fileURLToPath(new URL(name, folder));
  const text = readFileSync(path, 'utf8');
  let changed = text;
  for (const [from, to] of changes) {
    if (changed.includes(to)) continue;
    if (changed.split(from).length !== 2) throw new Error(`ops/patch-postgres.mjs does not know ${path}`);
    changed = changed.replace(from, to);
  }
  if (changed === text) continue;
  // A new file under the old name: package managers may share one file between several projects.
  writeFileSync(`${path}.new`, changed);
  renameSync(`${path}.new`, path);
}
