/** The law: data travels down one path, and each file imports only what lies below it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../src/packageroot.ts';

/** From the top down. A folder stands for its files, which may import each other but not in a circle. */
const ORDER = [
  'src/cli.ts',
  'src/cli/',
  'src/simulator/',
  'workers/',
  'src/server.ts',
  'src/api/',
  'src/openapi/',
  'src/health.ts',
  'src/sandbox.ts',
  'src/sweep.ts',
  'src/chunk.ts',
  'src/call.ts',
  'src/service.ts',
  'src/batches/links.ts',
  'src/results/',
  'src/reports/',
  'src/batches/watch.ts',
  'src/batches/listing.ts',
  'src/money/statement.ts',
  'src/money/entries.ts',
  'src/batches/quote.ts',
  'src/batches/submit.ts',
  'src/batches/copier.ts',
  'src/batches/intake.ts',
  'src/dispatch.ts',
  'src/batches/control.ts',
  'src/providerreport.ts',
  'src/settle.ts',
  'src/batches/ending.ts',
  'src/settlecalls.ts',
  'src/money/usage.ts',
  'src/trail.ts',
  'src/aml/',
  'src/faces/',
  'src/emails/',
  'src/money/caps.ts',
  'src/verify.ts',
  'src/webhooks/replay.ts',
  'src/webhooks/delivery.ts',
  'src/webhooks/endpoints.ts',
  'src/webhooks/payload.ts',
  'src/portraits/',
  'src/cache.ts',
  'src/batches/submitted.ts',
  'src/batches/batch.ts',
  'src/batches/rowblocks.ts',
  'src/entities.ts',
  'src/money/ledger.ts',
  'src/webhooks/events.ts',
  'src/money/prices.ts',
  'src/suspensions.ts',
  'src/accounts.ts',
  'src/release.ts',
  'src/idempotency.ts',
  'src/misses.ts',
  'src/ratelimit.ts',
  'src/availability.ts',
  'src/providers/router.ts',
  'src/providers/configure.ts',
  'src/providers/upstreams.ts',
  'src/providers/pending.ts',
  'src/providers/seat.ts',
  'src/limiter.ts',
  'src/in-flight-limit.ts',
  'src/batches/images.ts',
  'src/batches/columns.ts',
  'src/batches/likely.ts',
  'src/batches/written.ts',
  'src/queries.ts',
  'src/webhooks/contract.ts',
  'src/contract.ts',
  'src/answers/',
  'src/checks/',
  'src/engines/',
  'src/names/',
  'src/providers/adapters.ts',
  'src/providers/adapters/',
  'src/providers/records.ts',
  'src/providers/adapter.ts',
  'src/providers/vendorhttp.ts',
  'src/providers/sandbox/',
  'src/providers/provider.ts',
  'src/webhooks/outbound.ts',
  'src/retryafter.ts',
  'src/likely-names.ts',
  'src/rows/',
  'src/lead.ts',
  'src/context.ts',
  'src/migrations.ts',
  'src/turns.ts',
  'src/places.ts',
  'src/schema/',
  'src/embedded.ts',
  'src/embedded/',
  'src/transactions.ts',
  'src/queue.ts',
  'src/postgresqueue.ts',
  'src/cursor.ts',
  'src/metrics.ts',
  'src/cursor.ts',
  'src/crypto.ts',
  'src/imagepack.ts',
  'src/ids.ts',
  'src/errors.ts',
  'src/log.ts',
  'src/config.ts',
  'src/group.ts',
  'src/database-faults.ts',
  'src/batches/keytable.ts',
  'src/packageroot.ts',
];

const root = packageRoot();

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}

const files = [...sources('src'), ...sources('workers')];
const covers = (entry: string, file: string): boolean => (entry.endsWith('/') ? file.startsWith(entry) : file === entry);
const rank = (file: string): number => ORDER.findIndex((entry) => covers(entry, file));

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => relative(root, resolve(root, dirname(file), match[1]!)));
}

describe('imports', () => {
  it('every file has a place in the order', () => {
    expect(files.filter((file) => rank(file) === -1)).toEqual([]);
    expect(ORDER.filter((entry) => !files.some((file) => file.startsWith(entry)))).toEqual([]);
  });

  it('no file imports what lies above it', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => rank(target) < rank(file))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no files import each other in a circle', () => {
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...path, file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const target of importsOf(file)) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});
