/** What Prometheus sees: everything that the documentation names and nothing else, and a 0 before the first event that an alarm waits for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { families } from '../../src/checks/catalog.ts';
import { useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi();
const scrape = async () => (await api.admin.get('/metrics')).text;

test('the documentation lists exactly the metrics of a scrape', async () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [watching] = page.slice(page.indexOf('\n## Watching\n') + 1).split('\n## ');
  const rows = watching!.split('\n').filter((line) => line.startsWith('| `confam_'));
  const documented = rows.flatMap((row) => [...row.matchAll(/`(confam_\w+)(?:\{([\w,]+)\})?`/g)].map(([, name]) => name!));
  const exported = [...(await scrape()).matchAll(/^# TYPE (confam_\w+) /gm)].map(([, name]) => name!);
  expect([...new Set(documented)].sort()).toEqual(exported.sort());
});

test('a deployment at rest has a 0 for what an alarm looks at', async () => {
  const atRest = [
    ...families.flatMap((family) => [`confam_jobs_queued{family="${family}"} 0`, `confam_queue_depth{family="${family}"} 0`]),
    ...['wrong_key', 'wrong_app', 'wrong_password', 'identity_provider', 'held_off'].map(
      (reason) => `confam_failed_sign_ins_total{reason="${reason}"} 0`,
    ),
    ...['hit', 'miss'].map((result) => `confam_cache_lookups_total{result="${result}"} 0`),
    ...['work', 'ledger', 'results'].map((sweep) => `confam_sweep_failures_total{sweep="${sweep}"} 0`),
  ];
  await waitFor(
    'the figures of the dispatcher and the sweeper',
    async () => {
      const lines = (await scrape()).split('\n');
      return atRest.every((line) => lines.includes(line));
    },
    20_000,
  );
});
