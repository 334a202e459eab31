/** Erasures and the shared cache: only an app that may have stored a person there removes them again. */
import { expect, test } from 'vitest';
import { changeSettings, mayHaveShared } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { findCheck } from '../../src/checks/catalog.ts';
import { cacheScopeOf } from '../../src/contract/outside.ts';
import { newId } from '../../src/foundation/ids.ts';
import { advanceErasures, askErasure } from '../../src/lifecycle/erase.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { writePending } from '../../src/providers/pending.ts';
import type { SettingsPatch } from '../../src/schema/apps.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, never, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');
const sharing = { cacheScope: 'deployment', shareCache: true } as const;

const call = async ({ appId, keyId, live, settings }: Owner, nin: string): Promise<boolean> =>
  (await answerCall(bench.service, { appId, keyId, live, settings }, findCheck('nin_basic')!, { nin })).cached;

async function erase({ appId, live }: Owner, nin: string): Promise<Record<string, number>> {
  const { id } = await askErasure(bench.service, { appId, live }, [{ type: 'nin', value: nin }], by, async () => {});
  await advanceErasures(bench.service, never);
  const [row] = await bench.service.sql<{ counts: Record<string, number> }[]>`select counts from erasures where id = ${id}`;
  return row!.counts;
}

const change = ({ appId }: Owner, settings: SettingsPatch) => bench.service.sql.begin((tx) => changeSettings(tx, appId, settings, by));
const mayHave = ({ appId }: Owner) => bench.service.sql.begin((tx) => mayHaveShared(tx, appId));

test.each<SettingsPatch>([{ cacheScope: 'app' }, { cacheScope: null }, { shareCache: false }])(
  'an app that shared until its settings became %j takes a person out of the shared cache',
  async (ended) => {
    const { service } = bench;
    const [former, other] = [await makeOwner(service, 1_000, sharing), await makeOwner(service, 1_000, sharing)];
    const nin = freshNin();
    expect([await call(former, nin), await call(other, nin)]).toEqual([false, true]);
    await change(former, ended);
    // A later change says nothing new.
    await change(former, { weight: 2 });
    expect(await erase(former, nin)).toMatchObject({ cached_answers: 1 });
    expect(await call(other, nin)).toBe(false);
    await service.sql`update apps set shared_until = now() - interval '32 days' where id = ${former.appId}`;
    expect(await mayHave(former)).toBe(false);
  },
);

test('one that is offered the shared cache, and never used it, leaves it to the others', async () => {
  const { service } = bench;
  const [offered, other] = [await makeOwner(service, 1_000, { cacheScope: 'deployment' }), await makeOwner(service, 1_000, sharing)];
  const nin = freshNin();
  await call(other, nin);
  await change(offered, { weight: 2 });
  expect(await mayHave(offered)).toBe(false);
  expect(await erase(offered, nin)).toEqual({});
  expect(await call(other, nin)).toBe(true);
});

test('a question that another app’s job waits for stays, even if both share; a question of a job that is gone does not', async () => {
  const { service } = bench;
  const [one, other] = [await makeOwner(service, 1_000, sharing), await makeOwner(service, 1_000, sharing)];
  const [waited, gone] = [freshNin(), freshNin()];
  const { id } = await uploadNins(service, other, [waited]);
  const [job] = await service.sql<{ id: string }[]>`select id from jobs where batch_id = ${id}`;
  const ask = (nin: string, jobId: string) => {
    const address = service.cache.address({ appId: other.appId, live: false, scope: cacheScopeOf(sharing) }, 'nin', 1, nin);
    return writePending(service, address, { provider: 'slow', ticket: nin }, jobId);
  };
  await ask(waited, job!.id);
  await ask(gone, newId());
  expect(await erase(one, waited)).toEqual({});
  expect(await erase(one, gone)).toEqual({ pending_answers: 1 });
  const left = await service.sql`select job_id from pending_lookups`;
  expect([...left]).toEqual([{ jobId: job!.id }]);
});
