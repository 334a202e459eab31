/** Risk of an email address: what its letters, DNS, its mail host, its registry and known breaches say; by a provider of kind `email` (`src/emails/`). */
import { z } from 'zod';
import { readAddress } from '../engines/email/address.ts';
import { AddressRefusal, type Signal } from '../engines/email/email.ts';
import { defineCheck, project } from './check.ts';
import { requiredText } from './inputs.ts';
import { describeIssues, ProviderFailure } from './provider.ts';

/** RFC 5321, 4.5.3.1: a path of 256 octets without its angle brackets. */
const ADDRESS_LENGTH_MAX = 254;

const input = z.object({
  email: requiredText(ADDRESS_LENGTH_MAX)
    .transform((text, context) => {
      try {
        // Before it is read, since letters may become longer.
        const { local, unicodeDomain } = readAddress(text.toLowerCase());
        return `${local.normalize('NFC')}@${unicodeDomain}`;
      } catch (error) {
        if (!(error instanceof AddressRefusal)) throw error;
        context.addIssue({ code: 'custom', message: error.message, params: { rule: error.rule } });
        return z.NEVER;
      }
    })
    .describe('Email address, alone; internationalised ones too (RFC 6531)'),
});

/** Null: not known. An engine that cannot find something out says so. */
const text = z.string().nullable();
const flag = z.boolean().nullable();
const count = z.number().nullable();
const date = text.describe('YYYY-MM-DD');

const signal = z.object({
  code: z.string().describe('docs/email.md lists them'),
  effect: z.number().describe('Points added to the score, or taken away'),
  detail: z.string(),
});

/** Members of the published shapes keep their names; those that nobody here measures are null. */
const entity = z.object({
  email: z.string(),
  score: count.describe('Risk, 0 (none) to 100'),
  reputation: text.describe('high, medium or low'),
  suspicious: flag,
  references: count.describe('Breaches in which the address was seen'),
  deliverable: flag.describe('Its mail host takes mail for it; null: it was not asked, or did not say'),
  confidence: text.describe('high, medium or low: how much of it could be asked'),
  suggestion: text.describe('The domain that was probably meant; null: it does not look mistyped'),
  normalised: text.describe('The mailbox: without plus tag, Gmail without dots'),
  deliverability: text.describe(
    'What the mail host said: accepted, accept_all, rejected, full, greylisted, blocked, timeout, off … (docs/deliverability.md)',
  ),
  role: flag.describe('An office rather than a person: info@, sales@, hr.lagos@'),
  forwarding: flag.describe(
    'An alias at a forwarding service (SimpleLogin, addy.io, Firefox Relay): its owner reads it elsewhere and can end it',
  ),
  lookalike: flag.describe('The domain imitates a well-known one'),
  signals: z.array(signal).describe('The reasons for the score'),
  details: z.object({
    blacklisted: flag,
    malicious_activity: flag,
    malicious_activity_recent: flag,
    credentials_leaked: flag.describe('With a password, or its hash'),
    credentials_leaked_recent: flag.describe('In the last 90 days'),
    data_breach: flag,
    first_seen: date.describe('YYYY-MM-DD, of the first breach'),
    last_seen: date.describe('YYYY-MM-DD, of the last breach'),
    domain_exists: flag,
    domain_reputation: text,
    new_domain: flag.describe('Registered within the last year'),
    days_since_domain_creation: count,
    suspicious_tld: flag,
    spam: flag,
    free_provider: flag,
    disposable: flag,
    deliverable: flag,
    accept_all: flag.describe('The mail host takes whatever stands before the @'),
    valid_mx: flag.describe('Some host takes mail for the domain'),
    primary_mx: text,
    spoofable: flag.describe('DMARC does not keep others from sending in its name'),
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

/** Throws `ProviderFailure` for what is no assessment. */
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
    priceKobo: 50_00,
    cachedPriceKobo: 20_00,
    needs: { all: { email: 1 } },
    entityIsRecord: true,
    // Whoever is erased is so under each of his spellings.
    subject: ({ email }) => readAddress(email).mailbox,
    async run({ email }, lookup) {
      const answer = await lookup('email', 1, email, { read: readRecord });
      return answer.found ? { found: true, entity: project(entity, answer.record) } : answer;
    },
  }),
];
