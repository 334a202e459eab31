/** A sender that hangs up in the middle of its body, as anybody on the internet can. */
import { once } from 'node:events';
import { request } from 'node:http';

/** Resolves once the connection is reset. */
export async function hangUp(url: string): Promise<void> {
  const sent = request(url, { method: 'POST', headers: { 'Content-Length': 100 } });
  sent.on('error', () => {});
  sent.write('{"type":');
  const [socket] = await once(sent, 'socket');
  if (socket.connecting) await once(socket, 'connect');
  // After the bytes have left, so that the receiver is reading the body.
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.resetAndDestroy();
  await once(socket, 'close');
}
