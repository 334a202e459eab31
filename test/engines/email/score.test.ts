/** The table of weights: each rule with the evidence that triggers it, and how the rules combine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../../src/engines/email/address.ts';
import type { Breach, Evidence, Lettering, MailboxAnswer, MailDomain, Registration } from '../../../src/engines/email/email.ts';
import { daysSince, RULES, score } from '../../../src/engines/email/score.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

const plain: Lettering = {
  isRole: false,
  isFree: false,
  isDisposable: false,
  isSuspectedDisposable: false,
  isForwarding: false,
  isSuspiciousTld: false,
  gibberish: 0,
  suggestion: null,
  isLookalike: false,
};
const ordinary: MailDomain = {
  exists: true,
  acceptsMail: true,
  mx: ['mx.shop.example'],
  hasNullMx: false,
  isDisposableMx: false,
  isPrivateMx: false,
  spf: 'soft',
  dmarc: 'none',
  hasWebsite: true,
};
const unknownDomain = Object.fromEntries(Object.keys(ordinary).map((part) => [part, null])) as unknown as MailDomain;
const noAnswer: MailboxAnswer = { deliverable: null, acceptAll: null, reason: 'off' };
const registered: Registration = {
  registered: true,
  created: '2024-05-01',
  updated: null,
  expires: null,
  registrar: null,
  registrant: null,
};

interface Parts {
  text?: string;
  lettering?: Partial<Lettering>;
  domain?: Partial<MailDomain>;
  mailbox?: Partial<MailboxAnswer>;
  registration?: Partial<Registration>;
  breaches?: Breach[];
}

function evidence({ text = 'ada@shop.example', lettering, domain, mailbox, registration, breaches }: Parts = {}): Evidence {
  return {
    address: readAddress(text),
    lettering: { ...plain, ...lettering },
    domain: { ...ordinary, ...domain },
    mailbox: { ...noAnswer, ...mailbox },
    registration: registration ? { ...registered, ...registration } : null,
    breaches: breaches ? [{ source: 'corpus', breaches }] : null,
  };
}

const noMail = { acceptsMail: false, mx: [] };
const breach = (date: string | null, hasPasswords: boolean | null = null): Breach => ({ name: 'shop', date, hasPasswords });

/** Evidence by the signals it triggers. */
const CASES: [parts: Parts, codes: string[]][] = [
  [{}, []],
  [{ domain: { ...noMail, exists: false, spf: 'none', dmarc: 'absent', hasWebsite: false } }, ['domain_missing']],
  [{ domain: { ...noMail, hasNullMx: true } }, ['null_mx']],
  [{ domain: noMail, mailbox: { deliverable: false, reason: 'no_mail_host' } }, ['no_mail_host']],
  [{ domain: { ...noMail, isPrivateMx: true } }, ['private_mail_host']],
  [{ mailbox: { deliverable: false, acceptAll: false, reason: 'rejected' } }, ['mailbox_rejected']],
  [{ lettering: { isDisposable: true } }, ['disposable_domain']],
  [{ lettering: { isDisposable: true }, domain: { isDisposableMx: true } }, ['disposable_domain']],
  [{ domain: { isDisposableMx: true } }, ['disposable_mail_host']],
  [{ lettering: { isSuspectedDisposable: true } }, ['disposable_suspected']],
  [{ lettering: { isSuspectedDisposable: true, isFree: true } }, []],
  [{ lettering: { isSuspectedDisposable: true }, domain: { isDisposableMx: true } }, ['disposable_domain']],
  [{ lettering: { isSuspectedDisposable: true, isSuspiciousTld: true } }, ['disposable_domain', 'suspicious_tld']],
  [{ lettering: { isSuspectedDisposable: true }, registration: { created: '2026-10-22' } }, ['disposable_domain', 'domain_young']],
  [{ lettering: { isForwarding: true } }, ['forwarding_alias']],
  [{ registration: { registered: false, created: null } }, ['domain_unregistered']],
  [{ lettering: { isLookalike: true, suggestion: 'gmail.com' } }, ['lookalike_domain']],
  [{ lettering: { suggestion: 'gmail.com' } }, ['mistyped_domain']],
  [{ registration: { created: '2026-11-21' } }, ['domain_new']],
  [{ registration: { created: '2026-10-23' } }, ['domain_new']],
  [{ registration: { created: '2026-10-22' } }, ['domain_young']],
  [{ registration: { created: '2026-01-01' } }, []],
  [{ registration: { created: '2010-01-01' } }, ['domain_established']],
  [{ registration: { expires: '2026-11-20' } }, ['domain_expired']],
  [{ registration: { expires: '2026-11-22' } }, []],
  [{ lettering: { isSuspiciousTld: true } }, ['suspicious_tld']],
  [{ lettering: { gibberish: 0.5 } }, ['gibberish_local']],
  [{ lettering: { gibberish: 0.49 } }, []],
  [{ lettering: { isRole: true } }, ['role_account']],
  [{ domain: { hasWebsite: false } }, ['no_website']],
  [{ domain: { hasWebsite: false }, lettering: { isFree: true } }, []],
  [{ mailbox: { deliverable: true, acceptAll: true, reason: 'accepted' } }, ['accept_all']],
  [{ mailbox: { deliverable: true, acceptAll: false, reason: 'accepted' } }, ['mailbox_accepted']],
  [{ text: 'ada+shop@shop.example' }, ['tagged']],
  [{ domain: { spf: 'none', dmarc: 'absent' } }, ['spoofable']],
  [{ domain: { spf: 'open', dmarc: 'none' } }, ['spoofable']],
  [{ domain: { spf: 'none', dmarc: 'reject' } }, []],
  [{ domain: { spf: 'strict', dmarc: 'quarantine' } }, ['sender_protected']],
  [{ breaches: [] }, []],
  [{ breaches: [breach(null)] }, ['breached']],
  [{ breaches: [breach('2026-06-01', true)] }, ['passwords_breached_recently', 'breached']],
  [{ breaches: [breach('2026-06-01', false)] }, ['breached']],
  [{ breaches: [breach('2019-06-01', true)] }, ['breached', 'long_seen']],
];

