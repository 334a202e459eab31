/** The state of a running service: each thing by name, no secret, for administrators only. */
import { expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';

const api = useApi();

interface Finding {
  object: string;
  subject: string;
  state: 'ok' | 'note' | 'broken';
  says: string;
}
const examine = async () => (await api.admin.get<{ data: Finding[] }>('/api/v1/admin/doctor')).body.entity.data;

test('every part is named with its state, and nothing of a sound service is broken', async () => {
  const found = await examine();
  expect(found.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['node', 'configuration', 'keys', 'processes', 'database', 'second wall', 'queue', 'upstreams']),
  );
  expect(found.filter(({ state }) => state === 'broken')).toEqual([]);
  const says = Object.fromEntries(found.map((one) => [one.subject, one.says]));
  expect(says.database).toMatch(/^Postgres \d+.*: answers$/);
  expect(says.processes).toMatch(/^\d+ running, \d+ of them working on jobs, release /);
  const { DATABASE_URL, CONFAM_KEYS, CONFAM_INDEX_KEY } = api.service.config;
  for (const secret of [DATABASE_URL, CONFAM_KEYS, CONFAM_INDEX_KEY]) expect(JSON.stringify(found)).not.toContain(secret ?? 'none');
});

test('a deployment in which nobody works on jobs is broken, and one of two releases is told apart', async () => {
  const say = async (subject: string) => (await examine()).find((one) => one.subject === subject)!;
  await api.service.sql`update processes set families = '{}'`;
  expect(await say('processes')).toMatchObject({ state: 'broken', says: expect.stringContaining('start a worker') });
  await api.service.sql`update processes set families = '{nin}'`;
  await api.service
    .sql`insert into processes (id, name, release, reads, families) values (gen_random_uuid(), 'older', '0.0.2', 1, '{nin}')`;
  expect(await say('processes')).toMatchObject({ state: 'note', says: expect.stringContaining('0.0.2') });
});

test('keys of apps are refused', async () => {
  expect((await (await api.createApp()).get('/api/v1/admin/doctor')).status).toBe(403);
});
