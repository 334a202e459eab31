/**
 * How often the email engine is right, by kind of address, on each set of labelled addresses. Their families are split in two halves: rules are changed by
 * what the development half shows, the other half is only reported. Nothing is asked of the internet: DNS and the registry answer what the file says.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openEmailEngine } from '../../src/engines/email/assess.ts';
import { type Hosting, UNKNOWN_HOSTING } from '../../src/engines/email/dns.ts';
import { AddressRefusal, type Assessment, type EmailEngine, type Registration } from '../../src/engines/email/email.ts';
import type { Lists } from '../../src/engines/email/lists.ts';
import { wilson } from '../figure.ts';

export const HALVES = ['development', 'held out'] as const;
export type Half = (typeof HALVES)[number];

/** The first was written with the rules and has been read since. The second was written when the rules stood, without reading them. */
export const SETS = ['addresses', 'blind-2'] as const;
export type LabelledSet = (typeof SETS)[number];

/** Of each kind in the files, where `honest` stands for `free` or `own`; `suspected` is only ever an answer. */
const VERDICTS = [
  'free',
  'own',
  'role',
  'forwarding',
  'gibberish',
  'mistyped',
  'imitation',
  'disposable',
  'suspected',
  'dead',
  'refused',
] as const;
type Verdict = (typeof VERDICTS)[number];

interface Labelled {
  slice: string;
  family: string;
  half: Half;
  /** As the file has it, for reports: one kind, or several of which each is right (`mistyped/imitation`). */
  expected: string;
  kinds: readonly Verdict[];
  /** The domain that was meant, if it is a slip. */
  meant: string | null;
  address: string;
  /** What DNS and the registry answer about the domain; null is an ordinary, old domain. */
  answers: string | null;
}

interface Judged extends Labelled {
  verdict: Verdict;
  suggestion: string | null;
  score: number | null;
  reputation: Assessment['reputation'] | null;
  isRight: boolean;
}

/** A hash with a fixed seed decides, so nobody can choose. A brand's own domain, slips and imitations are one family, in one half. */
const halfOf = (family: string): Half => HALVES[createHash('sha256').update(`confam-email-15|${family}`).digest()[0]! % 2]!;

const kindsOf = (expected: string): Verdict[] =>
  expected.split('/').flatMap((kind) => (kind === 'honest' ? ['free', 'own'] : [kind as Verdict]));

