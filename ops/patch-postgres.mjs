/**
 * Patches postgres.js 3.4.9 in node_modules after each install (`postinstall`, and the Dockerfile, which installs without scripts). It downloads
 * nothing and needs nothing installed. A second run changes nothing; any other release is refused.
 *
 * Faults of 3.4.9 that no release has fixed yet (porsager/postgres#1193 and #1208 report them too):
 * - A connection that closes with a write scheduled keeps the handle of the cancelled timer, and the bytes. After reconnecting it waits for that
 *   timer before it identifies itself: its query hangs for `connect_timeout`, and so do those after it.
 * - A connection that the server closes silently before it is ready is reopened at once, forever, and its query hangs.
 * - Queries that wait for a connection keep waiting when none can be opened: each failed attempt rejects one of them, and the others hang.
 * - A connection that is lost while it asks for the types of arrays rejects a promise that nobody handles, which ends the process.
 * - Why Postgres ended a session is lost: its queries fail with CONNECTION_CLOSED, which does not tell whether they were carried out. And a transaction
 *   whose session has ended with its BEGIN begins all the same.
 * - Nobody can reach the sockets, and a statement that was sent to a lost host waits for TCP to give up, which takes a quarter of an hour
 *   (`src/foundation/silence.ts`).
 * - A server that offers no TLS is greeted by TLS all the same. It hangs up, and its answer is lost: the error is ECONNRESET.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const VERSION = '3.4.9';

/** For each file: text that occurs in it once, and its replacement. */
const CHANGES = {
  'connection.js': [
    [
      `    x.on('error', error)
    x.on('close', closed)
`,
      `    options.onsocket && options.onsocket(x) // confam
    x.on('error', error)
    x.on('close', closed)
`,
    ],
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
    [
      `        return connected()
    }

    const options = {`,
      `        return connected()
      if (!canSSL) // confam
        return socket.destroy(Errors.generic('ERR_TLS_NOT_OFFERED', 'the server offers no TLS'))
    }

    const options = {`,
    ],
    [
      `  async function connect() {
    terminated = false
`,
      `  async function connect() {
    connection.fatal = null // confam
    terminated = false
`,
    ],
    [
      `  function ErrorResponse(x) {
    if (query) {
      (query.cursorFn || query.describeFirst) && write(Sync)
      errorResponse = Errors.postgres(parseError(x))
    } else {
      errored(Errors.postgres(parseError(x)))
    }
`,
      `  function ErrorResponse(x) {
    const response = Errors.postgres(parseError(x)) // confam
    if (response.severity === 'FATAL' || response.severity === 'PANIC') connection.fatal = response // confam
    if (query) {
      (query.cursorFn || query.describeFirst) && write(Sync)
      errorResponse = response
    } else {
      errored(response)
    }
`,
    ],
    [
      `      return

    errored(err)
    while (sent.length)
`,
      `      return

    err = connection.fatal || err // confam
    errored(err)
    while (sent.length)
`,
    ],
    [
      `    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))
`,
      `    onclose(connection, connection.fatal || Errors.connection('CONNECTION_CLOSED', options, socket)) // confam
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
    [
      `    async function scope(c, fn, name) {
`,
      `    async function scope(c, fn, name) {
      if (c.fatal) throw c.fatal // confam
`,
    ],
  ],
};

const folder = new URL('.', import.meta.resolve('postgres'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8'));
if (version !== VERSION)
  throw new Error(`ops/patch-postgres.mjs was written for postgres ${VERSION}, not ${version}: check whether it is still needed`);
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
  // Writes a new file under the old name: package managers may share one file between several projects.
  writeFileSync(`${path}.new`, changed);
  renameSync(`${path}.new`, path);
}
