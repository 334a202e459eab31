/** Credit history and score of a BVN holder from three bureaus, which are asked in parallel. If a bureau fails, the answer is partial. */
import { z } from 'zod';
import { readCrc } from '../engines/credit/crc.ts';
import { readCreditRegistry } from '../engines/credit/credit-registry.ts';
import { readFirstCentral } from '../engines/credit/first-central.ts';
import { type BureauAnswers, creditScore, mergeReports } from '../engines/credit/merge.ts';
import { type Report, type Source, sources, UnreadableReport } from '../engines/credit/report.ts';
import { CheckRefusal, defineCheck, type Lookup, type Parts, project } from './check.ts';
import { elevenDigits } from './inputs.ts';
import { localPhone, mobileNumber, normalizePhone } from './phone.ts';
import { ProviderFailure, ProviderUnavailable, type RecordKind } from './provider.ts';

/** Only the advance tier of the BVN record has the address and the second phone number. */
const BVN_TIER = 2;
const BUREAU_TIER = 1;
const BUREAUS = { credit_crc: BUREAU_TIER, credit_first_central: BUREAU_TIER, credit_registry: BUREAU_TIER };
/** A bureau that is paused for longer is left out of the answer. */
const BUREAU_WAIT_MAX_MS = 250;

const holder = z.object({
  first_name: z.string(),
  middle_name: z.string(),
  last_name: z.string(),
  date_of_birth: z.string(),
  gender: z.string(),
  email: z.string(),
  residential_address: z.string(),
  phone_number1: z.string(),
  phone_number2: z.string(),
});

export const creditChecks = [
  defineCheck({
    id: 'credit_bvn',
    family: 'credit',
    summary: 'Credit history and score aggregated from three bureaus',
    path: '/api/v1/credit/bvn',
    input: z.object({
      bvn: elevenDigits('Bank verification number'),
      phone_number: mobileNumber.describe('A mobile number of the BVN record: 080…, 23480… or +23480…'),
    }),
    entity: z.object({
      bvn: z.string(),
      name: z.string(),
      dateOfBirth: z.string().describe('YYYY-MM-DD'),
      gender: z.string(),
      phone: z.string(),
      email: z.string(),
      address: z.string(),
      score: creditScore,
    }),
    priceKobo: 250_00,
    cachedPriceKobo: 100_00,
    priceRule: 'Each bureau that answers costs a third of the price, even if it has no file; if no bureau has a file, the call is free',
    needs: { all: { bvn: BVN_TIER }, any: BUREAUS },
    entityIsRecord: false,
    subject: (input) => input.bvn,
    async run({ bvn, phone_number }, lookup) {
      // Before the bureaus: a caller who does not know the phone number causes no enquiry at a bureau.
      const answer = await lookup('bvn', BVN_TIER, bvn, { onlyWith: { any: BUREAUS, waitMaxMs: BUREAU_WAIT_MAX_MS } });
      if (!answer.found) return answer;
      const person = project(holder, answer.record);
      if (![person.phone_number1, person.phone_number2].some((onRecord) => normalizePhone(onRecord) === phone_number)) {
        throw new CheckRefusal('The phone_number does not match the BVN record; nothing was charged');
      }
      const { answers, parts } = await askBureaus(bvn, lookup);
      if (!sources.some((source) => typeof answers[source] === 'object')) return { found: false, detail: noFile(answers) };
      return {
        found: true,
        parts,
        entity: {
          bvn,
          name: [person.first_name, person.middle_name, person.last_name].filter(Boolean).join(' '),
          dateOfBirth: person.date_of_birth,
          gender: person.gender,
          phone: localPhone(phone_number),
          email: person.email,
          address: person.residential_address,
          score: mergeReports(answers),
        },
      };
    },
  }),
];

const BUREAU_NAMES: Record<Source, string> = { CRC: 'CRC', FIRST_CENTRAL: 'FirstCentral', CREDIT_REGISTRY: 'CreditRegistry' };

/** States that there is no file, and names the bureaus that did not answer. */
function noFile(answers: BureauAnswers): string {
  const silent = sources.filter((source) => answers[source] === 'unavailable').map((source) => BUREAU_NAMES[source]);
  if (silent.length === 0) return 'No credit bureau has a file for this bvn';
  return `No credit bureau that answered has a file for this bvn; ${silent.join(' and ')} did not answer`;
}

/** Throws the first bureau's failure if all three fail, and any error that is not a bureau's failure (no funds). */
async function askBureaus(bvn: string, lookup: Lookup): Promise<{ answers: BureauAnswers; parts: Parts }> {
  const failures: unknown[] = [];
  const parts: Parts = { of: sources.length, asked: 0, cached: 0 };

  const ask = async (
    kind: RecordKind,
    read: (record: Record<string, unknown>) => Report,
  ): Promise<Report | 'no_record' | 'unavailable'> => {
    let part: 'asked' | 'cached' = 'asked';
    const onAnswer = (source: 'provider' | 'cache') => {
      part = source === 'cache' ? 'cached' : 'asked';
    };
    try {
      const answer = await lookup(kind, BUREAU_TIER, bvn, { waitMaxMs: BUREAU_WAIT_MAX_MS, read, onAnswer });
      const report = answer.found ? read(answer.record) : 'no_record';
      parts[part]++;
      return report;
    } catch (error) {
      failures.push(error);
      return 'unavailable';
    }
  };
  const [CRC, FIRST_CENTRAL, CREDIT_REGISTRY] = await Promise.all([
    ask('credit_crc', orSurprise(readCrc)),
    ask('credit_first_central', orSurprise(readFirstCentral)),
    ask('credit_registry', orSurprise(readCreditRegistry)),
  ]);
  const other = failures.find((error) => !(error instanceof ProviderFailure || error instanceof ProviderUnavailable));
  if (other) throw other;
  if (failures.length === 3) throw worthRetrying(failures);
  return { answers: { CRC, FIRST_CENTRAL, CREDIT_REGISTRY }, parts };
}

/** A report that cannot be read is a surprise, as from any vendor. */
const orSurprise =
  (read: (record: Record<string, unknown>) => Report) =>
  (record: Record<string, unknown>): Report => {
    try {
      return read(record);
    } catch (error) {
      throw error instanceof UnreadableReport ? new ProviderFailure('surprise') : error;
    }
  };

/** Leaves out a bureau that is not configured: it says nothing about whether a retry helps. */
const worthRetrying = (failures: unknown[]) =>
  failures.find((error) => !(error instanceof ProviderFailure && error.code === 'not_configured')) ?? failures[0];
