/** An app that sends everything it can at once (`bench/loud.ts`) delays another app's requests within bounds, and none of them fails. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Neighbour } from '../../bench/loud.ts';
import { type BatchEntity, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-neighbour-'));
afterAll(() => rmSync(folder, { recursive: true }));

const api = useApi(() => {
  const file = join(folder, 'upstreams.json');
  // Both apps ask the slow one; the loud one alone wants more of it than it can do.
  const providers = {
    slow: { adapter: 'sandbox', latency_ms: { nin: 200 }, in_flight_max: 5 },
    quick: { adapter: 'sandbox', latency_ms: { bvn: 0 } },
  };
  writeFileSync(file, JSON.stringify({ providers, records: { nin: ['slow'], bvn: ['quick'] } }));
  return {
    CONFAM_UPSTREAMS: file,
    CONFAM_CALLS_MAX: '20',
    CONFAM_WAITS_MAX: '20',
    CONFAM_EVENT_STREAMS_MAX: '10',
    CONFAM_DOWNLOADS_MAX: '4',
  };
});

const LOUD_MS = 3_000;
const PAUSE_MS = 20;
/** Everything is in this process: client, API, pools. What the loud app has waiting at the vendor alone would take longer. */
const MEDIAN_MS_MAX = 1_500;
const MOST_MS = 5_000;

test('its requests neither fail nor wait for long', async () => {
  const [loud, quiet] = [(await api.createApp()).live, (await api.createApp()).live];
  for (const { app } of [loud, quiet]) await api.admin.post(`/api/v1/admin/apps/${app}/topups`, { amount: 1_000_000, mode: 'live' });
  const bvns = Array.from({ length: 200 }, (_, i) => 22_300_000_000 + i * 7);
  const over = (await loud.csv('checks=bvn_full', `bvn\n${bvns.join('\n')}\n`)).body.entity.id;
  await loud.ended<BatchEntity>(`/api/v1/batches/${over}`);
  const waiting = (await loud.csv('checks=nin_basic&start=manual', 'nin\n70123456789\n')).body.entity.id;
  const neighbour = new Neighbour({
    baseUrl: api.url,
    headers: { Authorization: loud.key, AppId: loud.app },
    waiting,
    over,
    uploads: 10,
    rowsOfUpload: 200,
    streams: 20,
    downloads: 6,
    polls: 30,
    callsPerSecond: 60,
    images: 1,
    imageBytes: 1024 * 1024,
  });
  neighbour.begin();
  try {
    const times: number[] = [];
    let subject = 60_000_000_000;
    for (const began = performance.now(); performance.now() - began < LOUD_MS; await sleep(PAUSE_MS)) {
      const asked = performance.now();
      subject += 7;
      const answers = await Promise.all([quiet.get(`/api/v1/kyc/nin?nin=${subject}`), quiet.get('/api/v1/wallet')]);
      expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual([200, 200]);
      times.push(performance.now() - asked);
    }
    times.sort((a, b) => a - b);
    expect(times.at(-1)).toBeLessThan(MOST_MS);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(MEDIAN_MS_MAX);
    // The other app was served, and refused what is beyond its share.
    const { calls, uploads, streams, polls } = neighbour.counts();
    for (const part of [calls, uploads, streams]) expect(part['200'] ?? part['202']).toBeGreaterThan(0);
    for (const part of [calls, streams, polls]) expect(part['429']).toBeGreaterThan(0);
  } finally {
    neighbour.end();
  }
  await waitFor('everything to be given back', () =>
    Object.values(api.service.admission).every((gate) => typeof gate !== 'object' || gate.inUse().taken === 0),
  );
});
