/** Announcements by NOTIFY, which any user of the database can send. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openMisses } from '../../src/access/misses.ts';
import { openContext } from '../../src/foundation/context.ts';
import { announcePause } from '../../src/providers/limiter.ts';
import { openRouter } from '../../src/providers/router.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { useDatabase, waitFor } from '../setup/database.ts';

const database = useDatabase();

test('one that cannot be read is skipped and logged without its text; those after it are heard', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const ctx = openContext(database.config(), database.url, { log });
  const provider = createSandbox({ name: 'announced' });
  const router = await openRouter(ctx, { live: [], test: [provider] });
  const misses = await openMisses(ctx);
  const unreadable = ['70123456789', 'null', '{}', '{"name":70123456789,"key":1}', 'no JSON: 70123456789', ''];
  for (const channel of ['confam_pause', 'confam_misses'])
    for (const payload of unreadable) await ctx.sql`select pg_notify(${channel}, ${payload})`;
  await announcePause(ctx.sql, provider.name, 60_000);
  await waitFor('the pause', () => router.unavailableForMs({ all: { nin: 1 } }, false) > 0);
  expect(lines.map((line) => JSON.parse(line).channel)).toEqual([
    ...unreadable.map(() => 'confam_pause'),
    ...unreadable.map(() => 'confam_misses'),
  ]);
  expect(lines.join()).not.toContain('70123456789');
  await misses.close();
  await router.close();
  await ctx.close();
});
