/**
 * The sandbox's internet: zones, mailboxes, registrations and breaches, for the documented addresses (docs/sandbox.md, Email) and, by rule, for all others.
 * None of it is true of the real holder of such a domain or address.
 */
import { createHash } from 'node:crypto';
import type { Breach, Registration } from '../../engines/email/email.ts';
import { DAY_MS } from '../../foundation/time.ts';
import type { DnsFault, DnsRecords, DnsZones } from './dns-server.ts';

/** What a mail host says to a recipient. */
export type Reception = 'accepts' | 'rejects' | 'full' | 'greylists';

interface SandboxDomain {
  dns?: DnsRecords | DnsFault;
  dmarc?: string | DnsFault;
  /** For recipients that are not listed; absent: `rejects`. */
  reception?: Reception;
  /** Null: neither its registry nor the breach sources can be reached. */
  ageDays?: number | null;
}

interface SandboxMailbox {
  reception: Reception;
  breaches?: readonly SandboxBreach[];
}

interface SandboxBreach {
  name: string;
  date: string | { daysAgo: number };
  hasPasswords: boolean;
}

const LOOPBACK = '127.0.0.1';
const STRICT_SPF = 'v=spf1 mx -all';
const STRICT_DMARC = 'v=DMARC1; p=reject';

/** The zone of a careful operator: a mail host, policies, a website. */
const ordinary = (domain: string): DnsRecords => ({ mx: [[10, `mail.${domain}`]], a: [LOOPBACK], txt: [STRICT_SPF] });

const domains: Readonly<Record<string, SandboxDomain>> = {
  'gmail.com': {
    dns: { mx: [[5, 'gmail-smtp-in.l.google.com']], a: [LOOPBACK], txt: ['v=spf1 redirect=_spf.google.com'] },
    dmarc: 'v=DMARC1; p=none; sp=quarantine',
  },
  'example.com.ng': {},
  'example.net': {},
  'catch-all.test': { reception: 'accepts' },
  'greylisted.test': { reception: 'greylists' },
  'spoofable.test': { dns: { mx: [[10, 'mail.spoofable.test']], a: [LOOPBACK] }, dmarc: 'nxdomain' },
  'hidden.test': { dns: { ...ordinary('hidden.test'), mx: [[10, 'mail.mailinator.com']] } },
  'null-mx.test': { dns: { mx: [[0, '.']], a: [LOOPBACK], txt: ['v=spf1 -all'] } },
  'no-mail.test': { dns: { txt: ['a domain without a host'] } },
  'a-only.test': { dns: { a: [LOOPBACK], txt: [STRICT_SPF] } },
  'no-such-domain.test': { dns: 'nxdomain', dmarc: 'nxdomain' },
  'new-domain.test': { ageDays: 9 },
  'example.top': { dns: { mx: [[10, 'mail.example.top']] }, dmarc: 'nxdomain', reception: 'accepts', ageDays: 4 },
  'partly-down.test': {
    dns: { ...ordinary('partly-down.test'), mx: 'servfail' },
    ageDays: null,
  },
  'resolver-down.test': { dns: 'servfail', dmarc: 'servfail', ageDays: null },
};

/** By mailbox: without plus tag, Gmail without dots. */
const mailboxes: Readonly<Record<string, SandboxMailbox>> = {
  'morenikedurojaiye@gmail.com': { reception: 'accepts' },
  'adaeze.okonkwo@example.com.ng': { reception: 'accepts' },
  'info@example.com.ng': { reception: 'accepts' },
  'full@example.com.ng': { reception: 'full' },
  'moved.away@example.com.ng': { reception: 'rejects' },
  'breached@example.net': {
    reception: 'accepts',
    breaches: [
      { name: 'ExampleForum', date: '2016-05-17', hasPasswords: true },
      { name: 'ExampleShop', date: '2019-11-02', hasPasswords: false },
    ],
  },
  'breached.recently@example.net': {
    reception: 'accepts',
    breaches: [{ name: 'ExampleWallet', date: { daysAgo: 40 }, hasPasswords: true }],
  },
  'tunde.bakare@catch-all.test': { reception: 'accepts' },
  'ngozi.eze@greylisted.test': { reception: 'greylists' },
  'yusuf.danladi@new-domain.test': { reception: 'accepts' },
  'x7kq9zt2wvbg@example.top': { reception: 'accepts' },
};

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined);

/** The zones of all documented domains. */
export const sandboxZones: DnsZones = Object.fromEntries([
  ['_spf.google.com', { txt: ['v=spf1 ip4:127.0.0.1 ~all'] }],
  ...Object.entries(domains).flatMap(([domain, { dns = ordinary(domain), dmarc = STRICT_DMARC }]) => [
    [domain, dns],
    [`_dmarc.${domain}`, dmarc === 'nxdomain' || dmarc === 'servfail' ? dmarc : { txt: [dmarc] }],
  ]),
]);

/** Names without a documented zone: hosts of documented domains, and every other domain, which exists and is well kept. */
export function ordinaryZone(name: string): DnsRecords | DnsFault {
  const documented = documentedAbove(name);
  if (documented) return typeof documented.dns === 'string' ? documented.dns : name.startsWith('mail.') ? { a: [LOOPBACK] } : 'nxdomain';
  if (name.startsWith('_dmarc.')) return { txt: [STRICT_DMARC] };
  return name.startsWith('_') ? 'nxdomain' : ordinary(name);
}

function documentedAbove(name: string): SandboxDomain | null {
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const domain = own(domains, name.slice(dot + 1));
    if (domain) return domain;
  }
  return null;
}

/** Whether its mail host is asked. Other addresses are not probed, as is the default with live keys: otherwise a trial upload would cost an SMTP dialogue for each row. */
export const isAskedMailbox = (mailbox: string): boolean => own(mailboxes, mailbox) !== undefined;

/** What the host of a domain says to a recipient. */
export function receptionOf(mailbox: string): Reception {
  const domain = mailbox.slice(mailbox.lastIndexOf('@') + 1);
  return own(mailboxes, mailbox)?.reception ?? own(domains, domain)?.reception ?? 'rejects';
}

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A domain without a script was registered 4 to 25 years ago, always at the same date. Null: its registry cannot be reached. */
export function registrationOf(domain: string): Registration | null {
  const script = own(domains, domain);
  if (script?.ageDays === null) return null;
  if (script?.dns === 'nxdomain')
    return { registered: false, created: null, updated: null, expires: null, registrar: null, registrant: null };
  const draw = createHash('sha256').update(domain).digest().readUInt32BE(0);
  const created = script?.ageDays ? dayBefore(script.ageDays) : `${2001 + (draw % 21)}-${two(1 + (draw % 12))}-${two(1 + (draw % 28))}`;
  return {
    registered: true,
    created,
    updated: script?.ageDays ? created : `2024${created.slice(4)}`,
    expires: `2034${created.slice(4)}`,
    registrar: 'Sandbox Registrar',
    registrant: null,
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Null: no source could be reached. */
export function breachesOf(mailbox: string): Breach[] | null {
  const domain = mailbox.slice(mailbox.lastIndexOf('@') + 1);
  if (own(domains, domain)?.ageDays === null) return null;
  return (own(mailboxes, mailbox)?.breaches ?? []).map(({ name, date, hasPasswords }) => ({
    name,
    date: typeof date === 'string' ? date : dayBefore(date.daysAgo),
    hasPasswords,
  }));
}
