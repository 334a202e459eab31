/**
 * Accepts new connections faster. libuv 1.45 and later accept one connection per turn of the event loop. When turns take milliseconds, thousands of connections can
 * pile up, and every new client waits behind them. Each additional descriptor of the listening socket accepts one more per turn. Node cannot duplicate a descriptor,
 * but a process that receives one gets a copy, so a short-lived child sends copies back.
 */
import { type SendHandle, spawn } from 'node:child_process';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** In addition to the server itself. */
const ACCEPTERS = 15;
const CHILD_MS = 10_000;
/** The child's program. It never listens, so it cannot accept a connection itself. */
const SEND_BACK = `process.on('message', (message, handle) => process.send(message, handle, () => handle.close()))`;

/** A listening socket in Node's own form, which `listen` takes as it is. */
type Handle = SendHandle & { close(): void };

/** Opens servers that accept connections for `server`, which must be listening. Throws if the child fails. The caller closes them. */
export async function openAccepters(server: HttpServer): Promise<Server[]> {
  const copies = await copiesOf((server as unknown as { _handle: Handle })._handle);
  return copies.map((copy) => {
    // With the options that Node gives an HTTP server.
    const accepter = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
    return accepter.listen(copy);
  });
}

async function copiesOf(handle: Handle): Promise<Handle[]> {
  const copies: Handle[] = [];
  const child = spawn(process.execPath, ['-e', SEND_BACK], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    timeout: CHILD_MS,
    killSignal: 'SIGKILL',
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('message', (_, copy) => {
        copies.push(copy as Handle);
        if (copies.length === ACCEPTERS) resolve();
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`the process that copies descriptors ended with ${code ?? signal}`)));
      for (let i = 0; i < ACCEPTERS; i++) child.send('', handle, (error) => error && reject(error));
    });
  } catch (error) {
    for (const copy of copies) copy.close();
    throw error;
  } finally {
    // Then it exits.
    if (child.connected) child.disconnect();
  }
  return copies;
}
