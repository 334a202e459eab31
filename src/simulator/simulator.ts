/**
 * The vendor simulator: a real HTTP server that answers the native contract for the sandbox's invented people and misbehaves as its script says. For
 * operators who try out their CONFAM_UPSTREAMS, for tests and for benchmarks. `docs/upstream-sim.md` describes it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../foundation/config.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseObject, readText } from './request.ts';
import type { ScriptInput } from './script.ts';
import { Counter, type Stats } from './stats.ts';
import { openVendor, type Vendor } from './vendor.ts';

export interface Simulator {
  url: string;
  stats(): Stats;
  /** Replaces the script and restarts its timetable, draws, limit and credit. Throws `ConfigError`. */
  setScript(script: ScriptInput): void;
  /** Resets the statistics. */
  reset(): void;
  close(): Promise<void>;
}

const CONTROL = '/_sim/';

/** Throws `ConfigError` for an invalid script or a port that is taken. `port` 0: any free one. */
export async function startSimulator({ port = 0, script = {} }: { port?: number; script?: ScriptInput } = {}): Promise<Simulator> {
  const counter = new Counter();
  const vendor = openVendor(script, counter);
  const server = createServer((request, response) => {
    const arrivedMs = performance.now();
    const isControl = request.url!.startsWith(CONTROL);
    const served = isControl ? control(vendor, counter, request, response) : vendor.serve(request, response, arrivedMs);
    served.catch((error: unknown) => {
      // A client that hung up in the middle of its body wants no answer; anything else is a bug in the simulator.
      if (!request.destroyed || request.complete) console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ConfigError(`port ${port} is not available (${error.code})`)));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats: () => counter.read(),
    setScript: vendor.setScript,
    reset: () => counter.reset(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function control(vendor: Vendor, counter: Counter, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const respond = (status: number, body: object) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  switch (`${request.method} ${request.url}`) {
    case 'GET /_sim/stats':
      return respond(200, counter.read());
    case 'POST /_sim/reset':
      counter.reset();
      return respond(200, counter.read());
    case 'PUT /_sim/script':
      try {
        return respond(200, vendor.setScript(parseObject(await readText(request))));
      } catch (error) {
        if (error instanceof ApiError || error instanceof ConfigError) return respond(400, { error: error.message });
        throw error;
      }
    default:
      return respond(404, { error: 'There is GET /_sim/stats, POST /_sim/reset and PUT /_sim/script' });
  }
}
