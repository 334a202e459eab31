/** A TCP port of the loopback interface that nobody uses now, and that this process is not given twice within seconds. Another process may still take it. */
import getPort from 'get-port';

export const freePort = (): Promise<number> => getPort({ host: '127.0.0.1' });
