/**
 * Turns evidence into a score: one table, in which each rule that applies is a reported reason. Only the evidence and today's date count. What is
 * unknown (null) neither raises nor lowers the score.
 */
import { DAY_MS } from '../../foundation/time.ts';
import type { Assessment, Evidence, Signal } from './email.ts';

export interface Verdict extends Pick<Assessment, 'score' | 'reputation' | 'suspicious' | 'confidence' | 'signals'> {}

interface Rule extends Signal {
  applies(evidence: Evidence, now: Date): boolean;
}

/** Score of an address with no evidence either way: no address is entirely without risk. */
const BASE = 10;
const SUSPICIOUS_FROM = 60;
const MEDIUM_FROM = 30;

const NEW_DAYS = 30;
const YOUNG_DAYS = 180;
const ESTABLISHED_DAYS = 5 * 365;
/** An older leak shows that the address was in use then. A more recent one may mean that it is in the wrong hands. */
const RECENT_BREACH_DAYS = 365;
const LONG_SEEN_DAYS = 2 * 365;
const GIBBERISH_FROM = 0.5;

/**
 * The weights. One rule of the first block makes an address suspicious, however much counts in its favour: mail to it is lost, or its owner wants to
 * disappear tomorrow. One of the second block makes it doubtful, two make it suspicious. The third block tips the scales.
 */
export const RULES: readonly Rule[] = [
  rule('domain_missing', 80, 'The domain does not exist', ({ domain }) => domain.exists === false),
  rule('null_mx', 80, 'The domain declares that it receives no mail (null MX)', ({ domain }) => domain.hasNullMx === true),
  rule('mailbox_rejected', 80, 'The mail host does not know the mailbox', isRejected),
  rule('no_mail_host', 75, 'No host receives mail for the domain', lacksMailHost),
  rule('private_mail_host', 75, 'Its mail hosts have private addresses only', ({ domain }) => domain.isPrivateMx === true),
  rule('disposable_domain', 80, 'The domain is disposable', isDisposableDomain),
  rule('disposable_mail_host', 80, 'Its mail host belongs to a disposable service', isDisposableByHost),
  rule('domain_unregistered', 70, 'The registry does not know the domain', isUnregistered),
  rule('lookalike_domain', 80, 'The domain imitates a well-known one', ({ lettering }) => lettering.isLookalike),

  rule(
    'mistyped_domain',
    35,
    'Probably a slip for a well-known domain',
    ({ lettering }) => lettering.suggestion !== null && !lettering.isLookalike,
  ),
  rule('domain_new', 30, 'The domain was registered in the last 30 days', (evidence, now) => within(domainAge(evidence, now), 0, NEW_DAYS)),
  rule(
    'domain_expired',
    25,
    "The domain's registration has expired",
    ({ registration }, now) => (daysSince(registration?.expires ?? null, now) ?? 0) > 0,
  ),
  rule('suspicious_tld', 20, 'The top-level domain is mostly used for abuse', ({ lettering }) => lettering.isSuspiciousTld),
  rule('gibberish_local', 20, 'Random letters before the @', ({ lettering }) => lettering.gibberish >= GIBBERISH_FROM),

  rule(
    'disposable_suspected',
    15,
    'One list calls the domain disposable, and nothing else does',
    (evidence, now) => evidence.lettering.isSuspectedDisposable && !evidence.lettering.isFree && !isDisposable(evidence, now),
  ),
  rule('forwarding_alias', 5, 'An alias that its owner can delete', ({ lettering }) => lettering.isForwarding),
  rule('domain_young', 12, 'The domain was registered in the last 180 days', (evidence, now) =>
    within(domainAge(evidence, now), NEW_DAYS, YOUNG_DAYS),
  ),
  rule('passwords_breached_recently', 15, 'Passwords of this address leaked in the last year', hasRecentPasswords),
  rule('breached', 5, 'The address is in a known breach', (evidence) => breachesOf(evidence).length > 0),
  rule('role_account', 10, 'A role, not a person', ({ lettering }) => lettering.isRole),
  rule(
    'no_website',
    8,
    'A custom domain without a website',
    ({ domain, lettering }) => domain.hasWebsite === false && domain.acceptsMail === true && !lettering.isFree,
  ),
  rule('accept_all', 5, 'The mail host accepts any address', ({ mailbox }) => mailbox.acceptAll === true),
  rule('tagged', 5, 'One of many addresses for one mailbox (plus tag)', ({ address }) => address.tag !== null),
  rule('spoofable', 5, 'Anyone can send in the name of the domain (neither SPF nor DMARC)', isSpoofable),

  rule(
    'mailbox_accepted',
    -10,
    'The mail host knows the mailbox',
    ({ mailbox }) => mailbox.deliverable === true && mailbox.acceptAll === false,
  ),
  rule('domain_established', -8, 'The domain has been registered for 5 years', (evidence, now) =>
    within(domainAge(evidence, now), ESTABLISHED_DAYS, Number.POSITIVE_INFINITY),
  ),
  rule('long_seen', -8, 'The address was in use two years ago', isLongSeen),
  rule(
    'sender_protected',
    -5,
    'SPF and DMARC stop others from sending in its name',
    ({ domain }) => isEnforced(domain.dmarc) && (domain.spf === 'strict' || domain.spf === 'soft'),
  ),
];

