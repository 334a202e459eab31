/** The credit check: shape, partial answers, which bureaus are asked, what is billed, refusals, and the bounds of the score. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCheck } from '../../src/checks/catalog.ts';
import { localPhone, normalizePhone } from '../../src/checks/phone.ts';
import type { RecordKind } from '../../src/checks/provider.ts';
import { readCrc } from '../../src/engines/credit/crc.ts';
import { readCreditRegistry } from '../../src/engines/credit/credit-registry.ts';
import { readFirstCentral } from '../../src/engines/credit/first-central.ts';
import { mergeReports } from '../../src/engines/credit/merge.ts';
import { metricsOf, type Report } from '../../src/engines/credit/report.ts';
import { scoreOf } from '../../src/engines/credit/score.ts';
import { readWallet } from '../../src/money/ledger.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { crcRegistry, creditRegistryRegistry, firstCentralRegistry } from '../../src/sandbox/bureaus.ts';
import { ninOfBvn } from '../../src/sandbox/numbers.ts';
import { personOf } from '../../src/sandbox/people.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { type BatchEntity, type JobEntity, useApi } from '../setup/api.ts';
import { createDatabase } from '../setup/database.ts';
import { type Bench, makeOwner, openBench } from '../setup/work.ts';

const api = useApi();

interface CreditEntity {
  score: Record<string, unknown> & { bureauStatus: Record<string, string>; aggregateScore: number | null };
}

const BVN = '22222222222';
const PHONE = '09011111111';
const phoneOf = (bvn: string) => personOf(ninOfBvn(bvn)).phone;
const path = (bvn: string, phone = phoneOf(bvn)) => `/api/v1/credit/bvn?bvn=${bvn}&phone_number=${encodeURIComponent(phone)}`;

/** The persona's file: one loan, known to CRC and FirstCentral. */
const both = (value: unknown) => [
  { source: 'CRC', value },
  { source: 'FIRST_CENTRAL', value },
];
const date = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
const points = expect.stringMatching(/^\d+\/\d+$/);
const loan = {
  loanProvider: 'Trial Cooperative',
  accountNumber: '1528461865',
  loanAmount: 20_000,
  outstandingBalance: 4_200,
  overdueAmount: 2_100,
  monthlyInstallment: 666.67,
  status: 'open',
  performanceStatus: 'delinquent',
  type: 'Personal loan',
  loanDuration: 30,
  repaymentFrequency: 'Monthly',
  repaymentBehavior: 'Has stopped paying',
  paymentProfile: '999999876543210000000000',
  dateAccountOpened: '2022-11-14',
  lastUpdatedAt: '2025-12-31',
};
const enquiry = { loanProvider: expect.any(String), reason: 'Loan application', date, contactPhone: expect.stringMatching(/^\d{11}$/) };
const published = {
  bvn: BVN,
  name: 'Morenike Precious Durojaiye',
  dateOfBirth: '1991-04-17',
  gender: 'Female',
  phone: PHONE,
  email: expect.stringContaining('@'),
  address: expect.any(String),
  score: {
    bureauStatus: { crc: 'success', firstCentral: 'success', creditRegistry: 'no_record' },
    aggregateScore: 450,
    reasons: ['Delinquent loans', 'Days overdue on a loan', 'Few loans on file', 'Many credit enquiries'],
    bureauScores: [
      { source: 'CRC', value: { score: 420, rating: 'POOR' } },
      { source: 'FIRST_CENTRAL', value: { score: 527, rating: 'MEDIUM RISK' } },
    ],
    crc: {
      ficoScore: { score: 420, rating: 'POOR', reasons: ['An account is overdue'] },
      hasLoans: 'YES',
      lastReportedDate: '2025-12-31',
      crcReportOrderNumber: expect.stringMatching(/^W-\d{10}\/2025$/),
    },
    firstCentral: {
      totalConsumerScore: '527',
      description: 'MEDIUM RISK',
      repaymentHistoryScore: '0/192',
      totalAmountOwedScore: '130/165',
      typesOfCreditScore: points,
      lengthOfCreditHistoryScore: points,
      noOfAcctScore: points,
      totalAccounts: '1',
      totalaccountinGoodcondition: '0',
      totalaccountinBadcondition: '1',
      totalOutstandingDebt: '4,200.00',
      totalAmountOverdue: '2,100.00',
      firstCentralEnquiryResultID: expect.stringMatching(/^\d+$/),
      scoreDate: '2025-12-31',
    },
    totalNoOfLoans: both(1),
    totalNoOfActiveLoans: both(1),
    totalNoOfClosedLoans: both(0),
    totalNoOfPerformingLoans: both(0),
    totalNoOfInstitutions: both(1),
    totalNoOfDelinquentFacilities: both(1),
    totalNoOfOverdueAccounts: both(1),
    maxNoOfDays: both(400),
    totalBorrowed: both(20_000),
    totalOutstanding: both(4_200),
    totalOverdue: both(2_100),
    highestLoanAmount: both(20_000),
    totalMonthlyInstallment: both(666.67),
    creditors: both([
      { Name: 'Trial Cooperative', Phone: '07000000006', Address: '6 Sandbox Close, Ikeja, Lagos', Subscriber_ID: 'SANDBOX-6' },
    ]),
    creditEnquiries: both([enquiry, enquiry, enquiry, enquiry]),
    creditEnquiriesSummary: both({ Last3MonthCount: '1', Last12MonthCount: '2', Last36MonthCount: '4' }),
    loanPerformance: both([loan]),
    loanHistory: both([loan]),
  },
};

