/** The credit check over HTTP: shape, partial answers, what is billed, refusals, and the bounds of the score. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricNames, metricsOf, type Report } from '../src/engines/credit/report.ts';
import { scoreOf } from '../src/engines/credit/score.ts';
import { ninOfBvn } from '../src/providers/sandbox/numbers.ts';
import { personOf } from '../src/providers/sandbox/people.ts';
import { type BatchEntity, startApi, type TestApi } from './setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  expect(await api.drift()).toBe(0);
  await api.stop();
});

interface CreditEntity {
  score: Record<string, unknown> & { bureauStatus: Record<string, string>; aggregateScore: number | null };
}

const BVN = '22222222222';
const PHONE = '09011111111';
const phoneOf = (bvn: string) => personOf(ninOfBvn(bvn)).phone;
const path = (bvn: string, phone = phoneOf(bvn)) => `/api/v1/credit/bvn?bvn=${bvn}&phone_number=${encodeURIComponent(phone)}`;

describe('a credit call', () => {
  test('answers in the published shape, live and then cached, the same both times', async () => {
    const app = await api.createApp();
    const first = await app.get<CreditEntity>(path(BVN, PHONE));
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({ billed_amount: 250, cached: false, meta: { service: 'credit_bvn' } });
    const { score } = first.body.entity;
    for (const metric of metricNames) {
      for (const { value } of score[metric] as { value: unknown }[]) expect(value).toBeTypeOf('number');
    }
    const again = await app.get<CreditEntity>(path(BVN, '+2349011111111'));
    expect(again.body).toMatchObject({ billed_amount: 100, cached: true });
    expect(again.body.entity).toEqual(first.body.entity);
  });

  test.each(['2349011111111', '+234 901 111 1111'])('takes the phone number as %s', async (phone) => {
    const app = await api.createApp();
    expect((await app.get(path(BVN, phone))).status).toBe(200);
  });

  test('with one or two bureaus down is a partial answer; the next asks only those, and costs the cached price', async () => {
    const app = await api.createApp();
    const one = await app.get<CreditEntity>(path('00000000010'));
    expect(one.body.billed_amount).toBe(250);
    expect(one.body.entity.score.bureauStatus.crc).toBe('unavailable');
    const two = await app.get<CreditEntity>(path('00000000011'));
    expect(two.status).toBe(200);
    expect(two.body.entity.score.bureauStatus).toMatchObject({ crc: 'unavailable', firstCentral: 'unavailable' });
    const again = await app.get<CreditEntity>(path('00000000010'));
    expect(again.body).toMatchObject({ billed_amount: 100, cached: true, entity: { score: { bureauStatus: { crc: 'unavailable' } } } });
  });

  test('with all bureaus down is 424, a stranger 404, another phone 422: all free', async () => {
    const app = await api.createApp();
    const before = await app.wallet();
    expect((await app.get(path('00000000012'))).status).toBe(424);
    expect((await app.get(path('00000000001'))).status).toBe(404);
    const mismatch = await app.get(path(BVN, '08031234567'));
    expect(mismatch.status).toBe(422);
    expect(mismatch.text).toContain('subject_mismatch');
    expect(mismatch.text).not.toContain(PHONE);
    expect(await app.wallet()).toEqual(before);
  });

  test('without a file anywhere says so and has no score', async () => {
    const app = await api.createApp();
    const { body } = await app.get<CreditEntity>(path('00000000013'));
    expect(body.entity.score).toMatchObject({
      bureauStatus: { crc: 'no_record', firstCentral: 'no_record', creditRegistry: 'no_record' },
      aggregateScore: null,
    });
  });

  test.each([
    ['bvn=2222222222&phone_number=09011111111', 'bvn'],
    ['phone_number=09011111111', 'bvn'],
    [`bvn=${BVN}`, 'phone_number'],
    [`bvn=${BVN}&phone_number=`, 'phone_number'],
    [`bvn=${BVN}&phone_number=012345678`, 'phone_number'],
    [`bvn=${BVN}&phone_number=%2B447911123456`, 'phone_number'],
    [`bvn=${BVN}&phone_number=${'0'.repeat(1000)}`, 'phone_number'],
  ])('refuses %s', async (query, field) => {
    const app = await api.createApp();
    const { status, text } = await app.get(`/api/v1/credit/bvn?${query}`);
    expect(status).toBe(400);
    expect(text).toContain(`"path":"${field}"`);
  });
});

test('a batch bills the row that matches and fails the other one', async () => {
  const app = await api.createApp();
  const made = await app.csv('checks=credit_bvn', `bvn,phone_number\n${BVN},${PHONE}\n${BVN},08031234567\n`);
  expect(made.status, made.text).toBe(202);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  expect(batch).toMatchObject({ counts: { completed: 1, failed: 1 }, billed_amount: 250 });
});

test('the score stays within 300 to 850 and is the same for the same file', () => {
  const amount = fc.nat(1_000_000_000);
  const loan = fc.record({
    loanProvider: fc.string(),
    accountNumber: fc.string(),
    loanAmount: amount,
    outstandingBalance: amount,
    overdueAmount: amount,
    monthlyInstallment: amount,
    daysOverdue: fc.nat(5_000),
    isClosed: fc.boolean(),
    type: fc.string(),
    durationMonths: fc.nat(400),
    repaymentFrequency: fc.constant('Monthly'),
    repaymentBehavior: fc.string(),
    paymentProfile: fc.string(),
    dateAccountOpened: fc.constant('2024-01-01'),
    lastUpdatedAt: fc.constant('2025-01-01'),
  });
  fc.assert(
    fc.property(fc.array(loan), (loans) => {
      const report: Report = {
        source: 'CRC',
        score: null,
        metrics: metricsOf(loans),
        loans,
        enquiries: [],
        enquiriesSummary: null,
        creditors: [],
      };
      const { value } = scoreOf([report]);
      expect(value).toBeGreaterThanOrEqual(300);
      expect(value).toBeLessThanOrEqual(850);
      expect(scoreOf([report]).value).toBe(value);
    }),
  );
});
