/** What the fuzz finds in the database: two apps with one of everything, apps that the operator may change, and callers of every kind. */
import { expect } from 'vitest';
import { roles } from '../../src/access/roles.ts';
import { scopes } from '../../src/contract/scopes.ts';
import type { BatchEntity, JobEntity, TestApi, TestApp } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import type { Actor, Ids } from './requests.ts';

export interface World {
  actors: Actor[];
  ids: Ids;
  mine: TestApp;
}

type Things = Record<string, string[]>;

const PERSON = { name: 'Músá Danjumare Bàlárábẹwà', date_of_birth: '1968-03-14', country: 'NG' };
/** Nothing that the fuzz does should be refused for having been done too often. */
const SETTINGS = { missesPerApp: 0, missesPerSubject: 0 };

export async function prepare(api: TestApi): Promise<World> {
  const [mine, theirs, spare, other] = await Promise.all(
    Array.from({ length: 4 }, () => api.createApp({ naira: 10_000_000, settings: SETTINGS })),
  );
  const ids: Ids = { own: await things(api, mine!), foreign: await things(api, theirs!) };
  ids.own.app = [spare!.app];
  ids.foreign.app = [other!.app];
  return { ids, mine: mine!, actors: await actorsOf(api, mine!) };
}

/** One of everything, by prefix. Nobody signs in with these keys and people. */
async function things(api: TestApi, app: TestApp): Promise<Things> {
  const made: Things = {};
  const keep = (prefix: string, { status, text, body }: { status: number; text: string; body: { entity: { id?: string } } }) => {
    expect(status, text).toBeLessThan(300);
    made[prefix] = [...(made[prefix] ?? []), body.entity.id!];
  };
  keep('whe', await app.post('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:1/hook' }));
  const screening = await app.job({ check: 'aml_screening', input: { ...PERSON, monitor: 'true' }, reference: 'r1' });
  keep('job', screening.status < 300 ? screening : await app.job({ check: 'aml_screening', input: PERSON, reference: 'r1' }));
  for (const nin of ['70123456789', '00000000001']) keep('job', await app.job({ check: 'nin_premium', input: { nin } }));
  for (const id of made.job!) await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  const batch = await app.csv('checks=nin_basic', 'reference,nin\na,70123456789\nb,bad\nc,70123456780\n');
  keep('bat', batch);
  await app.ended<BatchEntity>(`/api/v1/batches/${batch.body.entity.id}`);
  keep('bat', await app.csv('checks=nin_basic&start=manual', 'nin\n70123456789\n'));
  keep(
    'lnk',
    await app.post(`/api/v1/batches/${batch.body.entity.id}/links`, { kind: 'results', format: 'csv', expires_in_seconds: 3_600 }),
  );
  keep('key', await app.post('/api/v1/keys', { name: 'spare' }));
  const invited = await api.admin.post<{ id: string }>('/api/v1/admin/people', {
    email: `${app.app}@bank.test`,
    app: app.app,
    role: 'viewer',
  });
  keep('per', invited);
  const list = async (path: string) => (await app.get<{ data: { id: string }[] }>(path)).body.entity.data.map(({ id }) => id);
  made.dlv = await list(`/api/v1/webhooks/endpoints/${made.whe![0]}/deliveries`);
  made.mon = await list('/api/v1/aml/monitors');
  return made;
}

async function actorsOf(api: TestApi, app: TestApp): Promise<Actor[]> {
  const key = (name: string, value: string, appId = app.app): Actor => ({
    name,
    kind: 'app',
    headers: { Authorization: value, AppId: appId },
  });
  const restricted = await Promise.all(
    Object.keys(scopes).map(async (scope) => {
      const made = await api.admin.post<{ key: string }>(`/api/v1/admin/apps/${app.app}/keys`, { mode: 'test', scopes: [scope] });
      expect(made.status, made.text).toBe(201);
      return key(`only ${scope}`, made.body.entity.key);
    }),
  );
  const people = await Promise.all(
    roles.map(async (role): Promise<Actor> => {
      const { browser } = await signedInAs(api, app, role);
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      return { name: role, kind: 'person', headers: { Cookie: cookie, 'X-CSRF-Token': browser.csrf, AppId: app.app } };
    }),
  );
  return [
    // Often enough that most requests pass the guard.
    ...Array.from({ length: 20 }, () => key('test', app.key)),
    ...Array.from({ length: 4 }, () => key('live', app.live.key)),
    ...restricted,
    ...people,
    { name: 'operator', kind: 'admin', headers: { Authorization: api.admin.key } },
    key('wrong key', `${app.key.slice(0, -1)}${app.key.endsWith('a') ? 'b' : 'a'}`),
    { name: 'nobody', kind: 'nobody', headers: {} },
  ];
}