describe('a credit call', () => {
  test("also accepts the record's second phone number", async () => {
    const app = await api.createApp();
    const bvn = Array.from({ length: 100 }, (_, i) => String(22_200_000_000 + i)).find((number) => personOf(ninOfBvn(number)).secondPhone)!;
    const { status, body } = await app.get(path(bvn, personOf(ninOfBvn(bvn)).secondPhone));
    expect({ status, phone: body.entity.phone }).toEqual({ status: 200, phone: personOf(ninOfBvn(bvn)).secondPhone });
  });

  test('answers in the published shape, live and then cached, identically', async () => {
    const app = await api.createApp();
    const first = await app.get<CreditEntity>(path(BVN, PHONE));
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({ billed_amount: 250, cached: false, meta: { service: 'credit_bvn' } });
    expect(first.body.entity).toEqual(published);
    const again = await app.get<CreditEntity>(path(BVN, '+2349011111111'));
    expect(again.body).toMatchObject({ billed_amount: 100, cached: true });
    expect(again.body.entity).toEqual(first.body.entity);
  });

  test.each(['2349011111111', '+234 901 111 1111'])('takes the phone number as %s', async (phone) => {
    const app = await api.createApp();
    expect((await app.get(path(BVN, phone))).status).toBe(200);
  });

  test('with one or two bureaus down is a partial answer that costs a third for each bureau that answered', async () => {
    const app = await api.createApp();
    const one = await app.get<CreditEntity>(path('00000000010'));
    expect(one.body.billed_amount).toBe(166.67);
    expect(one.body.entity.score.bureauStatus.crc).toBe('unavailable');
    const two = await app.get<CreditEntity>(path('00000000015'));
    expect(two.body).toMatchObject({ status: 'success', billed_amount: 83.33, cached: false });
    expect(two.body.entity.score.bureauStatus).toMatchObject({ crc: 'unavailable', firstCentral: 'unavailable' });
    const again = await app.get<CreditEntity>(path('00000000010'));
    expect(again.body).toMatchObject({ billed_amount: 66.67, cached: true, entity: { score: { bureauStatus: { crc: 'unavailable' } } } });
  });

  test('with all bureaus down is 424, a stranger 404, another phone 422: all free', async () => {
    const app = await api.createApp();
    const before = await app.wallet();
    const down = await app.get(path('00000000012'));
    expect(down).toMatchObject({ status: 424, body: { code: 'provider_failed' } });
    expect((await app.get(path('00000000001'))).status).toBe(404);
    const mismatch = await app.get(path(BVN, '08031234567'));
    expect(mismatch.status).toBe(422);
    expect(mismatch.text).toContain('subject_mismatch');
    expect(mismatch.text).not.toContain(PHONE);
    expect(await app.wallet()).toEqual(before);
  });

  test.each([
    ['00000000013', 'No credit bureau has a file for this bvn'],
    ['00000000011', 'No credit bureau that answered has a file for this bvn; CRC and FirstCentral did not answer'],
  ])('without a file at any bureau is 404 and free, however often repeated: %s', async (bvn, error) => {
    const app = await api.createApp();
    const before = await app.wallet();
    for (let time = 0; time < 3; time++) expect((await app.get(path(bvn))).body).toMatchObject({ code: 'record_not_found', error });
    const job = (await app.job({ check: 'credit_bvn', input: { bvn, phone_number: phoneOf(bvn) } })).body.entity;
    expect(await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).toMatchObject({ outcome: 'not_found', billed_amount: 0, result: null });
    expect(await app.wallet()).toEqual(before);
  });

  test('costs the same in a batch as alone', async () => {
    const app = await api.createApp();
    const rows = ['00000000010', '00000000011', '00000000013', '00000000015', BVN].map((bvn) => `${bvn},${phoneOf(bvn)}`);
    const made = (await app.csv('checks=credit_bvn', `bvn,phone_number\n${rows.join('\n')}\n`)).body.entity;
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.id}`);
    expect(batch).toMatchObject({ counts: { found: 3, not_found: 2 }, hold_amount: 1_250, billed_amount: 166.67 + 83.33 + 250 });
  });

  test('is listed at its lower price when it costs less', async () => {
    const app = await api.createApp();
    const { data } = (await app.get<{ data: Record<string, unknown>[] }>('/api/v1/prices')).body.entity;
    expect(data.filter(({ price_rule }) => price_rule).map(({ check, price, price_rule }) => [check, price, price_rule])).toEqual([
      ['credit_bvn', 250, expect.stringContaining('a third')],
    ]);
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

test('a batch bills the matching row and fails the other', async () => {
  const app = await api.createApp();
  const made = await app.csv('checks=credit_bvn', `bvn,phone_number\n${BVN},${PHONE}\n${BVN},08031234567\n`);
  expect(made.status, made.text).toBe(202);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  expect(batch).toMatchObject({ counts: { completed: 1, failed: 1 }, billed_amount: 250 });
  const jobs = await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${made.body.entity.id}/jobs`);
  const refused = jobs.body.entity.data.find(({ row }) => row === 2);
  expect(refused).toMatchObject({ status: 'failed', billed_amount: 0, error: { code: 'subject_mismatch' } });
});