describe('each rule', () => {
  test.each(CASES)('%j → %j', (parts, codes) => {
    const { signals } = score(evidence(parts), NOW);
    expect(signals.map(({ code }) => code)).toEqual(codes);
  });

  test('has a case here, its own word and an effect', () => {
    const codes = RULES.map(({ code }) => code);
    expect(new Set(CASES.flatMap(([, made]) => made))).toEqual(new Set(codes));
    expect(new Set(codes).size).toBe(codes.length);
    expect(RULES.every(({ effect }) => effect !== 0)).toBe(true);
  });
});

describe('the score', () => {
  test('is the base plus the reported effects, within 0 and 100', () => {
    for (const [parts] of CASES) {
      const { score: points, signals } = score(evidence(parts), NOW);
      expect(points).toBe(
        Math.min(
          100,
          Math.max(
            0,
            signals.reduce((sum, { effect }) => sum + effect, 10),
          ),
        ),
      );
    }
    const worst = score(evidence({ lettering: { isDisposable: true, isSuspiciousTld: true, gibberish: 1, isLookalike: true } }), NOW);
    expect(worst).toMatchObject({ score: 100, reputation: 'low', suspicious: true });
    const best = score(
      evidence({
        domain: { spf: 'strict', dmarc: 'reject' },
        mailbox: { deliverable: true, acceptAll: false },
        registration: { created: '2001-01-01' },
      }),
      NOW,
    );
    expect(best).toMatchObject({ score: 0, reputation: 'high', suspicious: false, confidence: 'high' });
  });

  test('is the same for the same evidence on the same day, and leaves the evidence unchanged', () => {
    const [parts] = CASES[34]!;
    const given = evidence(parts);
    const before = JSON.stringify(given);
    expect(score(given, NOW)).toEqual(score(structuredClone(given), new Date('2026-11-21T23:00:00Z')));
    expect(JSON.stringify(given)).toBe(before);
  });

  test('is suspicious as soon as one thing loses mail or hides the owner', () => {
    for (const { code, effect } of RULES.filter(({ effect }) => effect >= 60)) {
      const [parts] = CASES.find(([, codes]) => codes.length === 1 && codes[0] === code)!;
      expect(score(evidence(parts), NOW), code).toMatchObject({ suspicious: true, reputation: 'low', score: 10 + effect });
    }
  });

  test('stays so whatever else speaks for the address', () => {
    for (const { code } of RULES.filter(({ effect }) => effect >= 60)) {
      const [parts] = CASES.find(([, codes]) => codes.length === 1 && codes[0] === code)!;
      const praised = evidence({
        ...parts,
        domain: { spf: 'strict', dmarc: 'reject', ...parts.domain },
        // Where nobody takes mail, nobody was asked.
        mailbox:
          parts.domain?.acceptsMail === false ? undefined : { deliverable: true, acceptAll: false, reason: 'accepted', ...parts.mailbox },
        registration: { created: '2001-01-01', ...parts.registration },
        breaches: [breach('2019-06-01')],
      });
      expect(score(praised, NOW), code).toMatchObject({ suspicious: true, reputation: 'low' });
    }
  });
});

describe('confidence', () => {
  const cases: [Parts, 'high' | 'medium' | 'low'][] = [
    [{ domain: unknownDomain }, 'low'],
    [{ domain: unknownDomain, mailbox: { deliverable: true } }, 'medium'],
    [{ domain: unknownDomain, lettering: { isDisposable: true } }, 'medium'],
    [{}, 'medium'],
    [{ breaches: [] }, 'medium'],
    [{ breaches: [], registration: {} }, 'high'],
    [{ mailbox: { deliverable: true }, registration: {} }, 'high'],
    [{ domain: noMail }, 'high'],
    [{ lettering: { isDisposable: true } }, 'high'],
  ];
  test.each(cases)('%j → %s', (parts, confidence) => expect(score(evidence(parts), NOW).confidence).toBe(confidence));

  test('if low never gives a high reputation', () => {
    expect(score(evidence({ domain: unknownDomain }), NOW)).toMatchObject({ score: 10, reputation: 'medium', suspicious: false });
  });
});

test('days are whole UTC days', () => {
  expect(daysSince('2026-11-20', NOW)).toBe(1);
  expect(daysSince('2026-11-22', NOW)).toBe(-1);
  expect(daysSince('soon', NOW)).toBeNull();
  expect(daysSince(null, NOW)).toBeNull();
});

test('the documentation has the same table', async () => {
  const text = await readFile(join(packageRoot(), 'docs/email.md'), 'utf8');
  const documented = [...text.matchAll(/^\| `(\w+)` \| ([+−]\d+) \|/gm)].map(([, code, effect]) => [
    code,
    Number(effect!.replace('−', '-')),
  ]);
  expect(documented).toEqual(RULES.map(({ code, effect }) => [code, effect]));
});
