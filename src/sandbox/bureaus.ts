/**
 * Three credit bureaus, each in its own raw format, over the same invented loans of the BVN's holder. Each loan is known to some of them, so they agree where
 * they overlap. One person in eight has no loans and no file.
 */
import type { Script } from './faults.ts';
import { ninOfBvn } from './numbers.ts';
import { OWN_SLOTS, type Person, personOf } from './people.ts';
import type { Registry } from './registry.ts';

type BureauName = 'crc' | 'firstCentral' | 'registry';

interface InventedLoan {
  lender: string;
  account: string;
  type: string;
  amount: number;
  months: number;
  /** YYYY-MM-DD. */
  opened: string;
  closed: boolean;
  balance: number;
  overdue: number;
  daysOverdue: number;
  /** Bits of the bureaus that know it: 1 CRC, 2 FirstCentral, 4 CreditRegistry. */
  knownTo: number;
}

const BITS: Record<BureauName, number> = { crc: 1, firstCentral: 2, registry: 4 };
/** Invented lenders; any resemblance to a bank is chance. */
const LENDERS = ['Sandbox Bank', 'Sample Microfinance Bank', 'Demo Finance', 'Placeholder Credit', 'Example Lending', 'Trial Cooperative'];
const TYPES = ['Personal loan', 'Overdraft', 'Salary advance', 'Vehicle loan', 'Business loan'];
const DAYS_OVERDUE = [0, 0, 0, 0, 0, 15, 45, 120, 400];
const REPORTED = '2025-12-31';
/** `REPORTED` minus this many months: an enquiry after that day counts. */
const MONTHS_AGO = { 3: '2025-09-30', 12: '2024-12-31', 36: '2022-12-31' } as const;
const LOAN_SLOTS = 10;
/** Slots from here on belong to the bureaus. */
const FIRST_SLOT = OWN_SLOTS + 400;

/** `0000000001d`: the bureaus that are down for this BVN, whose own record is found. */
const DOWN: Record<string, readonly BureauName[]> = {
  '00000000010': ['crc'],
  '00000000011': ['crc', 'firstCentral'],
  '00000000012': ['crc', 'firstCentral', 'registry'],
  '00000000015': ['crc', 'firstCentral'],
};
const NO_FILE = '00000000013';

export const crcRegistry = bureau('crc', (person, loans) => ({
  ficoScore: {
    score: ficoScore(loans),
    rating: ficoScore(loans) >= 650 ? 'GOOD' : ficoScore(loans) >= 550 ? 'AVERAGE' : 'POOR',
    reasons: longestOverdue(loans) > 0 ? ['An account is overdue'] : [],
  },
  hasLoans: 'YES',
  lastReportedDate: REPORTED,
  crcReportOrderNumber: `W-${String(person.draw.below(FIRST_SLOT + 11, 1_000_000_000)).padStart(10, '0')}/2025`,
  facilities: loans.map((loan) => ({
    subscriberName: loan.lender,
    accountNumber: loan.account,
    sanctionedAmount: naira(loan.amount),
    currentBalance: naira(loan.balance),
    amountOverdue: naira(loan.overdue),
    instalmentAmount: naira(loan.amount / loan.months),
    maxNumberOfDays: loan.daysOverdue,
    accountStatus: loan.closed ? 'Closed' : 'Open',
    loanType: loan.type,
    tenorMonths: loan.months,
    repaymentFrequency: 'Monthly',
    repaymentBehaviour: behaviourOf(loan),
    paymentProfile: profileOf(loan),
    dateReported: REPORTED,
    dateDisbursed: loan.opened,
  })),
  enquiries: enquiriesOf(person).map(({ lender, date }) => ({
    institution: lender,
    reason: 'Loan application',
    date,
    phone: contactOf(lender).phone,
  })),
  enquirySummary: {
    last3Months: enquiriesWithin(person, 3),
    last12Months: enquiriesWithin(person, 12),
    last36Months: enquiriesWithin(person, 36),
  },
  subscribers: lendersOf(loans).map((name) => ({ name, ...contactOf(name) })),
}));