test('a job with all bureaus down is retried, then failed, and not billed', async () => {
  const app = await api.createApp();
  const before = await app.wallet();
  const input = { bvn: '00000000012', phone_number: phoneOf('00000000012') };
  const made = await app.job({ check: 'credit_bvn', input });
  const job = await app.ended<JobEntity>(`/api/v1/jobs/${made.body.entity.id}`);
  expect(job).toMatchObject({ status: 'failed', billed_amount: 0, error: { code: 'provider_failed' } });
  expect(job.attempts).toBe(api.service.config.CONFAM_JOB_FAILURES_MAX);
  expect(await app.wallet()).toEqual(before);
});

describe('bureaus that are separate providers', () => {
  const BUREAUS = ['credit_crc', 'credit_first_central', 'credit_registry'] as const;

  /** A service with a registry and one provider for each bureau; `calls` returns the calls since it was last called. */
  async function openBureaus(work: (world: Awaited<ReturnType<typeof bureaus>>) => Promise<void>) {
    const database = await createDatabase();
    const world = await bureaus(database);
    try {
      await work(world);
    } finally {
      await world.bench.service.close();
      await database.drop();
    }
  }

  async function bureaus(database: Awaited<ReturnType<typeof createDatabase>>) {
    const latencyMs: Partial<Record<RecordKind, number>> = {};
    const [registry, crc, firstCentral, creditRegistry] = [['bvn'] as const, ...BUREAUS.map((kind) => [kind] as const)].map((kinds) =>
      createSandbox({ name: kinds[0], kinds, latencyMs, faults: { mode: 'ok' } }),
    ) as [ReturnType<typeof createSandbox>, ...ReturnType<typeof createSandbox>[]];
    const providers = [registry, crc!, firstCentral!, creditRegistry!];
    const bench: Bench = await openBench(database, { providers });
    const owner = await makeOwner(bench.service, 10_000);
    const call = (bvn: string) => answerCall(bench.service, owner, findCheck('credit_bvn')!, { bvn, phone_number: phoneOf(bvn) });
    const calls = () => providers.map(({ calls: { total } }) => total);
    const spent = async () => {
      const { availableKobo, heldKobo } = await readWallet(bench.service.sql, owner);
      return { kobo: 10_000_00 - availableKobo, heldKobo };
    };
    const statusOf = (entity: Record<string, unknown>) => (entity as unknown as CreditEntity).score.bureauStatus;
    return { bench, crc: crc!, firstCentral: firstCentral!, latencyMs, call, calls, spent, statusOf };
  }

  test('the next call asks only the missing bureau, and pays for it in full and for the rest at the cached price', () =>
    openBureaus(async ({ crc, call, calls, spent, statusOf }) => {
      crc.faults.mode = 'down';
      const partial = await call(BVN);
      expect(partial).toMatchObject({ billedKobo: 166_67, cached: false });
      expect(statusOf(partial.entity)).toEqual({ crc: 'unavailable', firstCentral: 'success', creditRegistry: 'no_record' });
      expect(calls()).toEqual([1, 1, 1, 1]);

      // Still down: nothing new was learned, so two thirds of the cached price are charged.
      expect(await call(BVN)).toMatchObject({ billedKobo: 66_67, cached: true });
      expect(calls()).toEqual([1, 2, 1, 1]);
      expect(await spent()).toEqual({ kobo: 233_34, heldKobo: 0 });

      crc.faults.mode = 'ok';
      const complete = await call(BVN);
      expect(complete).toMatchObject({ billedKobo: 150_00, cached: false, entity: published });
      expect(calls()).toEqual([1, 3, 1, 1]);
      expect(await call(BVN)).toMatchObject({ billedKobo: 100_00, cached: true, entity: published });
      expect(calls()).toEqual([1, 3, 1, 1]);
      expect(await spent()).toEqual({ kobo: 483_34, heldKobo: 0 });
    }));

  test('is an answer from the cache if all bureaus are, even if the BVN was looked up', () =>
    openBureaus(async ({ bench, call, calls }) => {
      await call(BVN);
      await bench.service.sql`delete from cache_records where provider = 'bvn'`;
      expect(await call(BVN)).toMatchObject({ billedKobo: 100_00, cached: true });
      expect(calls()).toEqual([2, 1, 1, 1]);
      expect(await bench.service.sql`select sum(cached)::int as cached from usage_days where check_id = 'credit_bvn'`).toEqual([
        { cached: 1 },
      ]);
    }));

  test('a bureau whose record cannot be read counts as failed and is asked again', () =>
    openBureaus(async ({ crc, call, calls, statusOf }) => {
      const lookup = crc.lookup;
      Object.assign(crc, {
        lookup: async (request: Parameters<typeof lookup>[0]) => ({ ...(await lookup(request)), record: { facilities: 'none' } }),
      });
      expect(statusOf((await call(BVN)).entity).crc).toBe('unavailable');
      Object.assign(crc, { lookup });
      expect(statusOf((await call(BVN)).entity).crc).toBe('success');
      expect(calls()).toEqual([1, 2, 1, 1]);
    }));

  test('ten concurrent calls for one BVN ask each bureau once, and only one pays for the look-up', () =>
    openBureaus(async ({ latencyMs, call, calls, spent }) => {
      Object.assign(latencyMs, { bvn: 20, credit_crc: 60, credit_first_central: 20 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => call(BVN)));
      expect(calls()).toEqual([1, 1, 1, 1]);
      expect(answers.filter(({ cached }) => !cached)).toHaveLength(1);
      expect(await spent()).toEqual({ kobo: 250_00 + 9 * 100_00, heldKobo: 0 });
    }));

  test('a look-up in progress is shared, even with a call that had just failed at the same bureau', () =>
    openBureaus(async ({ crc, latencyMs, call, calls }) => {
      const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      crc.faults.mode = 'down';
      latencyMs.credit_first_central = 400;
      const first = call(BVN);
      await later(150);
      crc.faults.mode = 'ok';
      latencyMs.credit_crc = 1_000;
      const second = call(BVN);
      await first;
      await later(50);
      await Promise.all([second, call(BVN)]);
      expect(calls()).toEqual([1, 2, 1, 1]);
    }));

  test('a call waits no longer than a quarter of a second for a paused bureau', () =>
    openBureaus(async ({ crc, call, statusOf }) => {
      Object.assign(crc.faults, { mode: 'rate_limited', retryAfterMs: 3_000 });
      await call(BVN);
      crc.faults.mode = 'ok';
      const started = performance.now();
      const { entity } = await call('22222222223');
      expect(performance.now() - started).toBeLessThan(1_000);
      expect(statusOf(entity).crc).toBe('unavailable');
    }));
});

