/** The email engine: asks all sources about an address at once, within one deadline, and scores their answers. */
import { readAddress } from './address.ts';
import { openDeadline } from './deadline.ts';
import type { Dns, Hosting } from './dns.ts';
import { UNKNOWN_HOSTING } from './dns.ts';
import type {
  Address,
  BreachSource,
  EmailEngine,
  Evidence,
  Lettering,
  MailboxAnswer,
  MailboxProbe,
  MailDomain,
  Outside,
  RegistrationSource,
} from './email.ts';
import { gibberishOf } from './gibberish.ts';
import type { Lists } from './lists.ts';
import { readLikeness } from './lookalike.ts';
import { score } from './score.ts';

export interface EmailEngineOptions {
  dns: Dns;
  lists: Lists;
  /** Null: mail hosts are not asked. */
  probe: MailboxProbe | null;
  registrations: RegistrationSource | null;
  breaches: readonly BreachSource[];
  /** For all sources together. What has not answered by then counts as unknown. */
  deadlineMs?: number;
  now?: () => Date;
  /** A source threw instead of returning null. `asked`: `probe`, `registration`, or a breach source's name. */
  onFailure?: (asked: string, error: unknown) => void;
}

const DEADLINE_MS = 12_000;

const EVERYBODY: Outside = { breaches: true, mailboxes: true };

const PROBE_OFF: MailboxAnswer = { deliverable: null, acceptAll: null, reason: 'off' };
/** The domain's mail hosts are not known, or none of them is reachable. */
const NOT_ASKED: MailboxAnswer = { deliverable: null, acceptAll: null, reason: 'unreachable' };
const OUT_OF_TIME: MailboxAnswer = { deliverable: null, acceptAll: null, reason: 'timeout' };
const NOBODY: MailboxAnswer = { deliverable: false, acceptAll: null, reason: 'no_mail_host' };

/** Closing the engine also closes the sources passed in. */
export function openEmailEngine(options: EmailEngineOptions): EmailEngine {
  const { dns, lists, probe, registrations, breaches, deadlineMs = DEADLINE_MS, now = () => new Date(), onFailure } = options;
  const failed = (asked: string) => (error: unknown) => onFailure?.(asked, error);

  return {
    async assess(text, signal, outside = EVERYBODY) {
      const address = readAddress(text);
      const deadline = openDeadline(signal, deadlineMs);
      try {
        const evidence = await gather(address, deadline.signal, outside);
        return isAnything(evidence) ? { ...evidence, ...score(evidence, now()) } : null;
      } finally {
        deadline.end();
      }
    },
    async close() {
      lists.close();
      dns.close();
      await Promise.all([probe?.close(), ...breaches.map((source) => source.close?.())]);
    },
  };

  async function gather(address: Address, until: AbortSignal, outside: Outside): Promise<Evidence> {
    const hostingAsked = dns.mailDomain(address.domain, until);
    const [hosting, mailbox, registration, found] = await Promise.all([
      hostingAsked,
      hostingAsked.then((hosting) => mailboxOf(address, hosting, until, outside)),
      registrationOf(address, until),
      breachesOf(address, until, outside),
    ]);
    return { address, lettering: letteringOf(address, lists), domain: withLists(hosting), mailbox, registration, breaches: found };
  }

  function withLists(hosting: Hosting): MailDomain {
    return { ...hosting, isDisposableMx: hosting.mx === null ? null : hosting.mx.some(lists.isDisposableMx) };
  }

  async function mailboxOf(
    address: Address,
    { acceptsMail, mx }: Hosting,
    until: AbortSignal,
    { mailboxes }: Outside,
  ): Promise<MailboxAnswer> {
    if (acceptsMail === false) return NOBODY;
    if (!probe || !mailboxes) return PROBE_OFF;
    if (mx === null || mx.length === 0) return NOT_ASKED;
    return (await answerOf(probe.ask(address, mx, until), until, failed('probe'))) ?? OUT_OF_TIME;
  }

  async function registrationOf({ registrable }: Address, until: AbortSignal): Promise<Evidence['registration']> {
    if (!registrations || registrable === null) return null;
    return answerOf(registrations.find(registrable, until), until, failed('registration'));
  }

  async function breachesOf(address: Address, until: AbortSignal, outside: Outside): Promise<Evidence['breaches']> {
    const asked = breaches.filter((source) => outside.breaches || !source.isOutside);
    const answers = await Promise.all(asked.map((source) => answerOf(source.find(address, until), until, failed(source.name))));
    const answered = answers.flatMap((found, i) => (found === null ? [] : [{ source: asked[i]!.name, breaches: found }]));
    return answered.length > 0 ? answered : null;
  }
}

/** Null: it failed, could not say, or missed the deadline. */
function answerOf<T>(answer: Promise<T | null>, until: AbortSignal, onFailure: (error: unknown) => void): Promise<T | null> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(null);
    if (until.aborted) stop();
    else until.addEventListener('abort', stop, { once: true });
    answer
      .catch((error: unknown) => {
        if (!until.aborted) onFailure(error);
        return null;
      })
      .then((value) => {
        until.removeEventListener('abort', stop);
        resolve(value);
      });
  });
}

/** Reads the local part without its tag: `info+news` is still a role. */
function letteringOf(address: Address, lists: Lists): Lettering {
  const { domain, local, tag } = address;
  const base = (tag === null ? local : local.slice(0, local.length - tag.length - 1)).toLowerCase();
  const { suggestion, isLookalike } = readLikeness(address);
  return {
    isRole: lists.isRole(base),
    // Lists of free providers and of disposable domains also contain misspelt domains that speculators own.
    isFree: suggestion === null && lists.isFree(domain),
    isDisposable: suggestion === null || isLookalike ? lists.isDisposable(domain) : lists.isSurelyDisposable(domain),
    isSuspectedDisposable: lists.isSuspectedDisposable(domain),
    isForwarding: lists.isForwarding(domain),
    isSuspiciousTld: lists.isSuspiciousTld(domain),
    gibberish: gibberishOf(base),
    suggestion,
    isLookalike,
  };
}

function isAnything({ domain, mailbox, registration, breaches }: Evidence): boolean {
  const isDnsSilent = Object.keys(UNKNOWN_HOSTING).every((part) => domain[part as keyof Hosting] === null);
  return !isDnsSilent || mailbox.deliverable !== null || registration !== null || breaches !== null;
}
