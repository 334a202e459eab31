import { beforeAll, describe, expect, test } from 'vitest';
import { type Author, bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { createClearance, isLapsed } from '../../src/aml/clearing.ts';
import { endMonitor, listMonitors, readMonitor } from '../../src/aml/monitors.ts';
import { openRescreen } from '../../src/aml/rescreen.ts';
import { openSandboxRescreen } from '../../src/aml/sandbox-rescreen.ts';
import type { Monitored } from '../../src/checks/check.ts';
import { clearanceBody } from '../../src/contract/clearances.ts';
import { endpointBody } from '../../src/contract/webhooks.ts';
import { firstIdAt, parseId, showId } from '../../src/foundation/ids.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { announceReviews, putReviews } from '../../src/reviews/opening.ts';
import { decideReview, listReviews, readNotes } from '../../src/reviews/reviews.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { waitFor } from '../setup/database.ts';
import { makeListenerOf, rescreensOf, toldTo, useRescreening } from '../setup/listeners.ts';
import { listed, putVersion, settleScreening } from '../setup/lists.ts';

const LIST = 'un_sc';
const AT_ONCE = { lagMs: 0, overlapMs: 0 };

const { service: open } = useRescreening();
let service: Service;
beforeAll(() => {
  service = open();
});

const rescreen = () => openRescreen(service, AT_ONCE)();
const person = (name: string) => ({ name, date_of_birth: '1988-11-05', country: 'NG' });

const makeListener = () => makeListenerOf(service);
const told = (owner: Owner) => toldTo(service, owner);
const runs = () => rescreensOf(service);
const page = { before: null, limit: 100, jobId: undefined };
const watch = async (owner: Owner, name: string, shown: Monitored['shown'] = {}): Promise<{ id: string; jobId: string }> => {
  const jobId = await settleScreening(service, owner, person(name), true, shown);
  const monitor = (await listMonitors(service, owner, page)).find((one) => one.name === name)!;
  return { id: monitor.id, jobId };
};

describe('a new list version', () => {
  test('reports each added or changed person once, and only to apps that monitor them', async () => {
    const [owner, other] = [await makeListener(), await makeListener()];
    await putVersion(service, LIST, [listed('T.0', 'Osaretin Igbinedion')]);
    await rescreen();
    const watched = await watch(owner, 'Osaretin Igbinedion');
    await watch(other, 'Efosa Aighewi');
    const entries = [listed('T.1', 'Osaretin Igbinedion'), listed('T.2', 'Osaretin Igbinedion'), listed('T.3', 'Nosakhare Obaseki')];
    const version = await putVersion(service, LIST, entries);
    await rescreen();
    const events = await told(owner);
    expect(events, 'not what was listed when they were screened').toEqual([
      {
        monitor: watched.id,
        job: showId('job', watched.jobId),
        list: LIST,
        list_version: expect.stringMatching(/^2026-11-21-/),
        hits: 2,
        source_ids: ['T.1', 'T.2'],
      },
    ]);
    expect(await told(other)).toEqual([]);
    expect(await runs()).toMatchObject([{ finished: true }, { versionId: version, screened: 2, hits: 2, finished: true }]);

    await rescreen();
    await service.sql`update aml_rescreens set cursor = null, finished_at = null`;
    await rescreen();
    expect(await told(owner), 'repeated from the start').toEqual([...events, expect.objectContaining({ source_ids: ['T.0'], hits: 1 })]);

    const changed = listed('T.1', 'Osaretin Igbinedion', { programs: ['TEST', 'MORE'] });
    await putVersion(service, LIST, [changed], ['T.2']);
    await rescreen();
    expect((await told(owner)).at(-1)).toMatchObject({ hits: 1, source_ids: ['T.1'] });
    const monitor = await readMonitor(service, owner, parseId('mon', watched.id)!);
    expect(monitor).toMatchObject({
      hits: 4,
      screened_at: expect.stringMatching(/Z$/),
      matches: [
        { source_id: 'T.1', programs: ['TEST', 'MORE'], score: 1, list: LIST, at: expect.stringMatching(/Z$/) },
        { source_id: 'T.0' },
        {},
        {},
      ],
    });
  });

  test('reports nothing personal, and stores the hit encrypted', async () => {
    const owner = await makeListener();
    await watch(owner, 'Iniobong Udoh-Ekanem');
    await putVersion(service, LIST, [listed('T.1', 'Iniobong Udoh-Ekanem')]);
    await rescreen();
    expect(await told(owner)).toHaveLength(1);
    for (const table of ['events', 'deliveries', 'aml_monitors', 'aml_monitor_hits']) {
      const rows = await service.sql.unsafe<{ row: string }[]>(`select t::text as row from ${table} t`);
      const text = rows.map(({ row }) => row + Buffer.from(row.match(/\\x([0-9a-f]+)/)?.[1] ?? '', 'hex').toString('latin1')).join('\n');
      expect(text, table).not.toMatch(/Iniobong|Ekanem|1988-/);
    }
  });

  test('applies the threshold and the lists of the screening', async () => {
    const owner = await makeListener();
    const name = 'Oluwadamilare Ayinla-Bakare';
    await settleScreening(service, owner, { ...person(name), lists: 'eu_fsf,uk_sanctions' });
    await settleScreening(service, owner, { ...person('Oluwadamilare Ayinla-Bakarre'), threshold: '0.99' });
    for (const list of [LIST, 'eu_fsf']) await putVersion(service, list, [listed('T.1', name)]);
    await rescreen();
    expect(await told(owner)).toMatchObject([{ list: 'eu_fsf', hits: 1 }]);
    await settleScreening(service, owner, { ...person('Oluwadamilare Ayinla-Bakarre'), threshold: '0.8' });
    await putVersion(service, LIST, [listed('T.2', name)]);
    await rescreen();
    expect((await told(owner)).at(-1), 'the ones sent last').toMatchObject({ list: LIST, source_ids: ['T.2'], hits: 1 });
  });

  test('skips cleared hits until the entry changes or the clearance expires', async () => {
    const owner = await makeListener();
    const name = 'Boma Horsfall-Amadi';
    await watch(owner, name);
    const [cleared, expired] = [listed('T.1', name), listed('T.2', name)];
    await putVersion(service, LIST, [cleared, expired, listed('T.3', name)]);
    for (const [source_id, expires_at] of [
      ['T.1', null],
      ['T.2', new Date(Date.now() + 60_000).toISOString()],
    ]) {
      const body = clearanceBody.parse({ ...person(name), list: LIST, source_id, reason: 'r', expires_at });
      await createClearance(service, service.digestOf, owner, { ...body, cleared_by: 'c' }, { by: bySystem('test'), createdBy: null });
    }
    await service.sql`update aml_clearances set expires_at = now() where expires_at is not null`;
    await rescreen();
    expect(await told(owner)).toMatchObject([{ hits: 2, source_ids: ['T.2', 'T.3'] }]);
    await putVersion(service, LIST, [{ ...cleared, listedOn: '2026-03-04' }]);
    await rescreen();
    expect((await told(owner)).at(-1)).toMatchObject({ hits: 1, source_ids: ['T.1'] });
  });

  test('is not reported for ended monitors or test keys', async () => {
    const owner = await makeListener();
    const name = 'Zaynab Danjuma-Ciroma';
    const { id } = await watch(owner, name);
    await watch({ ...owner, live: false }, name);
    await endMonitor(service, owner, parseId('mon', id)!, bySystem('test'));
    await putVersion(service, LIST, [listed('T.1', name)]);
    await rescreen();
    expect(await told(owner)).toEqual([]);
    expect(await told({ ...owner, live: false })).toEqual([]);
    expect(await runs()).toMatchObject([{ screened: 0, hits: 0, finished: true }]);
  });

  test('skips a monitor whose input does not open, and raises an alarm', async () => {
    const owner = await makeListener();
    const broken = await watch(owner, 'Kelechi Okwuosa');
    await watch(owner, 'Hauwa Bappah');
    await service.sql`update aml_monitors set input = '\\x0102'::bytea where id = ${parseId('mon', broken.id)}`;
    await putVersion(service, LIST, [listed('T.1', 'Kelechi Okwuosa'), listed('T.2', 'Hauwa Bappah')]);
    await rescreen();
    expect(await told(owner)).toMatchObject([{ source_ids: ['T.2'] }]);
    expect((await service.metrics.monitorFailures.get()).values[0]!.value).toBe(1);
  });

  test('also reaches a monitor that starts while other processes may still screen with the old version', async () => {
    const owner = await makeListener();
    await putVersion(service, LIST, [listed('T.1', 'Late Comer')]);
    const patient = openRescreen(service, { lagMs: 0, overlapMs: 60_000 });
    await patient();
    expect(await runs()).toMatchObject([{ finished: false }]);
    await watch(owner, 'Late Comer');
    await patient();
    expect(await told(owner)).toMatchObject([{ source_ids: ['T.1'] }]);
    await service.sql`update aml_rescreens set created_at = now() - interval '61 seconds'`;
    await patient();
    expect(await runs()).toMatchObject([{ finished: true, screened: 1 }]);
    expect(await told(owner)).toHaveLength(1);
  });

  test('also reaches a monitor that is renewed, for a list it did not watch, after its turn', async () => {
    const owner = await makeListener();
    const name = 'Renewed Too Late';
    await settleScreening(service, owner, { ...person(name), lists: 'eu_fsf' });
    await putVersion(service, LIST, [listed('T.1', name)]);
    const patient = openRescreen(service, { lagMs: 0, overlapMs: 60_000 });
    expect(await patient()).toBe(1);
    expect(await told(owner)).toEqual([]);
    await settleScreening(service, owner, { ...person(name), lists: LIST });
    expect(await patient(), 'while other processes may still renew more').toBe(0);
    await service.sql`update aml_rescreens set created_at = now() - interval '61 seconds'`;
    await patient();
    expect(await told(owner)).toMatchObject([{ source_ids: ['T.1'], hits: 1 }]);
    expect(await runs()).toMatchObject([{ finished: true, screened: 2, hits: 1 }]);
    await putVersion(service, LIST, [listed('T.2', 'Quite Somebody Else')]);
    await rescreen();
    expect((await runs()).at(-1), 'one that was renewed before a version is screened once').toMatchObject({ finished: true, screened: 1 });
  });

  describe('is not reported where the screening that started the monitor has shown it', () => {
    const name = 'Shown Already';
    const labelOf = async (id: string) =>
      (await service.sql<{ label: string }[]>`select label from aml_list_versions where id = ${id}`)[0]!.label;
    /** A version that lists the person as `sourceId`; its label. */
    const bring = async (list: string, sourceId: string) => labelOf(await putVersion(service, list, [listed(sourceId, name)]));
    const reported = async (owner: Owner) => (await told(owner)).flatMap(({ source_ids }) => source_ids).toSorted();

    test('list by list, with that version or a later one', async () => {
      const [owner, early, late] = [await makeListener(), await makeListener(), await makeListener()];
      const [old, eu] = [await bring(LIST, 'T.0'), await bring('eu_fsf', 'E.1')];
      const first = await bring(LIST, 'T.1');
      await watch(early, name, { [LIST]: first });
      const second = await bring(LIST, 'T.2');
      // The second version came between this person's screening and its settlement.
      await watch(owner, name, { [LIST]: first, eu_fsf: eu });
      await watch(late, name, { [LIST]: second, eu_fsf: old });
      await rescreen();
      expect(await reported(owner)).toEqual(['T.2']);
      expect(await reported(early)).toEqual(['E.1', 'T.2']);
      expect(await reported(late)).toEqual(['E.1']);
      expect((await runs()).every(({ finished }) => finished)).toBe(true);
      await bring(LIST, 'T.3');
      await rescreen();
      expect((await reported(late)).at(-1)).toBe('T.3');
    });

    test('but is where a version before it had the same label', async () => {
      const owner = await makeListener();
      const label = await bring(LIST, 'T.1');
      await bring(LIST, 'T.2');
      const again = await putVersion(service, LIST, [listed('T.3', name)]);
      await service.sql`update aml_list_versions set label = ${label} where id = ${again}`;
      await watch(owner, name, { [LIST]: label });
      await rescreen();
      expect(await reported(owner)).toEqual(['T.2', 'T.3']);
    });

    test('nor where the screening that renewed it has', async () => {
      const [both, later, earlier] = [await makeListener(), await makeListener(), await makeListener()];
      const old = await bring(LIST, 'T.0');
      const label = await bring(LIST, 'T.1');
      for (const owner of [both, earlier]) await watch(owner, name, { [LIST]: label });
      await watch(later, name, { [LIST]: old });
      for (const owner of [both, later]) await watch(owner, name, { [LIST]: label });
      // That process still had the previous version.
      await watch(earlier, name, { [LIST]: old });
      await rescreen();
      expect(await reported(both)).toEqual([]);
      expect(await reported(later)).toEqual([]);
      expect(await reported(earlier)).toEqual(['T.1']);
    });

    test('but is for a monitor that an earlier release started or renewed', async () => {
      const [renewed, former] = [await makeListener(), await makeListener()];
      const label = await bring(LIST, 'T.1');
      for (const owner of [renewed, former]) await watch(owner, name, { [LIST]: label });
      await service.sql`update aml_monitors set renewed_at = now() where app_id = ${renewed.appId}`;
      await service.sql`update aml_monitors set shown = null where app_id = ${former.appId}`;
      await rescreen();
      expect(await reported(renewed)).toEqual(['T.1']);
      expect(await reported(former)).toEqual(['T.1']);
    });
  });

  test('leaves brand-new monitors for later: one with an earlier id may not be committed yet', async () => {
    const owner = await makeListener();
    const { id } = await watch(owner, 'Just Come');
    await putVersion(service, LIST, [listed('T.1', 'Just Come')]);
    const slow = openRescreen(service, { lagMs: 60_000, overlapMs: 0 });
    expect(await slow()).toBe(0);
    expect(await told(owner)).toEqual([]);
    await service.sql`update aml_monitors set id = ${firstIdAt(Date.now() - 61_000)} where id = ${parseId('mon', id)}`;
    expect(await slow()).toBe(1);
    expect(await told(owner)).toHaveLength(1);
  });
});

describe('review cases', () => {
  interface Case {
    jobId: string;
    kind: string;
    state: string;
    monitorId: string | null;
    decision: string | null;
    announcedAt: string | null;
  }
  const cases = (owner: Owner) => service.sql<Case[]>`
    select job_id, kind, state, monitor_id, decision, announced_at from reviews where app_id = ${owner.appId} order by id`;
  const setReviews = (owner: Owner, reviews: object) =>
    service.sql`update apps set settings = ${JSON.stringify({ reviews })}::text::jsonb where id = ${owner.appId}`;
  const opened = async (owner: Owner) => {
    await announceReviews(service);
    const events = await service.sql<{ data: { monitor: string } }[]>`
      select data from events where app_id = ${owner.appId} and type = 'review.opened' order by id`;
    return events.map(({ data }) => data.monitor);
  };
  const name = 'Ebikake Timipre-Opuama';
  const bring = async (sourceId: string) => {
    await putVersion(service, LIST, [listed(sourceId, name)]);
    await rescreen();
  };

  test('open for new hits of the level that the app reviews, and only then', async () => {
    const [owner, lax, unset] = [await makeListener(), await makeListener(), await makeListener()];
    await createEndpoint(service, owner, endpointBody.parse({ url: 'http://127.0.0.1:9/in', events: ['review.opened'] }), bySystem('test'));
    await setReviews(owner, { amlLevel: 'MEDIUM' });
    await setReviews(lax, { amlLevel: null });
    const { id, jobId } = await watch(owner, name);
    for (const one of [lax, unset]) await watch(one, name);
    await watch(owner, 'Quite Somebody Else');
    await bring('T.1');
    expect(await cases(owner)).toMatchObject([{ jobId, kind: 'aml', state: 'open', monitorId: parseId('mon', id), announcedAt: null }]);
    expect([...(await cases(lax)), ...(await cases(unset))]).toEqual([]);
    expect(await opened(owner)).toEqual([id]);
    await setReviews(owner, { amlLevel: 'CRITICAL' });
    await service.sql`delete from reviews`;
    await putVersion(service, LIST, [listed('T.2', name, { category: 'pep' })]);
    await rescreen();
    expect(await cases(owner)).toEqual([]);
  });

  test('that nobody has decided are used again; one that is decided or half decided opens again, with its decisions among the notes', async () => {
    const owner = await makeListener();
    await createEndpoint(service, owner, endpointBody.parse({ url: 'http://127.0.0.1:9/in', events: ['review.opened'] }), bySystem('test'));
    await setReviews(owner, { amlLevel: 'LOW' });
    const { id, jobId } = await watch(owner, name);
    await service.sql.begin(async (tx) =>
      putReviews(tx, [{ jobId, appId: owner.appId, live: true, checkId: 'aml_screening', kind: 'aml' }], tx`true`),
    );
    await opened(owner);
    await bring('T.1');
    expect(await cases(owner)).toMatchObject([{ jobId, state: 'open', monitorId: parseId('mon', id) }]);
    expect(await opened(owner), 'not told twice').toEqual([null]);
    const by = (person: string): Author => ({ ...bySystem('test'), actor: { kind: 'person', id: person } });
    const decide = async (person: string, decision: 'approve' | 'escalate') => {
      const [review] = await listReviews(service, owner, { states: null, kind: null, assignee: null, jobId, before: null, limit: 1 });
      return decideReview(service, review!, { decision, reason: 'Another town', twoPerson: true }, by(person));
    };
    await decide('per_1', 'approve');
    await bring('T.2');
    expect(await cases(owner), 'half decided').toMatchObject([{ state: 'open', decision: null, announcedAt: null }]);
    await decide('per_1', 'approve');
    await decide('per_2', 'approve');
    expect(await cases(owner)).toMatchObject([{ state: 'decided', decision: 'approve' }]);
    await bring('T.3');
    expect(await cases(owner), 'decided').toMatchObject([{ state: 'open', decision: null }]);
    expect(await opened(owner)).toEqual([null, id]);
    const [review] = await service.sql<{ id: string }[]>`select id from reviews where job_id = ${jobId}`;
    expect((await readNotes(service, review!.id)).map(({ actor, decision }) => [actor, decision])).toEqual([
      ['per_1', 'approve'],
      ['per_1', 'approve'],
      ['per_2', 'approve'],
    ]);
    // Who decided before it was opened again has not decided about the new hits.
    await decide('per_3', 'escalate');
    expect((await decide('per_1', 'approve')).state).toBe('seconding');
    await bring('T.4');
    expect(await cases(owner)).toMatchObject([{ state: 'open' }]);
  });
});

describe('a test key', () => {
  test('gets one rescreen of a monitor, a second later, against entries about to join a sandbox list', async () => {
    const owner = { ...(await makeListener()), live: false };
    await createEndpoint(service, owner, endpointBody.parse({ url: 'http://127.0.0.1:9/hook' }), bySystem('test'));
    const { inForce, later } = service.sandboxLists;
    const brought = await later();
    const known = new Set((await inForce()).map(({ list, entry }) => `${list} ${entry.sourceId}`));
    const added = brought.find(({ list, entry }) => !known.has(`${list} ${entry.sourceId}`))!;
    expect(brought.length, 'one new entry and one changed entry').toBe(2);
    const sandbox = openSandboxRescreen(service, service.sandboxLists);
    const name = added.entry.names[0]!.text;
    const { id } = await watch(owner, name);
    await watch(owner, 'Quite Somebody Else');
    await watch({ ...owner, live: true }, name);
    expect(await sandbox(), 'not at once').toBe(0);
    // The second monitor may be a moment younger than the first.
    let screened = 0;
    await waitFor('both to be a second old', async () => {
      screened += (await Promise.all([sandbox(), sandbox()])).reduce((sum, n) => sum + n);
      return screened >= 2;
    });
    expect(screened).toBe(2);
    expect(await sandbox()).toBe(0);
    expect(await told(owner)).toEqual([
      expect.objectContaining({ monitor: id, list: added.list, list_version: added.version, hits: 1, source_ids: [added.entry.sourceId] }),
    ]);
    expect(await told({ ...owner, live: true })).toEqual([]);
    const body = clearanceBody.parse({ ...person(name), list: added.list, source_id: added.entry.sourceId, reason: 'r' });
    const cleared = await createClearance(
      service,
      service.digestOf,
      owner,
      { ...body, cleared_by: 'c' },
      { by: bySystem('test'), createdBy: null },
    );
    expect(await isLapsed(service, service.digestOf, cleared), 'and can be cleared').toBe(false);
  });
});