describe('the sandbox bureaus', () => {
  const bvns = fc.nat(99_999_999_999).map((number) => String(number).padStart(11, '0'));
  const reportsOf = (bvn: string) => ({
    CRC: read(crcRegistry.record(bvn), readCrc),
    FIRST_CENTRAL: read(firstCentralRegistry.record(bvn), readFirstCentral),
    CREDIT_REGISTRY: read(creditRegistryRegistry.record(bvn), readCreditRegistry),
  });
  const read = (record: Record<string, unknown> | null, reader: (record: Record<string, unknown>) => Report) =>
    record ? reader(record) : ('no_record' as const);

  test('give every BVN one score from 300 to 850, or null without a file, and agree on shared loans', () => {
    fc.assert(
      fc.property(bvns, (bvn) => {
        const reports = reportsOf(bvn);
        const merged = mergeReports(reports);
        expect(mergeReports(reportsOf(bvn))).toEqual(merged);
        const { aggregateScore } = merged;
        const files = Object.values(reports).filter((report) => report !== 'no_record');
        if (files.length === 0) expect(aggregateScore).toBeNull();
        else {
          expect(aggregateScore).toBeGreaterThanOrEqual(300);
          expect(aggregateScore).toBeLessThanOrEqual(850);
        }
        const seen = new Map<string, unknown>();
        for (const loan of files.flatMap(({ loans }) => loans ?? [])) {
          const known = seen.get(loan.accountNumber);
          if (known) expect(loan).toEqual(known);
          seen.set(loan.accountNumber, loan);
        }
        const { CRC, FIRST_CENTRAL } = reports;
        if (CRC !== 'no_record' && FIRST_CENTRAL !== 'no_record') {
          expect(CRC.enquiries).toEqual(FIRST_CENTRAL.enquiries);
          expect(CRC.enquiriesSummary).toEqual(FIRST_CENTRAL.enquiriesSummary);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('hold files of people whose recorded phone number is accepted as it stands', () => {
    fc.assert(
      fc.property(bvns, (bvn) => {
        expect(localPhone(normalizePhone(phoneOf(bvn)) ?? '')).toBe(phoneOf(bvn));
      }),
      { numRuns: 1_000 },
    );
  });

  test('have no file for one person in eight', () => {
    const without = Array.from({ length: 4_000 }, (_, i) => String(22_000_000_000 + i * 7_919)).filter((bvn) =>
      Object.values(reportsOf(bvn)).every((report) => report === 'no_record'),
    );
    expect(without.length / 4_000).toBeCloseTo(1 / 8, 1);
  });
});

test('a file with only counts is scored by its counts', () => {
  const counts = (delinquentAccounts: number, accounts = 4) =>
    scoreOf([readCreditRegistry({ accounts, openAccounts: accounts, closedAccounts: 0, lenders: 1, delinquentAccounts })]);
  expect(counts(0)).toEqual({ value: 850, reasons: [] });
  // 40 and 10 points are possible: half of the first and all of the second.
  expect(counts(2)).toEqual({ value: 300 + 550 * 0.6, reasons: ['Delinquent loans'] });
  expect(counts(0, 1)).toEqual({ value: Math.round(300 + 550 * 0.85), reasons: ['Few loans on file'] });
  expect(scoreOf([])).toEqual({ value: null, reasons: ['No credit data available for this borrower'] });
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
