/** The heap of another process after a garbage collection, through its inspector. */
import { WebSocket } from 'undici';

/** In MB. The process must have been started with `--inspect` on this port of the loopback interface. */
export async function heapAfterCollection(inspectorPort: number): Promise<number> {
  const [target] = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let sent = 0;
  const ask = (method: string) =>
    new Promise<Record<string, number>>((resolve) => {
      const id = ++sent;
      const hear = ({ data }: { data: unknown }) => {
        const answer = JSON.parse(String(data)) as { id?: number; result: Record<string, number> };
        if (answer.id !== id) return;
        socket.removeEventListener('message', hear);
        resolve(answer.result);
      };
      socket.addEventListener('message', hear);
      socket.send(JSON.stringify({ id, method }));
    });
  await ask('HeapProfiler.enable');
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  socket.close();
  return usedSize! / 2 ** 20;
}
