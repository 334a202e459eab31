/** What exactly an approval is for, and what came of it. Approvers see every term; one without a description here is printed as it is. */
import type { Approval } from '../../client/people.ts';
import { codeWords, duration, naira, time } from '../format.ts';
import { say } from '../parts/toasts.tsx';
import { identifierWords, purposeWords } from '../words.ts';

type Say = (value: unknown, approval: Approval) => string | null;

const FILES: Readonly<Record<string, string>> = {
  results: 'the results',
  errors: 'the rows to correct',
  subject: 'everything about one person',
};
const BECAME: Readonly<Record<string, string>> = { refunded: 'was paid back', written_off: 'is written off' };

const typesOf = (value: unknown): string => (value as string[]).map((type) => identifierWords[type] ?? type).join(', ');

/** By path within `terms`. Null: already covered by the action's own description. */
const WORDS: Readonly<Record<string, Say>> = {
  purpose: (value) => `For: ${purposeWords(String(value))}`,
  kind: (value, { terms }) =>
    `${'link_seconds' in terms ? 'Public link to' : 'Download of'} ${FILES[String(value)] ?? `the file “${value}”`}`,
  format: (value) => `As ${String(value).toUpperCase()}`,
  identifiers: (value) => `Found by ${typesOf(value)}`,
  link_seconds: (value) => `Anybody who has the link can open the file without an account, for ${duration(Number(value))}`,
  'approvals.batch_start_above_kobo': (value) =>
    value === null ? 'Starting a batch needs no approval' : `Starting a batch above ${naira(Number(value) / 100)} needs an approval`,
  'approvals.reveal': (value) => `Seeing jobs in clear ${value ? 'needs an approval' : 'needs no approval'}`,
  'approvals.export': (value) => `Downloads ${value ? 'need an approval' : 'need no approval'}`,
  reveal_needs_reason: (value) => `Seeing jobs in clear ${value ? 'needs a reason' : 'needs no reason'}`,
  second_factor_required: (value) => `A second factor is ${value ? 'required' : 'not required'}`,
  'outside.email_breaches': (value) => `Addresses are ${value ? 'sent' : 'not sent'} to Have I Been Pwned to find breaches`,
  'outside.email_mailboxes': (value) => `Mail hosts are ${value ? 'asked whether they know a mailbox' : 'not asked about mailboxes'}`,
  'outside.shared_cache': (value) => `Answers are ${value ? 'shared' : 'not shared'} with other apps of this deployment`,
  amount: () => null,
  mode: () => null,
  note: (value) => `“${value}”`,
  check: () => null,
  end: () => null,
  price: () => null,
  cached_price: (value) => `From the cache ${naira(Number(value))}`,
  valid_from: (value) => `From ${time(String(value))}`,
  valid_until: (value) => (value === null ? 'Until further notice' : `Until ${time(String(value))}`),
  balance: (value, { amount }) => `${naira(amount ?? 0)} ${BECAME[String(value)] ?? value}`,
  cancel_work: (value) => (value ? 'Its work that has not ended is canceled' : 'Refused if any of its work is unfinished'),
};

export const termsOf = (approval: Approval): string[] =>
  flat(approval.terms).flatMap(([name, value]) => {
    const say = WORDS[name];
    const line = say ? say(value, approval) : `${codeWords(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    return line ?? [];
  });

/** `{ outside: { shared_cache: true } }` → `outside.shared_cache`, `true` */
const flat = (terms: object, within = ''): [name: string, value: unknown][] =>
  Object.entries(terms).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flat(value, `${within}${name}.`)
      : [[`${within}${name}`, value] as [string, unknown]],
  );

/** `void`: nothing was done, because what it was about had changed or whoever asked may no longer ask for it. */
export const sayOutcome = ({ status }: Approval): void =>
  status === 'void'
    ? say('Nothing was done: what it was about has changed since, or whoever asked may no longer ask for it.', { isBad: true })
    : say('Approved and done.');

export const Terms = ({ of: approval }: { of: Approval }) =>
  termsOf(approval).map((line) => (
    <small key={line} class="soft below">
      <bdi>{line}</bdi>
    </small>
  ));