export function score(evidence: Evidence, now: Date): Verdict {
  const signals: Signal[] = [];
  let points = BASE;
  for (const { code, effect, detail, applies } of RULES) {
    if (!applies(evidence, now)) continue;
    points += effect;
    signals.push({ code, effect, detail });
  }
  points = Math.min(100, Math.max(0, points));
  const confidence = confidenceOf(evidence);
  return {
    score: points,
    reputation: points >= SUSPICIOUS_FROM ? 'low' : points >= MEDIUM_FROM || confidence === 'low' ? 'medium' : 'high',
    suspicious: points >= SUSPICIOUS_FROM,
    confidence,
    signals,
  };
}

/** `low`: not even DNS answered. `high`: DNS answered something final, or at least two of mail host, registry and breach sources answered as well. */
function confidenceOf({ domain, lettering, mailbox, registration, breaches }: Evidence): Assessment['confidence'] {
  if (domain.acceptsMail === null) return lettering.isDisposable || mailbox.deliverable !== null ? 'medium' : 'low';
  const isFinal = !domain.acceptsMail || lettering.isDisposable || domain.isDisposableMx === true;
  const answered = Number(mailbox.deliverable !== null) + Number(registration !== null) + Number(breaches !== null);
  return isFinal || answered >= 2 ? 'high' : 'medium';
}

function rule(code: string, effect: number, detail: string, applies: Rule['applies']): Rule {
  return { code, effect, detail, applies };
}

/** If the domain takes no mail at all, another rule reports that; this one then stays silent. */
function isRejected({ domain, mailbox }: Evidence): boolean {
  return mailbox.deliverable === false && domain.acceptsMail !== false;
}

function lacksMailHost({ domain }: Evidence): boolean {
  return domain.exists !== false && domain.acceptsMail === false && !domain.hasNullMx && !domain.isPrivateMx;
}

/** Two lists say so, or one list and something else: the name, the mail host, an abused top-level domain, a registration in recent months. */
function isDisposableDomain(evidence: Evidence, now: Date): boolean {
  const { lettering, domain } = evidence;
  if (lettering.isDisposable) return true;
  const isYoung = within(domainAge(evidence, now), 0, YOUNG_DAYS);
  return lettering.isSuspectedDisposable && (domain.isDisposableMx === true || lettering.isSuspiciousTld || isYoung);
}

export const isDisposable = (evidence: Evidence, now: Date): boolean =>
  isDisposableDomain(evidence, now) || evidence.domain.isDisposableMx === true;

function isDisposableByHost(evidence: Evidence, now: Date): boolean {
  return evidence.domain.isDisposableMx === true && !isDisposableDomain(evidence, now);
}

/** Not if DNS does not know the domain either: another rule reports that. */
function isUnregistered({ domain, registration }: Evidence): boolean {
  return registration?.registered === false && domain.exists !== false;
}

function isSpoofable({ domain }: Evidence): boolean {
  return (
    domain.acceptsMail === true && (domain.spf === 'none' || domain.spf === 'open') && domain.dmarc !== null && !isEnforced(domain.dmarc)
  );
}

export const isEnforced = (dmarc: Evidence['domain']['dmarc']): boolean => dmarc === 'reject' || dmarc === 'quarantine';

function hasRecentPasswords(evidence: Evidence, now: Date): boolean {
  return breachesOf(evidence).some(
    ({ date, hasPasswords }) => hasPasswords === true && within(daysSince(date, now), 0, RECENT_BREACH_DAYS),
  );
}

function isLongSeen(evidence: Evidence, now: Date): boolean {
  return breachesOf(evidence).some(({ date }) => (daysSince(date, now) ?? 0) >= LONG_SEEN_DAYS);
}

const breachesOf = ({ breaches }: Evidence) => breaches?.flatMap((found) => found.breaches) ?? [];

const domainAge = ({ registration }: Evidence, now: Date): number | null => daysSince(registration?.created ?? null, now);

const within = (days: number | null, from: number, to: number): boolean => days !== null && days >= from && days < to;

/** Whole days in UTC since a date `YYYY-MM-DD`; negative in the future. Null if there is no date or it is unreadable. */
export function daysSince(date: string | null, now: Date): number | null {
  const at = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : Math.floor((now.getTime() - at) / DAY_MS);
}
