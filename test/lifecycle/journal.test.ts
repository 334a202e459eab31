/** The journal of erasures: what it says, and that a restored backup does not keep whoever was erased after it was made. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openContext, openKeys } from '../../src/foundation/context.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { checkBackup, restoreBackup } from '../../src/lifecycle/backup/restore.ts';
import { writeBackup } from '../../src/lifecycle/backup/write.ts';
import { advanceErasures } from '../../src/lifecycle/erase.ts';
import { repeatErasures } from '../../src/lifecycle/journal.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { type BatchEntity, type JobEntity, useApi } from '../setup/api.ts';
import { createDatabase, type TestDatabase, waitFor } from '../setup/database.ts';
import { freshNin, never } from '../setup/work.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-journal-'));
const journal = join(folder, 'erasures.jsonl');
const api = useApi({ CONFAM_ERASURE_JOURNAL: journal });
const targets: TestDatabase[] = [];
afterAll(async () => {
  for (const target of targets) await target.drop();
  rmSync(folder, { recursive: true });
});

test('a backup, an erasure, a restore: the person stays erased, and nobody else goes', async () => {
  const app = await api.createApp();
  const [nin, bystander] = [freshNin(), freshNin()];
  const made = await app.csv('checks=nin_basic', `nin,note\n${nin},\n${bystander},\n${freshNin()},${nin}\nnobody,${nin}\n`);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  const jobs: string[] = [];
  for (const one of [nin, bystander]) {
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: one } })).body.entity;
    jobs.push((await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).id);
    await app.get(`/api/v1/kyc/nin/advance?nin=${one}`);
  }
  const screened = (await app.job({ check: 'aml_screening', input: { name: 'Ada Obi', monitor: true } })).body.entity;
  await app.ended(`/api/v1/jobs/${screened.id}`);
  const owner = new URL(api.service.databaseUrl);
  owner.searchParams.delete('role');
  const file = join(folder, `${made.body.entity.id}.tar.gz`);
  await writeBackup(owner.toString(), openKeys(api.service.config), file);

  const asked = await app.post<{ id: string }>('/api/v1/subjects/erase', {
    identifiers: [
      { type: 'nin', value: nin },
      { type: 'person', name: 'Ada Obi' },
    ],
  });
  const { id } = asked.body.entity;
  const done = (one: string) =>
    waitFor('the erasure', async () => {
      const { entity } = (await app.get<{ status: string; counts: object; receipt: string }>(`/api/v1/subjects/erasures/${one}`)).body;
      return entity.status === 'done' && entity;
    });
  const erasure = await done(id);
  const { kept } = JSON.parse(erasure.receipt) as { kept: { what: string; why: string; made_at?: string[] }[] };
  expect(kept.find(({ what }) => what === 'backups')).toMatchObject({ number: 1, made_at: [expect.stringMatching(/^2\d{3}-.*Z$/)] });
  expect(kept.find(({ what }) => what === 'batches')!.why).toContain('names of columns');
  expect(kept.map(({ what }) => what)).toEqual([
    'ledger, usage',
    'audit',
    'kept_answers',
    'batches',
    'saved_mappings',
    'row_marks',
    'excerpts',
    'backups',
  ]);
  const text = readFileSync(journal, 'utf8');
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  // As words: a digest in base64 may hold three letters of a name.
  for (const secret of [nin, 'Obi', 'Ada']) expect(text).not.toMatch(new RegExp(`\\b${secret}\\b`));
  // A machine that lost its power while it wrote a line, went on, and lost it again.
  const half = '{"said":"{\\"eras';
  appendFileSync(journal, half);
  const later = await app.post<{ id: string }>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: freshNin() }] });
  await done(later.body.entity.id);
  appendFileSync(journal, half);
  expect(readFileSync(journal, 'utf8').split('\n').slice(1)).toEqual([expect.stringMatching(/^\{"said":.+\{"said":.+\}$/), half]);

  const target = await createDatabase();
  targets.push(target);
  const backup = await checkBackup(file, openKeys(api.service.config));
  await restoreBackup({ config: target.config(), ownerUrl: target.url, login: target.url }, backup);
  const ctx = { ...openContext(target.config(), target.url, { poolMax: 2, isWalled: false }), cipher: api.service.cipher };
  try {
    const left = async () => {
      const [row] = await ctx.sql<Record<string, number[]>[]>`
        select (select coalesce(array_agg(row_number order by row_number), '{}') from jobs where batch_id = ${parseId('bat', batch.id)}) as rows,
          (select coalesce(array_agg(row_number), '{}') from invalid_rows where batch_id = ${parseId('bat', batch.id)}) as invalid,
          array[(select count(*)::int from jobs where id = ${parseId('job', jobs[0]!)}), (select count(*)::int from jobs where id = ${parseId('job', jobs[1]!)}),
            (select count(*)::int from aml_monitors), (select count(*)::int from cache_records)] as counts`;
      return row!;
    };
    expect(await left()).toEqual({ rows: [1, 2, 3], invalid: [4], counts: [1, 1, 1, expect.any(Number)] });
    const cached = (await left()).counts![3]!;
    expect(await repeatErasures(ctx, journal)).toBe(2);
    await markRows(ctx, never, { restless: true });
    await advanceErasures(ctx, never);
    expect(await left()).toEqual({ rows: [2], invalid: [], counts: [0, 1, 0, cached - 1] });
    const [repeated] = await ctx.sql<
      { receipt: string; counts: object; marks: unknown }[]
    >`select * from erasures where id = ${parseId('ers', id)}`;
    expect(JSON.parse(repeated!.receipt)).toMatchObject({ erasure: id, identifiers: ['nin', 'person'], repeated_after_restore: true });
    expect(repeated!.counts).toMatchObject(erasure.counts);
    expect(repeated!.marks).toBeNull();
    const recorded = await ctx.sql<{ actor: string; detail: string }[]>`
      select actor_kind || ' ' || actor_id as actor, detail from audit_entries where action = 'subject.erase' and object = ${id}`;
    expect(recorded.map(({ actor, detail }) => [actor, JSON.parse(detail)])).toEqual([
      ['system restore', { types: ['nin', 'person'], repeated: true }],
    ]);
    // Again: nothing is left to do.
    expect(await repeatErasures(ctx, journal)).toBe(0);
  } finally {
    await ctx.close();
  }
});

test('a line that was altered, or that another deployment has signed, is refused with its number', async () => {
  const altered = join(folder, 'altered.jsonl');
  const [line] = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(altered, `${line}\n${line!.replace('test', 'live')}\n${line}\n`);
  await expect(repeatErasures(api.service, altered)).rejects.toThrow('line 2 is not one that this deployment has signed');
  // The last one too, unless it is unfinished.
  writeFileSync(altered, `${line}\n${line!.replace('test', 'live')}\n`);
  await expect(repeatErasures(api.service, altered)).rejects.toThrow('line 2 is not one that this deployment has signed');
  await expect(repeatErasures(api.service, join(folder, 'none'))).rejects.toThrow('cannot be read: ENOENT');
});
