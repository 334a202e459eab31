/** Reference for the single call: a Hono route that commits one row and answers, after `?wait=` milliseconds. Prints `{"url"}` once it listens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL!, { max: 10, onnotice: () => {} });
await sql`create table if not exists reference_rows (id uuid primary key default gen_random_uuid(), at timestamptz not null default now(), path text not null)`;

const app = new Hono().get('/', async (c) => {
  const waitMs = Number(c.req.query('wait') ?? 0);
  if (waitMs > 0) await sleep(waitMs);
  const [row] = await sql`insert into reference_rows (path) values (${c.req.path}) returning id, at`;
  return c.json({ status: 'success', entity: row });
});

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.once('SIGTERM', () => {
  server.close();
  process.exit(0);
});