function readLabelled(set: LabelledSet): Labelled[] {
  let [slice, rest] = ['', ''];
  return readFileSync(new URL(`./${set}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const section = /^\[(.+)\] (\S+)$/.exec(line);
      if (section) [slice, rest] = [section[1]!, section[2]!];
      if (section || line.startsWith('#') || !line.includes('|')) return [];
      const [family, kind, addresses, answers] = line.split('|').map((part) => part.trim());
      const [expected, meant] = kind!.split(' ') as [string, string?];
      return addresses!.split(' ').map((given) => ({
        slice,
        family: family!,
        half: halfOf(family!),
        expected,
        kinds: kindsOf(expected),
        meant: meant ?? null,
        address: given.startsWith('@') ? rest + given : given.includes('@') ? given : `${given}@${rest}`,
        answers: answers ?? null,
      }));
    });
}

const ORDINARY: Hosting = {
  exists: true,
  acceptsMail: true,
  mx: ['mx.mail-host.example'],
  hasNullMx: false,
  isPrivateMx: false,
  spf: 'soft',
  dmarc: 'none',
  hasWebsite: true,
};
const NO_MAIL: Hosting = { ...ORDINARY, acceptsMail: false, mx: [] };
const HOSTING: Record<string, Hosting> = {
  nxdomain: { ...NO_MAIL, exists: false, hasWebsite: false },
  null_mx: { ...NO_MAIL, hasNullMx: true },
  no_mail: NO_MAIL,
  private_mx: { ...NO_MAIL, isPrivateMx: true },
  unknown: UNKNOWN_HOSTING,
};
const TODAY = new Date('2026-11-22T12:00:00Z');
const registered = (created: string): Registration => ({
  registered: true,
  created,
  updated: null,
  expires: '2027-11-20',
  registrar: null,
  registrant: null,
});

/** The engine as a service runs it, without mail hosts and breaches. Closing it closes the lists. */
function openJudge(lists: Lists, rows: readonly Labelled[]): EmailEngine {
  const answers = new Map(rows.map(({ address, answers }) => [address.slice(address.lastIndexOf('@') + 1), answers]));
  return openEmailEngine({
    dns: {
      mailDomain: async (domain) => {
        const answer = answers.get(domain) ?? '';
        return answer.startsWith('mx ') ? { ...ORDINARY, mx: [answer.slice(3)] } : (HOSTING[answer] ?? ORDINARY);
      },
      close: () => {},
    },
    lists,
    probe: null,
    registrations: { find: async (domain) => registered(answers.get(domain) === 'new' ? '2026-11-12' : '2014-03-01') },
    breaches: [],
    now: () => TODAY,
  });
}

/** By the signals of an answer, the gravest first. */
const SIGNALS: readonly [Verdict, RegExp][] = [
  ['dead', /^(?:domain_missing|null_mx|no_mail_host|private_mail_host)$/],
  ['disposable', /^disposable_(?:domain|mail_host)$/],
  ['imitation', /^lookalike_domain$/],
  ['mistyped', /^mistyped_domain$/],
  ['suspected', /^disposable_suspected$/],
  ['forwarding', /^forwarding_alias$/],
  ['gibberish', /^gibberish_local$/],
  ['role', /^role_account$/],
];

async function judge(engine: EmailEngine, row: Labelled): Promise<Judged> {
  try {
    const { signals, lettering, score, reputation } = (await engine.assess(row.address, new AbortController().signal))!;
    const found = SIGNALS.find(([, code]) => signals.some((signal) => code.test(signal.code)));
    const verdict = found?.[0] ?? (lettering.isFree ? 'free' : 'own');
    const { suggestion } = lettering;
    const isRight = row.kinds.includes(verdict) && (row.meant === null || row.meant === suggestion);
    return { ...row, verdict, suggestion, score, reputation, isRight };
  } catch (error) {
    if (!(error instanceof AddressRefusal)) throw error;
    return { ...row, verdict: 'refused', suggestion: null, score: null, reputation: null, isRight: row.kinds.includes('refused') };
  }
}

export async function judgeAll(lists: Lists, set: LabelledSet): Promise<Judged[]> {
  const rows = readLabelled(set);
  const engine = openJudge(lists, rows);
  try {
    return await Promise.all(rows.map((row) => judge(engine, row)));
  } finally {
    await engine.close();
  }
}

export interface SliceRate {
  slice: string;
  half: Half;
  rows: number;
  right: number;
  /** The 95 % interval of the share that is right (Wilson), as if rows were independent. */
  interval: [number, number];
  /** How often each verdict was given. */
  verdicts: Partial<Record<Verdict, number>>;
  wrong: Judged[];
}

/** By slice and half, in the order of the file. */
export function rateSlices(judged: readonly Judged[]): SliceRate[] {
  return [...new Set(judged.map(({ slice }) => slice))].flatMap((slice) =>
    HALVES.map((half) => {
      const rows = judged.filter((row) => row.slice === slice && row.half === half);
      const wrong = rows.filter(({ isRight }) => !isRight);
      const right = rows.length - wrong.length;
      const verdicts = VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length] as const);
      return {
        slice,
        half,
        rows: rows.length,
        right,
        interval: wilson(right, rows.length),
        verdicts: Object.fromEntries(verdicts.filter(([, count]) => count > 0)),
        wrong,
      };
    }),
  );
}

export interface ReputationRate {
  what: string;
  half: Half;
  rows: number;
  count: number;
  interval: [number, number];
}

const HONEST: readonly Verdict[] = ['free', 'own', 'role', 'forwarding'];
const RISKY: readonly Verdict[] = ['imitation', 'disposable', 'dead'];

/** The two errors that cost most: an honest address with a low reputation, and a risky one with a high reputation. */
export function rateReputations(judged: readonly Judged[]): ReputationRate[] {
  const errors = [
    { what: 'honest addresses with a low reputation', kinds: HONEST, reputation: 'low' },
    { what: 'risky addresses with a high reputation', kinds: RISKY, reputation: 'high' },
  ];
  return errors.flatMap(({ what, kinds, reputation }) =>
    HALVES.map((half) => {
      const rows = judged.filter((row) => row.half === half && row.kinds.every((kind) => kinds.includes(kind)));
      const count = rows.filter((row) => row.reputation === reputation).length;
      return { what, half, rows: rows.length, count, interval: wilson(count, rows.length) };
    }),
  );
}
