/** The catalogue of checks: its inputs are enough for a form, and its samples answer what they say. */
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { checks } from '../../src/checks/catalog.ts';
import type { checkAnswer } from '../../src/contract/checks.ts';
import { type Client, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

type Shown = z.infer<typeof checkAnswer>;

const api = useApi({ CONFAM_SYNC_WAIT_MS: '50' });

const listed = async (by: Client): Promise<Shown[]> => (await by.get<{ data: Shown[] }>('/api/v1/checks')).body.entity.data;

const call = (by: Client, { method, path }: Shown, input: Record<string, string>) =>
  method === 'GET' ? by.get(`${path}?${new URLSearchParams(input)}`) : by.post(path, input);

test('each check is listed with inputs that a form can ask for', async () => {
  const app = await api.createApp();
  const shown = await listed(app);
  expect(shown.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  const of = (id: string, name: string) => shown.find((check) => check.id === id)!.inputs.find((input) => input.name === name);
  expect(of('nin_basic', 'nin')).toMatchObject({ form: 'digits', required: true, example: '70123456789' });
  expect(of('cac_basic', 'company_type')).toMatchObject({ form: 'choice', required: false, choices: expect.arrayContaining(['COMPANY']) });
  expect(of('nin_verify', 'selfie_image')).toMatchObject({ form: 'image', required: true, example: null });
  expect(of('nin_verify', 'threshold')!.form).toBe('number');
  expect(of('bvn_match', 'dob')!.form).toBe('date');
  expect(of('address', 'utility_bill')!.form).toBe('long_text');
  const live = await listed(app.live);
  expect(live.flatMap(({ samples }) => samples)).toEqual([]);
  expect(live.find(({ id }) => id === 'nin_basic')!.available).toBe(false);
  expect(shown.find(({ id }) => id === 'nin_basic')!.available).toBe(true);
});

test('a key that is restricted to some checks is shown only those', async () => {
  const app = await api.createApp();
  const path = `/api/v1/admin/apps/${app.app}/keys`;
  const { key } = (await api.admin.post<{ key: string }>(path, { mode: 'test', checks: ['nin_basic', 'aml_screening'] })).body.entity;
  const shown = (await app.get<{ data: Shown[] }>('/api/v1/checks', { Authorization: key })).body.entity.data;
  expect(shown.map(({ id }) => id)).toEqual(['nin_basic', 'aml_screening']);
});

test('each sample answers what its label says', async () => {
  const app = await api.createApp();
  const shown = (await listed(app)).filter(({ inputs }) => inputs.every(({ form }) => form !== 'image'));
  // The first screening after a start waits for its index.
  await waitFor('the lists', async () => (await app.post('/api/v1/aml/screening', { name: 'Ada Obi' })).status === 200);
  const slow = 'Found, after three seconds';
  const tried = shown.flatMap((check) => check.samples.filter(({ label }) => label !== slow).map((sample) => ({ check, sample })));
  const answers = await Promise.all(
    tried.map(async ({ check, sample }) => ({ check, sample, answer: await call(app, check, sample.input) })),
  );
  for (const { check, sample, answer } of answers) {
    const told = `${check.id}, ${sample.label}: ${answer.text.slice(0, 200)}`;
    if (/ down|Nobody answers/.test(sample.label) && !sample.label.startsWith('One'))
      expect(answer.status, told).toBeGreaterThanOrEqual(424);
    else if (/^Not on record|^No file/.test(sample.label)) expect(answer.body.code, told).toBe('record_not_found');
    else if (sample.label.startsWith('The phone number')) expect(answer.body.code, told).toBe('subject_mismatch');
    else expect(answer.status, told).toBe(200);
  }
  const risk = (label: string) => answers.find(({ sample }) => sample.label === label)!.answer.body.entity.risk_level;
  expect([risk('On a sanctions list'), risk('Clear')]).toEqual([expect.stringMatching(/HIGH|CRITICAL/), 'LOW']);
});
