/**
 * Takes new connections faster. Each turn of the event loop accepts one connection (libuv 1.45 and later), so while turns take milliseconds, thousands of connections
 * wait, and everybody's new one behind them. Each further descriptor of the listening socket accepts one more in a turn. Node cannot duplicate a descriptor, but
 * a process that is sent one gets a copy: a short-lived child sends them back.
 */
import { type SendHandle, spawn } from 'node:child_process';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** Accepting takes about a tenth of a millisecond, so a turn gets 1.5 ms longer at most. */
const ACCEPTERS = 15;
const CHILD_MS = 10_000;
/** What the child runs. It never listens, so it takes no connection from us. */
const SEND_BACK = `process.on('message', (message, handle) => process.send(message, handle, () => handle.close()))`;

/** A listening socket in Node's own form, which `listen` takes as it is. */
type Handle = SendHandle & { close(): void };

/** Servers that pass what they accept on to `server`, which is listening. The caller closes them. */
export async function openAccepters(server: HttpServer): Promise<Server[]> {
  const copies = await copiesOf((server as unknown as { _handle: Handle })._handle);
  return copies.map((copy) => {
    // As Node creates the listener of an HTTP server.
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
    // It ends by itself then.
    if (child.connected) child.disconnect();
  }
  return copies;
}
