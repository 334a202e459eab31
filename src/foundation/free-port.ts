/** A free TCP port of the loopback interface. This process does not get the same one twice within seconds; another process may still take it. */
import getPort from 'get-port';

export const freePort = (): Promise<number> => getPort({ host: '127.0.0.1' });
