/** Confam does not start behind a pooler that discards the settings of a connection, as PgBouncer does with `ignore_startup_parameters`. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '../../src/foundation/config.ts';
import { migrateDatabase, POOLED, refuseOtherDatabase } from '../../src/foundation/context.ts';
import { useDatabase } from '../setup/database.ts';

const database = useDatabase();
let pooler: Server;
let url: string;

/** The settings it passes on. PgBouncer can only pass on those that Postgres reports (`track_extra_parameters`). */
let passed: string[] = [];

/** The first message of a connection, without the settings that are not passed on. */
function strip(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString().split('\0');
  const following = (name: string) => words[words.indexOf(name) + 1]!;
  const kept = ['user', 'database', ...passed].flatMap((name) => [name, following(name)]);
  const body = Buffer.concat([startup.subarray(4, 8), Buffer.from(`${kept.join('\0')}\0\0`)]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

beforeAll(async () => {
  const target = new URL(database.url);
  pooler = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    client.once('data', (startup) => {
      server.write(strip(startup));
      client.pipe(server);
    });
    server.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const through = new URL(database.url);
  through.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
  url = through.toString();
});
afterAll(() => new Promise((resolve) => pooler.close(resolve)));

test.each([
  ['discards all of them', []],
  ['follows those that Postgres 18 reports', ['application_name', 'search_path', 'datestyle', 'intervalstyle', 'timezone']],
])('neither a process nor a migration works through one that %s', async (_, names) => {
  passed = names;
  const refusal = new ConfigError(`DATABASE_URL, DATABASE_OWNER_URL: ${POOLED}`);
  await expect(refuseOtherDatabase(url)).rejects.toThrow(refusal);
  await expect(migrateDatabase(database.config(), url)).rejects.toThrow(refusal);
  await expect(refuseOtherDatabase(database.url)).resolves.toBeUndefined();
});