export const firstCentralRegistry = bureau('firstCentral', (person, loans) => ({
  scoring: firstCentralScoring(person, loans),
  creditAgreements: loans.map((loan) => ({
    subscriberName: loan.lender,
    accountNo: loan.account,
    openingBalanceAmt: naira(loan.amount),
    currentBalanceAmt: naira(loan.balance),
    amountOverdue: naira(loan.overdue),
    instalmentAmount: naira(loan.amount / loan.months),
    daysInArrears: String(loan.daysOverdue),
    accountStatus: loan.closed ? 'CLOSED' : 'OPEN',
    loanType: loan.type,
    loanDuration: String(loan.months),
    repaymentFrequency: 'Monthly',
    repaymentBehavior: behaviourOf(loan),
    paymentProfile: profileOf(loan),
    dateAccountOpened: slashed(loan.opened),
    lastUpdatedDate: slashed(REPORTED),
  })),
  enquiryHistory: enquiriesOf(person).map(({ lender, date }) => ({
    subscriberName: lender,
    enquiryReason: 'Loan application',
    dateRequested: slashed(date),
    companyTelephone: contactOf(lender).phone,
  })),
  enquirySummary: {
    last3MonthCount: enquiriesWithin(person, 3),
    last12MonthCount: enquiriesWithin(person, 12),
    last36MonthCount: enquiriesWithin(person, 36),
  },
  subscribers: lendersOf(loans).map((name) => {
    const { id, phone, address } = contactOf(name);
    return { subscriberID: id, subscriberName: name, telephone: phone, address };
  }),
}));

export const creditRegistryRegistry = bureau('registry', (_person, loans) => ({
  accounts: loans.length,
  openAccounts: loans.filter((loan) => !loan.closed).length,
  closedAccounts: loans.filter((loan) => loan.closed).length,
  lenders: lendersOf(loans).length,
  delinquentAccounts: loans.filter((loan) => loan.daysOverdue >= 90).length,
}));

function bureau(name: BureauName, word: (person: Person, loans: InventedLoan[]) => Record<string, unknown>): Registry {
  return {
    accepts: (bvn) => /^\d{11}$/.test(bvn),
    script: (bvn): Script => (DOWN[bvn]?.includes(name) ? 'down' : 'found'),
    record(bvn) {
      if (bvn === NO_FILE) return null;
      const person = personOf(ninOfBvn(bvn));
      const loans = loansOf(person).filter((loan) => loan.knownTo & BITS[name]);
      return loans.length === 0 ? null : word(person, loans);
    },
  };
}

function loansOf({ draw }: Person): InventedLoan[] {
  if (draw.below(FIRST_SLOT, 8) === 0) return [];
  return Array.from({ length: 1 + draw.below(FIRST_SLOT + 1, 6) }, (_, i) => {
    const slot = FIRST_SLOT + 20 + i * LOAN_SLOTS;
    const amount = 10_000 * (1 + draw.below(slot, 200));
    const closed = draw.chance(slot + 1, 50);
    const daysOverdue = closed ? 0 : draw.pick(slot + 2, DAYS_OVERDUE);
    const balance = closed ? 0 : Math.round((amount * (10 + draw.below(slot + 3, 81))) / 100);
    return {
      lender: draw.pick(slot + 4, LENDERS),
      account: String(1_000_000_000 + draw.below(slot + 5, 1_000_000_000)),
      type: draw.pick(slot + 6, TYPES),
      amount,
      months: 6 * (1 + draw.below(slot + 7, 6)),
      opened: dayIn2020s(draw.below(slot + 8, 1_800)),
      closed,
      balance,
      overdue: daysOverdue === 0 ? 0 : Math.round(balance / 2),
      daysOverdue,
      knownTo: 1 + draw.below(slot + 9, 7),
    };
  });
}

function enquiriesOf({ draw }: Person): { lender: string; date: string }[] {
  return Array.from({ length: draw.below(FIRST_SLOT + 2, 5) }, (_, i) => ({
    lender: draw.pick(FIRST_SLOT + 3 + i * 2, LENDERS),
    date: dayIn2020s(1_100 + draw.below(FIRST_SLOT + 4 + i * 2, 700)),
  }));
}

