/**
 * Risk of an email address from its spelling, DNS, its mail host, its registry and known breaches, through a provider of kind `email`
 * (`src/email/`).
 */
import { z } from 'zod';
import { readAddress } from '../engines/email/address.ts';
import { AddressRefusal, type Signal } from '../engines/email/email.ts';
import { defineCheck, project } from './check.ts';
import { requiredText } from './inputs.ts';
import { describeIssues, ProviderFailure } from './provider.ts';

/** RFC 5321, 4.5.3.1: a path of 256 octets, less its angle brackets. */
const ADDRESS_LENGTH_MAX = 254;

/** As an unescaped "+" of a query arrives. */
const BLANK_IN_LOCAL = /^[^\s@"<]+ [^\s@"<]+@[^\s@]+$/;

/** Parsed to lower case, with the domain as people write it. */
export const emailInput = requiredText(ADDRESS_LENGTH_MAX)
  .transform((text, context) => {
    try {
      // Lower case first, because some letters become longer.
      const { local, unicodeDomain } = readAddress(text.toLowerCase());
      return `${local.normalize('NFC')}@${unicodeDomain}`;
    } catch (error) {
      if (!(error instanceof AddressRefusal)) throw error;
      const hint = BLANK_IN_LOCAL.test(text) ? '; in a query, + is written as %2B' : '';
      context.addIssue({ code: 'custom', message: `${error.message}${hint}`, params: { rule: error.rule } });
      return z.NEVER;
    }
  })
  .describe('One email address, which may be internationalised (RFC 6531)');

const input = z.object({ email: emailInput });

/** Null: unknown. The engine says so if it cannot find something out. */
const text = z.string().nullable();
const flag = z.boolean().nullable();
const count = z.number().nullable();
const date = text.describe('YYYY-MM-DD');

const signal = z.object({
  code: z.string().describe('docs/email.md lists them'),
  effect: z.number().describe('Points added to the score; negative if it lowers the score'),
  detail: z.string(),
});

/** Members of the published shapes keep their names. Those that we do not measure are null. */
const entity = z.object({
  email: z.string(),
  score: count.describe('Risk, 0 (none) to 100'),
  reputation: text.describe('high, medium or low'),
  suspicious: flag,
  references: count.describe('Breaches in which the address was seen'),
  deliverable: flag.describe('Its mail host accepts mail for the address; null: it was not asked, or did not say'),
  confidence: text.describe('high, medium or low: how many sources could be asked'),
  suggestion: text.describe('The domain that was probably meant; null: the domain does not look mistyped'),
  normalized: text.describe('The mailbox: without plus tag, Gmail without dots'),
  deliverability: text.describe(
    'What the mail host said: accepted, accept_all, rejected, full, greylisted, blocked, timeout, off … (docs/deliverability.md)',
  ),
  role: flag.describe('A role rather than a person: info@, sales@, hr.lagos@'),
  forwarding: flag.describe(
    'An alias at a forwarding service (SimpleLogin, addy.io, Firefox Relay): its owner reads the mail elsewhere and can delete the alias',
  ),
  lookalike: flag.describe('The domain imitates a well-known one'),
  signals: z.array(signal).describe('The reasons for the score'),
  details: z.object({
    blacklisted: flag,
    malicious_activity: flag,
    malicious_activity_recent: flag,
    credentials_leaked: flag.describe('A breach contained a password or its hash'),
    credentials_leaked_recent: flag.describe('Credentials leaked in the last 90 days'),
    data_breach: flag,
    first_seen: date.describe('Date of the first breach, YYYY-MM-DD'),
    last_seen: date.describe('Date of the latest breach, YYYY-MM-DD'),
    domain_exists: flag,
    domain_reputation: text,
    new_domain: flag.describe('Registered within the last year (the signal `domain_new` means 30 days)'),
    days_since_domain_creation: count,
    suspicious_tld: flag,
    spam: flag,
    free_provider: flag,
    disposable: flag,
    deliverable: flag,
    accept_all: flag.describe('The mail host accepts any address of the domain'),
    valid_mx: flag.describe('Some host accepts mail for the domain'),
    primary_mx: text,
    spoofable: flag.describe('DMARC does not stop others from sending in its name'),
    spf_strict: flag,
    dmarc_enforced: flag,
    profiles: z.array(z.string()).nullable(),
  }),
  domain_details: z.object({
    domain: text,
    tld: text,
    registered: flag,
    created: date,
    updated: date,
    expires: date,
    registrar_name: text,
    registered_to: text,
    disposable: flag,
    free: flag,
    custom: flag.describe('Neither free nor disposable'),
    dmarc_enforced: flag,
    spf_strict: flag,
    valid_mx: flag,
    accept_all: flag,
    suspicious_tld: flag,
    website_exists: flag,
  }),
  breach_details: z.object({
    haveibeenpwned_listed: flag,
    number_of_breaches: count,
    first_breach: date,
    breaches: z.array(z.string()).nullable(),
  }),
  account_details_registered: z.array(z.string()).nullable(),
});

export type EmailEntity = z.infer<typeof entity>;

/** `no_mail_host +40; role_account +5` */
const tellSignals = (value: unknown): string =>
  (value as Signal[]).map(({ code, effect }) => `${code} ${effect < 0 ? '' : '+'}${effect}`).join('; ');

/** Throws `ProviderFailure` for a record that is not an assessment. */
function readRecord(record: Record<string, unknown>): void {
  const parsed = entity.safeParse(record);
  if (!parsed.success) throw new ProviderFailure('surprise', { detail: describeIssues(parsed.error) });
}

export const emailChecks = [
  defineCheck({
    id: 'email_risk',
    family: 'email',
    summary: 'Risk of an address: disposable domain, deliverability, exposure in breaches',
    path: '/api/v1/kyc/email',
    input,
    entity,
    cells: { signals: tellSignals },
    flag: { when: 'a low reputation', isSet: ({ reputation }) => reputation === 'low' },
    priceKobo: 50_00,
    cachedPriceKobo: 20_00,
    needs: { all: { email: 1 } },
    entityIsRecord: true,
    // Erasing an address erases each of its spellings.
    subject: ({ email }) => readAddress(email).mailbox,
    async run({ email }, lookup) {
      const answer = await lookup('email', 1, email, { read: readRecord });
      return answer.found ? { found: true, entity: project(entity, answer.record) } : answer;
    },
  }),
];
