/** The words of email risk: what is measured of an address, who measures it, and what comes of it. Null always means: not known. */

/** An address as it was understood. */
export interface Address {
  /** As it was sent, trimmed. */
  given: string;
  /** Before the last `@`, as sent. */
  local: string;
  /** In ASCII (IDNA 2008, `xn--`), lower case. */
  domain: string;
  /** The same as people read it. */
  unicodeDomain: string;
  /** By the public suffix list: `gtbank.com.ng` of `mail.gtbank.com.ng`; null: the domain is itself a public suffix, or has none. */
  registrable: string | null;
  /** `com.ng`. */
  suffix: string | null;
  /** Whoever receives it: without plus tag, Gmail without dots, lower case. Addresses with the same one are one mailbox. */
  mailbox: string;
  /** Behind the `+`; null: there is none. */
  tag: string | null;
}

/** Why a text is no address; the message names the rule and does not quote the text. */
export class AddressRefusal extends Error {
  readonly rule: string;
  constructor(rule: string, message: string) {
    super(message);
    this.name = 'AddressRefusal';
    this.rule = rule;
  }
}

/** What the lists and the letters of an address say, without a question to anybody. */
export interface Lettering {
  isRole: boolean;
  isFree: boolean;
  isDisposable: boolean;
  /** On one list of disposable domains only. */
  isSuspectedDisposable: boolean;
  /** An alias of its owner's mailbox at a forwarding service. */
  isForwarding: boolean;
  isSuspiciousTld: boolean;
  /** 0 (a name) to 1 (random letters), of the local part. */
  gibberish: number;
  /** The domain that was probably meant: `gmail.com` for `gmial.com`; null: it is none that looks like a mistake. */
  suggestion: string | null;
  /** It imitates a well-known domain: letters that look alike, its name beside a word of trust, or a slip for a bank's. */
  isLookalike: boolean;
}

/** What DNS says of a domain. A member is null where its question was not answered. */
export interface MailDomain {
  exists: boolean | null;
  /** Some host takes mail: MX, or without any an address (RFC 5321, 5.1); false with a null MX (RFC 7505). */
  acceptsMail: boolean | null;
  /** Hosts by preference, at most 10. */
  mx: string[] | null;
  hasNullMx: boolean | null;
  /** Some MX is a host of a disposable service. */
  isDisposableMx: boolean | null;
  /** All addresses of its mail hosts are private, loopback or reserved: they are never connected to. */
  isPrivateMx: boolean | null;
  /** `-all` or `~all`; null too where SPF could not be asked for. */
  spf: 'strict' | 'soft' | 'open' | 'none' | null;
  dmarc: 'reject' | 'quarantine' | 'none' | 'absent' | null;
  /** The domain has an address for browsers. */
  hasWebsite: boolean | null;
}

/** What its mail host said of a mailbox, in a dialogue without a message. */
export interface MailboxAnswer {
  deliverable: boolean | null;
  /** Whatever stands before the `@` is taken. */
  acceptAll: boolean | null;
  /** A stable word: `accepted`, `rejected`, `greylisted`, `full`, `blocked`, `timeout`, `unreachable`, `paced`, `off` … */
  reason: string;
}

/** Of a registrable domain, from its registry by RDAP. */
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
  /** Passwords or their hashes were in it. */
  hasPasswords: boolean | null;
}

/** Who knows of breaches. Null: it could not be asked. */
export interface BreachSource {
  /** `haveibeenpwned`, `corpus`. */
  name: string;
  find(address: Address, signal: AbortSignal): Promise<Breach[] | null>;
  close?(): Promise<void>;
}

/** Dialogue with a domain's mail hosts. `mx`: hosts that may be connected to, best first. */
export interface MailboxProbe {
  ask(address: Address, mx: readonly string[], signal: AbortSignal): Promise<MailboxAnswer>;
  close(): Promise<void>;
}

export interface RegistrationSource {
  /** Null: its registry has no RDAP, or could not be asked. */
  find(registrable: string, signal: AbortSignal): Promise<Registration | null>;
}

/** One reason for the score. */
export interface Signal {
  /** A stable word: `disposable_domain`, `no_mail_host` … */
  code: string;
  /** Points that it adds to the score or takes away. */
  effect: number;
  /** What was found, in words, without the address. */
  detail: string;
}

export interface Evidence {
  address: Address;
  lettering: Lettering;
  domain: MailDomain;
  mailbox: MailboxAnswer;
  registration: Registration | null;
  /** Null: no source could be asked. By source. */
  breaches: { source: string; breaches: Breach[] }[] | null;
}

export interface Assessment extends Evidence {
  /** 0 (none) to 100. */
  score: number;
  reputation: 'high' | 'medium' | 'low';
  suspicious: boolean;
  /** `low`: much could not be asked. */
  confidence: 'high' | 'medium' | 'low';
  signals: Signal[];
}

export interface EmailEngine {
  /** Null: nothing could be asked, so that nothing is known beyond the letters. Throws `AddressRefusal`. */
  assess(text: string, signal: AbortSignal): Promise<Assessment | null>;
  close(): Promise<void>;
}
