/** What the operator sees of the watch lists. */
import { beforeAll, describe, expect, it } from 'vitest';
import { configureLists } from '../../src/aml/definitions.ts';
import { storeList } from '../../src/aml/store.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import { measure } from '../../src/pipeline/sweep.ts';
import { people, textFile } from '../aml/publisher.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();

interface List {
  data: {
    list: string;
    state: string;
    version: { entries: number; label: string } | null;
    refusal: { reason: string; detail: string } | null;
  }[];
}
interface Versions {
  data: { object: string; id: string; entries: number; added: number; changed: number; removed: number; checksum_sha256: string }[];
  has_more: boolean;
  next_cursor: string | null;
}

const store = (text: string) => {
  const media = configureLists({ CONFAM_LISTS: undefined }).find(({ list }) => list === 'adverse_media')!;
  return storeList(api.service, media, [textFile(text)], { origin: 'list.jsonl', fetched: [] }, formats);
};

beforeAll(async () => {
  await store(people(1, 10));
  await store(people(2, 9) + people(11, 3));
  await store(people(1, 2));
});

describe('GET /api/v1/admin/lists', () => {
  it('shows every list: the absent ones, and for the others version, counts and refusals', async () => {
    const { status, body } = await api.admin.get<List>('/api/v1/admin/lists');
    expect(status).toBe(200);
    const of = (name: string) => body.entity.data.find(({ list }) => list === name);
    expect(of('un_sc')).toMatchObject({ object: 'watch_list', required: true, state: 'absent', version: null, checked_at: null });
    expect(of('adverse_media')).toMatchObject({
      ...{ required: false, state: 'current', category: 'adverse_media', refreshed: false },
      version: {
        object: 'list_version',
        format: 'generic',
        origin: 'list.jsonl',
        entries: 12,
        names: 24,
        added: 3,
        changed: 0,
        removed: 1,
      },
      refusal: { reason: 'shrunk', detail: 'Its number of entries is 2; that of the current version is 12' },
    });
  });

  it('is for the operator only', async () => {
    const app = await api.createApp();
    expect((await app.get('/api/v1/admin/lists')).status).toBe(403);
  });
});

describe('GET /api/v1/aml/lists', () => {
  it('shows an app which versions are in force, not where they come from or what was refused', async () => {
    const app = await api.createApp();
    const { status, body } = await app.get<List>('/api/v1/aml/lists');
    expect(status).toBe(200);
    const media = body.entity.data.find(({ list }) => list === 'adverse_media')!;
    expect(media).toMatchObject({ object: 'watch_list', state: 'current', version: { entries: 12 } });
    expect(JSON.stringify(media)).not.toMatch(/list\.jsonl|refus|shrunk/);
  });
});

describe('GET /api/v1/admin/lists/{list}/versions', () => {
  it('pages through every version, newest first, with what each changed', async () => {
    const path = '/api/v1/admin/lists/adverse_media/versions?limit=1';
    const first = (await api.admin.get<Versions>(path)).body.entity;
    expect(first).toMatchObject({ has_more: true, data: [{ entries: 12, added: 3, changed: 0, removed: 1 }] });
    expect(first.data[0]!.id).toMatch(/^lsv_[0-9a-f]{32}$/);
    expect(first.data[0]!.checksum_sha256).toMatch(/^[0-9a-f]{64}$/);
    const second = (await api.admin.get<Versions>(`${path}&cursor=${first.next_cursor}`)).body.entity;
    expect(second).toMatchObject({ has_more: false, next_cursor: null, data: [{ entries: 10, added: 10, changed: 0, removed: 0 }] });
  });

  it("refuses an unknown list, a limit out of bounds, and another list's cursor", async () => {
    expect((await api.admin.get('/api/v1/admin/lists/nothing/versions')).status).toBe(404);
    expect((await api.admin.get('/api/v1/admin/lists/un_sc/versions?limit=0')).status).toBe(400);
    const { next_cursor } = (await api.admin.get<Versions>('/api/v1/admin/lists/adverse_media/versions?limit=1')).body.entity;
    expect((await api.admin.get(`/api/v1/admin/lists/un_sc/versions?cursor=${next_cursor}`)).status).toBe(400);
    expect((await api.admin.get<Versions>('/api/v1/admin/lists/un_sc/versions')).body.entity.data).toEqual([]);
  });
});

it('/metrics has the age and entries of each current list, and counts refusals', async () => {
  await measure(api.service);
  const metrics = (await api.admin.get('/metrics')).text;
  expect(metrics).toMatch(/^confam_list_age_seconds\{list="adverse_media"\} \d+$/m);
  expect(metrics).toContain('confam_list_entries{list="adverse_media"} 12');
  expect(metrics).toContain('confam_list_refusals_total{list="adverse_media",reason="shrunk"} 1');
});
