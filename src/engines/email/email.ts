/**
 * The vocabulary of email risk: what is measured about an address, by which source, and the result. Null always means unknown, unless a member says
 * otherwise.
 */

/** An address as it was parsed. */
export interface Address {
  /** As submitted, trimmed. */
  given: string;
  /** The part before the last `@`, as submitted. */
  local: string;
  /** ASCII (IDNA 2008, `xn--`), lower case. */
  domain: string;
  /** The domain as people read it. */
  unicodeDomain: string;
  /** By the public suffix list: `gtbank.com.ng` of `mail.gtbank.com.ng`. Null if the domain is itself a public suffix, or has none. */
  registrable: string | null;
  /** `com.ng`. */
  suffix: string | null;
  /** The mailbox that receives it: lower case, without plus tag, for Gmail without dots. Addresses with equal values share a mailbox. */
  mailbox: string;
  /** The text after the `+`; null if there is none. */
  tag: string | null;
}

/** Why a text is not an address. The message names the rule and does not quote the text. */
export class AddressRefusal extends Error {
  readonly rule: string;
  constructor(rule: string, message: string) {
    super(message);
    this.name = 'AddressRefusal';
    this.rule = rule;
  }
}

/** What the lists and the spelling of an address say, without asking anyone. */
export interface Lettering {
  isRole: boolean;
  isFree: boolean;
  isDisposable: boolean;
  /** On only one list of disposable domains. */
  isSuspectedDisposable: boolean;
  /** An alias at a forwarding service, for its owner's mailbox. */
  isForwarding: boolean;
  isSuspiciousTld: boolean;
  /** How random the local part is: 0 (a name) to 1 (random letters). */
  gibberish: number;
  /** The domain that was probably meant: `gmail.com` for `gmial.com`. Null if the domain does not look like a slip. */
  suggestion: string | null;
  /** The domain imitates a well-known one: similar-looking letters, the known name beside a word of trust, or one slip from a bank's name. */
  isLookalike: boolean;
}

/** What DNS says about a domain. A member is null if its question was not answered. */
export interface MailDomain {
  exists: boolean | null;
  /** Some host takes mail: an MX, or without any MX an address (RFC 5321, 5.1). False with a null MX (RFC 7505). */
  acceptsMail: boolean | null;
  /** At most 10 hosts, by preference. */
  mx: string[] | null;
  hasNullMx: boolean | null;
  /** Some MX belongs to a disposable service. */
  isDisposableMx: boolean | null;
  /** All addresses of its mail hosts are private, loopback or reserved. Confam never connects to them. */
  isPrivateMx: boolean | null;
  /** `strict` is `-all`, `soft` is `~all`. Null also if SPF could not be asked for. */
  spf: 'strict' | 'soft' | 'open' | 'none' | null;
  dmarc: 'reject' | 'quarantine' | 'none' | 'absent' | null;
  /** The domain has an address for browsers. */
  hasWebsite: boolean | null;
}

/** What the mail host said about a mailbox, in a dialogue that sends no message. */
export interface MailboxAnswer {
  deliverable: boolean | null;
  /** The host accepts any local part. */
  acceptAll: boolean | null;
  /** A stable code: `accepted`, `rejected`, `greylisted`, `full`, `blocked`, `timeout`, `unreachable`, `paced`, `off` … */
  reason: string;
}

/** Registration of a registrable domain, from its registry by RDAP. */
export interface Registration {
  registered: boolean;
  /** `YYYY-MM-DD` */
  created: string | null;
  updated: string | null;
  expires: string | null;
  registrar: string | null;
  registrant: string | null;
}

export interface Breach {
  name: string;
  /** `YYYY-MM-DD` */
  date: string | null;
  /** The breach contained passwords or their hashes. */
  hasPasswords: boolean | null;
}

/** A source of breaches. Null: it could not be asked. */
export interface BreachSource {
  /** `haveibeenpwned`, `corpus`. */
  name: string;
  /** Asking it discloses the address to somebody outside. */
  isOutside?: true;
  find(address: Address, signal: AbortSignal): Promise<Breach[] | null>;
  close?(): Promise<void>;
}

/** Dialogue with a domain's mail hosts. `mx`: hosts that Confam may connect to, best first. */
export interface MailboxProbe {
  ask(address: Address, mx: readonly string[], signal: AbortSignal): Promise<MailboxAnswer>;
  close(): Promise<void>;
}

export interface RegistrationSource {
  /** Null: the registry has no RDAP, or could not be asked. */
  find(registrable: string, signal: AbortSignal): Promise<Registration | null>;
}

/** One reason for the score. */
export interface Signal {
  /** A stable code: `disposable_domain`, `no_mail_host` … */
  code: string;
  /** Points that the signal adds to the score; negative if it lowers the score. */
  effect: number;
  /** The finding in words, without the address. */
  detail: string;
}

export interface Evidence {
  address: Address;
  lettering: Lettering;
  domain: MailDomain;
  mailbox: MailboxAnswer;
  registration: Registration | null;
  /** Findings by source. Null: no source could be asked. */
  breaches: { source: string; breaches: Breach[] }[] | null;
}

export interface Assessment extends Evidence {
  /** 0 (none) to 100. */
  score: number;
  reputation: 'high' | 'medium' | 'low';
  suspicious: boolean;
  /** `low`: most sources could not be asked. */
  confidence: 'high' | 'medium' | 'low';
  signals: Signal[];
}

/** The outside parties that may be told the address. */
export interface Outside {
  /** Sources of breaches. */
  breaches: boolean;
  /** The mail host of its domain, in a dialogue about the mailbox. */
  mailboxes: boolean;
}

export interface EmailEngine {
  /** Null: no source could be asked, so only the spelling is known. `outside`: by default every party that the engine knows. Throws `AddressRefusal`. */
  assess(text: string, signal: AbortSignal, outside?: Outside): Promise<Assessment | null>;
  close(): Promise<void>;
}
