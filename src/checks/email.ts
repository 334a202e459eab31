/** Risk of an email address: disposable domain, deliverability, exposure in breaches; by a provider of kind `email`. */
import { z } from 'zod';
import { defineCheck } from './check.ts';
import { requiredText } from './inputs.ts';

const input = z.object({
  email: requiredText(254)
    .transform((address) => address.toLowerCase())
    .refine((address) => z.email().safeParse(address).success, 'must be an email address')
    .describe('Email address'),
});

/** Null: not known. An engine that cannot find something out says so. */
const text = z.string().nullable();
const flag = z.boolean().nullable();
const count = z.number().nullable();
const date = text.describe('YYYY-MM-DD');

const entity = z.object({
  email: z.string(),
  score: count.describe('Risk, 0 (none) to 100'),
  reputation: text.describe('high, medium or low'),
  suspicious: flag,
  references: count.describe('Places where the address was seen'),
  deliverable: flag,
  details: z.object({
    blacklisted: flag,
    malicious_activity: flag,
    malicious_activity_recent: flag,
    credentials_leaked: flag,
    credentials_leaked_recent: flag,
    data_breach: flag,
    first_seen: date,
    last_seen: date,
    domain_exists: flag,
    domain_reputation: text,
    new_domain: flag,
    days_since_domain_creation: count,
    suspicious_tld: flag,
    spam: flag,
    free_provider: flag,
    disposable: flag,
    deliverable: flag,
    accept_all: flag,
    valid_mx: flag,
    primary_mx: text,
    spoofable: flag,
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
    custom: flag,
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
});

export const emailChecks = [
  defineCheck({
    id: 'email_risk',
    family: 'email',
    summary: 'Risk of an address: disposable domain, deliverability, exposure in breaches',
    path: '/api/v1/kyc/email',
    input,
    entity,
    priceKobo: 50_00,
    cachedPriceKobo: 20_00,
    needs: { all: { email: 1 } },
    entityIsRecord: true,
    subject: (address) => address.email,
    async run(address, lookup) {
      const answer = await lookup('email', 1, address.email);
      return answer.found ? { found: true, entity: entity.parse(answer.record) } : answer;
    },
  }),
];
