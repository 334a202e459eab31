import type { Script } from './faults.ts';
import { ninOfBvn } from './numbers.ts';
import { OWN_SLOTS, type Person, personOf } from './people.ts';
import type { Registry } from './registry.ts';

/**
 * Three credit bureaus, each in its own raw shape, over the same invented loans of the BVN's holder. A loan is known to some of them, so
 * they agree where they overlap. One person in eight has no loans and no file.
 */

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
/** Invented lenders; no bank is meant. */
const LENDERS = ['Sandbox Bank', 'Sample Microfinance Bank', 'Demo Finance', 'Placeholder Credit', 'Example Lending', 'Trial Cooperative'];
const TYPES = ['Personal loan', 'Overdraft', 'Salary advance', 'Vehicle loan', 'Business loan'];
const DAYS_OVERDUE = [0, 0, 0, 0, 0, 15, 45, 120, 400];
const REPORTED = '2025-12-31';
const LOAN_SLOTS = 10;
/** Slots from here on are the bureaus'. */
const FIRST_SLOT = OWN_SLOTS + 400;

/** `0000000001d`: the bureaus that are down for this BVN; its BVN record is found. */
const DOWN: Record<string, readonly BureauName[]> = {
  '00000000010': ['crc'],
  '00000000011': ['crc', 'firstCentral'],
  '00000000012': ['crc', 'firstCentral', 'registry'],
};
const NO_FILE = '00000000013';

export const crcRegistry = bureau('crc', (person, loans) => ({
  ficoScore: { score: ownScore(loans), rating: ownScore(loans) >= 650 ? 'GOOD' : 'AVERAGE' },
  hasLoans: 'YES',
  lastReportedDate: REPORTED,
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
    dateReported: REPORTED,
    dateDisbursed: loan.opened,
  })),
  enquiries: enquiriesOf(person).map(({ lender, date }) => ({ institution: lender, reason: 'Loan application', date, phone: '' })),
}));

export const firstCentralRegistry = bureau('firstCentral', (person, loans) => ({
  totalConsumerScore: String(ownScore(loans)),
  description: ownScore(loans) >= 650 ? 'LOW RISK' : 'MEDIUM RISK',
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
    dateAccountOpened: slashed(loan.opened),
    lastUpdatedDate: slashed(REPORTED),
  })),
  enquiryHistory: enquiriesOf(person).map(({ lender, date }) => ({
    subscriberName: lender,
    enquiryReason: 'Loan application',
    dateRequested: slashed(date),
    companyTelephone: '',
  })),
}));

export const creditRegistryRegistry = bureau('registry', (_person, loans) => ({
  accounts: loans.length,
  openAccounts: loans.filter((loan) => !loan.closed).length,
  closedAccounts: loans.filter((loan) => loan.closed).length,
  lenders: new Set(loans.map((loan) => loan.lender)).size,
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

/** The bureau's own score of the loans that it knows. */
const ownScore = (loans: readonly InventedLoan[]) => 720 - Math.min(300, Math.max(...loans.map((loan) => loan.daysOverdue)));

/** At most day 1,800 after 2021-01-01, which is before `REPORTED`. */
const dayIn2020s = (day: number) => new Date(Date.UTC(2021, 0, 1 + day)).toISOString().slice(0, 10);

const slashed = (date: string) => date.split('-').reverse().join('/');

/** "280,567.00", independently of the machine's locale data. */
const naira = (amount: number) => amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');
