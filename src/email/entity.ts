/** Maps an assessment to the check's entity (`checks/email.ts`). What was not measured is null; nothing is guessed. */
import type { EmailEntity } from '../checks/email.ts';
import type { Assessment, Breach } from '../engines/email/email.ts';
import { daysSince, isDisposable, isEnforced } from '../engines/email/score.ts';

/** "New" and "recent" as EmailRep defines them, whose members these are (docs.sublime.security/reference/get_-email). */
const NEW_DOMAIN_DAYS = 365;
const RECENT_DAYS = 90;

/** `now`: the day that ages are counted to. */
export function entityOf(assessment: Assessment, now: Date): EmailEntity {
  const { address, lettering, domain, mailbox, registration } = assessment;
  const breaches = assessment.breaches?.flatMap((found) => found.breaches) ?? null;
  const dates = breaches?.flatMap(({ date }) => date ?? []).sort() ?? [];
  const ageDays = daysSince(registration?.created ?? null, now);
  const disposable = isDisposable(assessment, now);
  const shared = {
    accept_all: mailbox.acceptAll,
    disposable,
    dmarc_enforced: domain.dmarc === null ? null : isEnforced(domain.dmarc),
    spf_strict: domain.spf === null ? null : domain.spf === 'strict',
    suspicious_tld: lettering.isSuspiciousTld,
    valid_mx: domain.acceptsMail,
  };
  return {
    email: address.given,
    score: assessment.score,
    reputation: assessment.reputation,
    suspicious: assessment.suspicious,
    references: breaches && distinct(breaches).length,
    deliverable: mailbox.deliverable,
    confidence: assessment.confidence,
    suggestion: lettering.suggestion,
    normalized: address.mailbox,
    deliverability: mailbox.reason,
    role: lettering.isRole,
    forwarding: lettering.isForwarding,
    lookalike: lettering.isLookalike,
    signals: assessment.signals,
    details: {
      ...shared,
      blacklisted: null,
      malicious_activity: null,
      malicious_activity_recent: null,
      credentials_leaked: breaches && hasPasswords(breaches),
      credentials_leaked_recent: breaches && hasPasswords(breaches.filter((breach) => isRecent(breach, now))),
      data_breach: breaches && breaches.length > 0,
      first_seen: dates[0] ?? null,
      last_seen: dates.at(-1) ?? null,
      domain_exists: domain.exists,
      domain_reputation: null,
      new_domain: ageDays === null ? null : ageDays < NEW_DOMAIN_DAYS,
      days_since_domain_creation: ageDays,
      spam: null,
      free_provider: lettering.isFree,
      deliverable: mailbox.deliverable,
      primary_mx: domain.mx?.[0] ?? null,
      spoofable: shared.dmarc_enforced === null ? null : !shared.dmarc_enforced,
      profiles: null,
    },
    domain_details: {
      ...shared,
      domain: address.domain,
      tld: address.domain.slice(address.domain.lastIndexOf('.') + 1),
      registered: registration?.registered ?? null,
      created: registration?.created ?? null,
      updated: registration?.updated ?? null,
      expires: registration?.expires ?? null,
      registrar_name: registration?.registrar ?? null,
      registered_to: registration?.registrant ?? null,
      free: lettering.isFree,
      custom: !lettering.isFree && !lettering.isForwarding && !disposable,
      website_exists: domain.hasWebsite,
    },
    breach_details: {
      haveibeenpwned_listed: listedBy('haveibeenpwned', assessment),
      number_of_breaches: breaches && distinct(breaches).length,
      first_breach: dates[0] ?? null,
      breaches: breaches && distinct(breaches),
    },
    account_details_registered: null,
  };
}

const isRecent = ({ date }: Breach, now: Date): boolean => (daysSince(date, now) ?? Number.POSITIVE_INFINITY) <= RECENT_DAYS;

/** Two sources may report the same breach. */
const distinct = (breaches: readonly Breach[]): string[] => [...new Set(breaches.map(({ name }) => name))].sort();

/** Null: unknown for some breaches, and none is known to have leaked passwords. */
function hasPasswords(breaches: readonly Breach[]): boolean | null {
  if (breaches.some((breach) => breach.hasPasswords)) return true;
  return breaches.some((breach) => breach.hasPasswords === null) ? null : false;
}

function listedBy(source: string, { breaches }: Assessment): boolean | null {
  const asked = breaches?.find((found) => found.source === source);
  return asked ? asked.breaches.length > 0 : null;
}