const enquiriesWithin = (person: Person, months: keyof typeof MONTHS_AGO): string =>
  String(enquiriesOf(person).filter(({ date }) => date > MONTHS_AGO[months]).length);

const lendersOf = (loans: readonly InventedLoan[]) => [...new Set(loans.map((loan) => loan.lender))];

/** No network has numbers that begin with 0700 000. */
function contactOf(lender: string): { id: string; phone: string; address: string } {
  const number = LENDERS.indexOf(lender) + 1;
  return { id: `SANDBOX-${number}`, phone: `0700000000${number}`, address: `${number} Sandbox Close, Ikeja, Lagos` };
}

const behaviourOf = ({ daysOverdue }: InventedLoan) =>
  daysOverdue === 0 ? 'Paid as agreed' : daysOverdue < 90 ? 'Late in paying' : 'Has stopped paying';

/** One digit a month, latest first: how many times 30 days overdue. At most two years, and nothing before the loan was opened. */
function profileOf({ daysOverdue, opened }: InventedLoan): string {
  const months = Math.min(24, Math.ceil(yearsSince(opened) * 12));
  return Array.from({ length: months }, (_, ago) => Math.min(9, Math.max(0, Math.ceil(daysOverdue / 30) - ago))).join('');
}

const longestOverdue = (loans: readonly InventedLoan[]) => Math.max(...loans.map((loan) => loan.daysOverdue));
const ficoScore = (loans: readonly InventedLoan[]) => 720 - Math.min(300, longestOverdue(loans));

/** 300 plus up to 550 points in five parts, over the loans that the bureau knows. */
function firstCentralScoring({ draw }: Person, loans: readonly InventedLoan[]): Record<string, string> {
  const sum = (member: 'amount' | 'balance' | 'overdue') => loans.reduce((total, loan) => total + loan[member], 0);
  const bad = loans.filter((loan) => loan.daysOverdue > 0).length;
  const parts = {
    repaymentHistoryScore: part(192, 1 - longestOverdue(loans) / 180),
    totalAmountOwedScore: part(165, 1 - sum('balance') / sum('amount')),
    typesOfCreditScore: part(55, new Set(loans.map((loan) => loan.type)).size / 3),
    lengthOfCreditHistoryScore: part(83, Math.max(...loans.map((loan) => yearsSince(loan.opened))) / 4),
    noOfAcctScore: part(55, loans.length / 4),
  };
  const score = 300 + Object.values(parts).reduce((total, { points }) => total + points, 0);
  return {
    totalConsumerScore: String(score),
    description: score >= 700 ? 'LOW RISK' : score >= 500 ? 'MEDIUM RISK' : 'HIGH RISK',
    ...Object.fromEntries(Object.entries(parts).map(([name, { points, max }]) => [name, `${points}/${max}`])),
    totalAccounts: String(loans.length),
    totalaccountinGoodcondition: String(loans.length - bad),
    totalaccountinBadcondition: String(bad),
    totalOutstandingDebt: naira(sum('balance')),
    totalAmountOverdue: naira(sum('overdue')),
    firstCentralEnquiryResultID: String(draw.below(FIRST_SLOT + 12, 100_000_000)),
    scoreDate: slashed(REPORTED),
  };
}

const part = (max: number, share: number) => ({ points: Math.round(max * Math.min(1, Math.max(0, share))), max });

const yearsSince = (date: string) => (Date.parse(REPORTED) - Date.parse(date)) / (365.25 * 24 * 3600 * 1000);

/** At most day 1,800 after 2021-01-01, which is before `REPORTED`. */
const dayIn2020s = (day: number) => new Date(Date.UTC(2021, 0, 1 + day)).toISOString().slice(0, 10);

const slashed = (date: string) => date.split('-').reverse().join('/');

/** "280,567.00", independently of the machine's locale data. */
function naira(amount: number): string {
  const [whole, kobo] = amount.toFixed(2).split('.') as [string, string];
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${groups.join(',')}.${kobo}`;
}
