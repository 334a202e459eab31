/** A process that cannot rebuild its index stops screening with the old one, and a build that hangs is ended. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { LISTS_CHANNEL } from '../../src/aml/current-lists.ts';
import { configureLists } from '../../src/aml/definitions.ts';
import type { IndexTiming } from '../../src/aml/live-index.ts';
import { openScreenings } from '../../src/aml/screenings.ts';
import { readRequest } from '../../src/engines/aml/request.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { listed, putVersion } from '../setup/lists.ts';
import { openBench } from '../setup/work.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const database = useDatabase();
let service: Service;
beforeAll(async () => {
  service = (await openBench(database, { extra: { CONFAM_AML_THREADS: '1' } })).service;
  await putVersion(service, 'un_sc', [listed('T.1', 'Osaretin Igbinedion')]);
  await putVersion(service, 'ofac_sdn', [listed('T.1', 'Efosa Aighewi')]);
});
afterAll(async () => {
  await service.close();
});

const open = (timing: IndexTiming) => openScreenings(service, configureLists(service.config), service.sandboxLists, timing);
const request = readRequest({ name: 'Osaretin Igbinedion' }, {});

test('an index that stays behind the lists in force answers for a while only, and again once it is built', async () => {
  const screenings = await open({ behindMs: 1_000, buildMs: 60_000 });
  onTestFinished(() => screenings.close());
  const hits = async () => (await screenings.screen(true, request)).matches.length;
  const behindSeconds = async () => (await service.metrics.listIndexBehind.get()).values[0]!.value;
  expect(await waitFor('the index', () => hits().catch(() => null))).toBe(1);
  const rename = (from: string, to: string) =>
    asOwner(service.databaseUrl, (sql) => sql.unsafe(`alter table aml_entries rename column ${from} to ${to}`));

  await putVersion(service, 'un_sc', [], ['T.1']);
  await rename('entry', 'gone');
  await service.sql`select pg_notify(${LISTS_CHANNEL}, 'un_sc')`;
  await waitFor('the bound', () => screenings.unready());
  expect(screenings.unready()).toMatch(/^Indexing/);
  await expect(hits()).rejects.toMatchObject({ code: 'lists_not_loaded' });
  await waitFor('the metric', async () => (await behindSeconds()) > 1);

  await rename('gone', 'entry');
  await waitFor('the next attempt', () => screenings.unready() === null);
  expect(await hits()).toBe(0);
  await waitFor('the metric', async () => (await behindSeconds()) === 0);
}, 40_000);

test('a build that hangs is ended, even if the garbage is collected meanwhile', async () => {
  const errors = vi.spyOn(service.log, 'error');
  onTestFinished(() => errors.mockRestore());
  const screenings = await open({ behindMs: 1_000, buildMs: 500 });
  onTestFinished(() => screenings.close());
  await asOwner(service.databaseUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`lock table aml_entries in access exclusive mode`;
      const refused = expect(screenings.screen(true, request)).rejects.toMatchObject({ code: 'lists_not_loaded' });
      await waitFor('the log', () => {
        collectGarbage();
        return errors.mock.calls.length > 0;
      });
      await refused;
    }),
  );
  expect(errors).toHaveBeenCalledWith({ err: expect.objectContaining({ name: 'TimeoutError' }) }, 'watch lists could not be indexed');
}, 20_000);
