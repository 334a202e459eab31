/** What the dispatcher and the sweeper log while the database is away: when it begins and when it is over, however long it lasts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openContext } from '../../src/foundation/context.ts';
import { openService } from '../../src/pipeline/service.ts';
import { startDispatcher } from '../../workers/dispatcher.ts';
import { startSweeper } from '../../workers/sweeper.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { openRoad } from '../setup/road.ts';

const database = useDatabase();

test('each says once that the database is away, and once that it is back', async () => {
  const road = await openRoad(database.url);
  const lines: { level: number; msg: string; errors?: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const ctx = openContext(database.config(), road.url, { process: 'dispatcher', log });
  const service = await openService(ctx, { live: [], test: [] });
  const [dispatching, sweeping] = [startDispatcher(service), startSweeper(service)];
  const said = (about: RegExp) => lines.filter(({ msg }) => about.test(msg));
  await waitFor('a leader', () => said(/this dispatcher leads/).length > 0);
  road.set('closed');
  road.cut();
  await sleep(6_000);
  expect(
    said(/sweep|dispatcher (waits|failed)/)
      .map(({ msg }) => msg)
      .sort(),
  ).toEqual(['sweeps fail without the database', 'the dispatcher waits for the database']);
  road.set('open');
  const over = await waitFor('both to say that it is over', () => {
    const over = said(/^(sweeps have|the dispatcher has) the database again$/);
    return over.length === 2 && over;
  });
  for (const { errors } of over) expect(errors).toBeGreaterThan(2);
  await dispatching.close();
  await sweeping.close();
  await service.close();
  road.close();
});
