/** A proxy to Postgres on its own port, which a test can cut, close, or stop at a given statement. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Road {
  /** The database's URL through the proxy. */
  url: string;
  /** Ends every open connection, or the one that was opened as `which`: 0 is the first. */
  cut(which?: number): void;
  /** Carries nothing more over the open connections, or only over `which`. They stay open, as if the host were gone. */
  mute(which?: number): void;
  /** `closed`: new connections are refused. `silent`: they are accepted and never answered. */
  set(state: 'open' | 'closed' | 'silent'): void;
  /** Called with each packet to Postgres before it is sent, and again once its answer is there. False drops the packet and its connection. */
  watch(look: (question: string, when: 'asked' | 'answered') => boolean): void;
  close(): void;
}

export async function openRoad(databaseUrl: string): Promise<Road> {
  const { hostname, port } = new URL(databaseUrl);
  const opened: Socket[] = [];
  const muted = new Set<Socket>();
  let state: 'open' | 'closed' | 'silent' = 'open';
  let look: (question: string, when: 'asked' | 'answered') => boolean = () => true;
  const server = createServer((client) => {
    opened.push(client);
    client.on('error', () => {});
    if (state === 'closed') return void client.destroy();
    if (state === 'silent') return void client.resume();
    const target = connect({ host: hostname, port: Number(port) });
    let question = '';
    target.on('error', () => {}).on('close', () => client.destroy());
    client.on('close', () => target.destroy());
    client.on('data', (bytes) => {
      if (muted.has(client)) return;
      question = bytes.toString('latin1');
      if (look(question, 'asked')) target.write(bytes);
      else client.destroy();
    });
    target.on('data', (bytes) => {
      if (muted.has(client)) return;
      if (look(question, 'answered')) client.write(bytes);
      else client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const some = (which?: number) => (which === undefined ? opened : [opened[which]!]);
  const cut = (which?: number) => {
    for (const socket of some(which)) socket.destroy();
  };
  return {
    url: url.toString(),
    cut,
    mute(which) {
      for (const socket of some(which)) muted.add(socket);
    },
    set(next) {
      state = next;
    },
    watch(next) {
      look = next;
    },
    close() {
      server.close();
      cut();
    },
  };
}
