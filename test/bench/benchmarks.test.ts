/** What the benchmarks rest on: an input for every check, and a failure that stays with the benchmark that it befell. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runApart, type Task } from '../../bench/apart.ts';
import { table } from '../../bench/figure.ts';
import { sampleInput } from '../../bench/inputs.ts';
import { checks } from '../../src/checks/catalog.ts';
import { registries } from '../../src/sandbox/registries.ts';

describe.each(checks.map((check) => [check.id, check] as const))('the input of %s', (id, check) => {
  it('is valid, and another one for every call', () => {
    const inputs = Array.from({ length: 20 }, (_, n) => sampleInput(id, n));
    for (const input of inputs) expect(check.input.safeParse(input).error).toBeUndefined();
    // Two photographs are all that `photoid_compare` takes.
    expect(new Set(inputs.map((input) => JSON.stringify(input))).size).toBe(id === 'photoid_compare' ? 1 : 20);
  });
});

it('asks about people of whom a credit bureau has a file', () => {
  for (let n = 0; n < 100; n++) expect(registries.credit_crc!.record(sampleInput('credit_bvn', n)!.bvn!)).not.toBeNull();
});

describe('a benchmark', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'confam-bench-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const taskOf = (name: string, postgresUrl: string): Task => ({
    name,
    options: { tiny: true, rows: 10, seconds: 1, repeats: 1, minutes: 0.05, backends: ['postgres'], backend: 'postgres' },
    servers: { postgresUrl, postgresVersion: '', redisUrl: null, folder, program: '' },
  });

  it('that fails says why, and ends', async () => {
    // Nobody listens on the port of discard here.
    const { outcome } = runApart(taskOf('sync', 'postgres://postgres@127.0.0.1:9/postgres'), null);
    expect(await outcome).toEqual({ failure: expect.stringContaining('ECONNREFUSED') });
  });

  it('that takes too long is stopped', async () => {
    const { outcome } = runApart(taskOf('live', 'postgres://postgres@127.0.0.1:9/postgres'), 1);
    expect(await outcome).toEqual({ failure: 'took longer than 0.001 s' });
  });

  it('that failed is named in the table beside the figures of the others', () => {
    const lines = table([
      { what: 'one', measured: '1 ms', target: '≤ 2 ms', ok: true },
      { what: 'two', measured: 'it broke', failed: true },
    ]).split('\n');
    expect(lines[2]).toMatch(/^one +1 ms +– +– +≤ 2 ms +ok$/);
    expect(lines[3]).toMatch(/^two +it broke +– +– +– +FAILED$/);
  });
});
