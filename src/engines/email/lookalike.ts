/**
 * Finds domains that nearly match a well-known one: typing slips, for which the intended domain is suggested, and imitations. An imitation uses
 * similar-looking letters (RFC 5890, 4.4; Unicode TR 39), puts a well-known name inside another one, or is one slip away from a Nigerian bank.
 */
import unicodeConfusables from 'unicode-confusables';
import type { Address } from './email.ts';

export interface Likeness {
  suggestion: string | null;
  isLookalike: boolean;
}

/** Where most people have their mailbox, so that a slip is likelier than a different domain. Includes the providers most used in Nigeria. */
const PROVIDERS = words(`
  gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr ymail.com rocketmail.com hotmail.com hotmail.co.uk hotmail.fr outlook.com live.com
  msn.com icloud.com aol.com mail.com protonmail.com zoho.com fastmail.com yandex.com gmx.com tutanota.com`);

/** Real domains that are one slip away from a provider. */
const NEIGHBOURS = new Set(
  words('cloud.com email.com gmx.net gmx.de gmx.us hushmail.com mail.ru ymail.com me.com mac.com proton.me tuta.com zohomail.com'),
);

/** Other domains worth imitating: Nigerian banks, payment services and authorities, and services where everybody has an account. */
const IMITATED = words(`
  accessbankplc.com ecobank.com fcmb.com fidelitybank.ng firstbanknigeria.com gtbank.com keystonebankng.com kuda.com moniepoint.com
  polarisbanklimited.com providusbank.com stanbicibtc.com sterling.ng ubagroup.com unionbankng.com wemabank.com zenithbank.com
  flutterwave.com interswitchgroup.com nibss-plc.com.ng opayweb.com palmpay.com paystack.com remita.net
  kudabank.com opayng.com stanbicibtcbank.com zenithbank.com.ng gtbank.com.ng sterlingbank.com firstbank.ng nibss.com.ng
  cac.gov.ng cbn.gov.ng efcc.gov.ng firs.gov.ng nimc.gov.ng mtn.ng jumia.com.ng
  amazon.com apple.com facebook.com google.com instagram.com linkedin.com microsoft.com netflix.com paypal.com whatsapp.com`);

/** How a brand appears inside another name → its domain. */
const BRANDS = new Map(
  Object.entries({
    accessbank: 'accessbankplc.com',
    ecobank: 'ecobank.com',
    fcmb: 'fcmb.com',
    fidelitybank: 'fidelitybank.ng',
    firstbank: 'firstbanknigeria.com',
    gtbank: 'gtbank.com',
    keystonebank: 'keystonebankng.com',
    kuda: 'kuda.com',
    kudabank: 'kuda.com',
    moniepoint: 'moniepoint.com',
    polarisbank: 'polarisbanklimited.com',
    providusbank: 'providusbank.com',
    stanbic: 'stanbicibtc.com',
    stanbicibtc: 'stanbicibtc.com',
    sterlingbank: 'sterling.ng',
    uba: 'ubagroup.com',
    ubagroup: 'ubagroup.com',
    unionbank: 'unionbankng.com',
    wemabank: 'wemabank.com',
    zenithbank: 'zenithbank.com',
    flutterwave: 'flutterwave.com',
    interswitch: 'interswitchgroup.com',
    nibss: 'nibss-plc.com.ng',
    opay: 'opayweb.com',
    palmpay: 'palmpay.com',
    paystack: 'paystack.com',
    remita: 'remita.net',
    cac: 'cac.gov.ng',
    cbn: 'cbn.gov.ng',
    efcc: 'efcc.gov.ng',
    firs: 'firs.gov.ng',
    nimc: 'nimc.gov.ng',
    mtn: 'mtn.ng',
    jumia: 'jumia.com.ng',
    amazon: 'amazon.com',
    apple: 'apple.com',
    facebook: 'facebook.com',
    google: 'google.com',
    instagram: 'instagram.com',
    linkedin: 'linkedin.com',
    microsoft: 'microsoft.com',
    netflix: 'netflix.com',
    paypal: 'paypal.com',
    whatsapp: 'whatsapp.com',
  }),
);

/** Words that an imitator puts beside a brand and its owner hardly ever does: words of trust, of haste and of the state. */
const LURES = new Set(
  words(`
  account accounts alert alerts auth authenticate bvn claim confirm customer customercare enrol enrolment gov govng grant help helpdesk identity kyc login
  nin nigeria notice notification official otp pin portal recovery refund reset safe secure secured security signin support unblock unlock update upgrade
  validate validation verification verify wallet`),
);

/** Names long and unusual enough to be checked for slips; shorter ones and ordinary words are too close to honest names. */
const SLIPPED = new Map([
  ...[...BRANDS].filter(
    ([name]) => name.length > 6 && !['amazon', 'facebook', 'instagram', 'linkedin', 'microsoft', 'netflix', 'whatsapp'].includes(name),
  ),
  ...words('accessbankplc.com firstbanknigeria.com interswitchgroup.com polarisbanklimited.com unionbankng.com gtbank.com').map(
    (domain) => [nameOf(domain), domain] as const,
  ),
]);
const SLIPPED_RESTS = new Set(['com', 'ng', 'com.ng', 'net', 'org', 'co', 'net.ng', 'org.ng', 'con', 'cm', 'om']);

const WELL_KNOWN = new Set([...PROVIDERS, ...IMITATED]);
const TARGETS = PROVIDERS.map((domain) => ({ domain, name: nameOf(domain), rest: restOf(domain) }));

/** Too many honest names are close to a name of four letters or fewer. */
const NAME_MIN = 5;
/** From this length on, a name with two slips is still unmistakable. */
const TWO_SLIPS_FROM = 7;
/** Longer than any target with its slips. */
const NAME_MAX = 14;
/** Existing endings that are still slips after a provider's name, because the provider does not use them. */
const SLIPS_OF_COM = new Set(['cam', 'cm', 'co', 'com.co', 'com.com', 'com.ng', 'ng.com', 'om', 'net', 'org']);

export function readLikeness(address: Pick<Address, 'domain' | 'unicodeDomain' | 'registrable' | 'suffix'>): Likeness {
  const { domain, unicodeDomain, registrable } = address;
  if (WELL_KNOWN.has(domain) || NEIGHBOURS.has(domain) || WELL_KNOWN.has(registrable ?? ''))
    return { suggestion: null, isLookalike: false };
  const imitated = imitatedBy(domain, unicodeDomain) ?? brandInside(address) ?? brandSlip(address);
  if (imitated !== null) return { suggestion: imitated, isLookalike: true };
  return { suggestion: meantBy(domain), isLookalike: unicodeDomain.split('.').some(mixesScripts) };
}

function meantBy(domain: string): string | null {
  const name = nameOf(domain);
  const rest = restOf(domain);
  if (name.length < NAME_MIN - 1 || name.length > NAME_MAX) return null;
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const target of TARGETS) {
    if (target.name.length < NAME_MIN || Math.abs(target.name.length - name.length) > 2) continue;
    const restSlips = slipsOfRest(rest, target.rest);
    if (restSlips > 1) continue;
    const nameSlips = slips(name, target.name);
    const allowed = target.name.length >= TWO_SLIPS_FROM ? 2 : 1;
    if (nameSlips <= allowed && nameSlips + restSlips < fewest) {
      fewest = nameSlips + restSlips;
      best = target.domain;
    }
  }
  return best;
}

function slipsOfRest(rest: string, meant: string): number {
  if (rest === meant) return 0;
  if (meant !== 'com') return 2;
  return SLIPS_OF_COM.has(rest) || (rest.length <= 4 && !REAL_ENDINGS.has(rest) && slips(rest, meant) === 1) ? 1 : 2;
}

/** One slip away from `com`, but others really use these endings with the same names. */
const REAL_ENDINGS = new Set(['coop', 'cx', 'cv', 'dm', 'fm', 'im', 'pm', 'sm', 'tm']);

/**
 * Optimal string alignment over a typist's slips: a missing letter, two letters swapped, a neighbouring key, a key struck twice or together with its
 * neighbour. Any other edit costs more than the slips allowed.
 */
function slips(typed: string, meant: string): number {
  const width = meant.length + 1;
  const costs = new Float64Array((typed.length + 1) * width);
  for (let j = 1; j < width; j++) costs[j] = j;
  for (let i = 1; i <= typed.length; i++) {
    const at = i * width;
    const key = typed[i - 1]!;
    const isStray = !isNear(key, typed[i - 2] ?? '') && !isNear(key, typed[i] ?? '');
    costs[at] = i;
    for (let j = 1; j < width; j++) {
      const wanted = meant[j - 1]!;
      const extra = costs[at - width + j]! + (isStray ? FAR : 1);
      const missing = costs[at + j - 1]! + 1;
      const replaced = costs[at - width + j - 1]! + (key === wanted ? 0 : isNear(key, wanted) ? 1 : FAR);
      const isSwap = i > 1 && j > 1 && key === meant[j - 2] && typed[i - 2] === wanted;
      const swapped = isSwap ? costs[at - 2 * width + j - 2]! + 1 : Number.POSITIVE_INFINITY;
      costs[at + j] = Math.min(extra, missing, replaced, swapped);
    }
  }
  return costs[typed.length * width + meant.length]!;
}

const FAR = 3;
/** Each row is shifted half a key to the right of the one above it. */
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const NEAR = nearKeys();

const isNear = (key: string, other: string): boolean => key === other || NEAR.has(key + other);

function nearKeys(): Set<string> {
  const keys = ROWS.flatMap((row, y) => [...row].map((key, x) => ({ key, x: x + y / 2, y })));
  const pairs = keys.flatMap((one) =>
    keys.filter((other) => Math.abs(one.x - other.x) <= 1 && Math.abs(one.y - other.y) <= 1).map((other) => one.key + other.key),
  );
  // Keys that are not neighbours, but letters that look alike.
  return new Set([...pairs, 'il', 'li', '1l', 'l1', '0o', 'o0']);
}

/** `nimc.gov.ng.verify.top`, `gtbank-secure.com`, `verifyuba.com`: a brand's name beside a lure. */
function brandInside({ domain, registrable, suffix }: Pick<Address, 'domain' | 'registrable' | 'suffix'>): string | null {
  // Only authorities get names below gov.ng.
  if (registrable === null || suffix === 'gov.ng') return null;
  const below = `.${domain.slice(0, -registrable.length)}`;
  for (const known of WELL_KNOWN) if (below.includes(`.${known}.`)) return known;
  const parts = domain.slice(0, -(suffix?.length ?? 0) - 1).split(/[.-]/);
  let brand: string | null = null;
  let isLured = false;
  for (const part of parts) {
    if (LURES.has(part)) isLured = true;
    else if (BRANDS.has(part)) brand = BRANDS.get(part)!;
    else
      for (let cut = 3; cut + 2 < part.length; cut++) {
        const [front, back] = [part.slice(0, cut), part.slice(cut)];
        const found = LURES.has(back) ? BRANDS.get(front) : LURES.has(front) ? BRANDS.get(back) : undefined;
        if (found === undefined) continue;
        brand = found;
        isLured = true;
      }
  }
  return isLured ? brand : null;
}

/** One slip from the name of a Nigerian bank or payment service. */
function brandSlip({ registrable, suffix }: Pick<Address, 'registrable' | 'suffix'>): string | null {
  if (registrable === null || suffix === null || !SLIPPED_RESTS.has(suffix)) return null;
  const name = nameOf(registrable);
  for (const [meant, known] of SLIPPED)
    if (Math.abs(name.length - meant.length) <= 1 && name !== meant && slips(name, meant) === 1) return known;
  return null;
}

function imitatedBy(domain: string, unicodeDomain: string): string | null {
  const isAscii = domain === unicodeDomain;
  return (isAscii ? PLAIN.get(skeleton(unicodeDomain)) : FOLDED.get(folded(unicodeDomain))) ?? null;
}

/** Maps texts that look alike to one form: `rnicros0ft` to `microsoft`. */
function skeleton(text: string): string {
  const bare = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return unicodeConfusables.rectifyConfusion(bare).toLowerCase();
}

/** Letters of other scripts stand for either `i` or `l` (Cyrillic palochka). Among Latin letters, `mall.com` must not match `mail.com`. */
const folded = (text: string): string => skeleton(text).replaceAll('i', 'l');

const PLAIN = new Map([...WELL_KNOWN].map((domain) => [skeleton(domain), domain]));
const FOLDED = new Map([...WELL_KNOWN].map((domain) => [folded(domain), domain]));

/** Whether a label mixes scripts that have Latin-looking letters. An honest label does not (TR 39, "highly restrictive"). */
function mixesScripts(label: string): boolean {
  let scripts = 0;
  for (const script of SCRIPTS) if (script.test(label)) scripts++;
  return scripts > 1;
}

const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u];

function nameOf(domain: string): string {
  return domain.slice(0, domain.indexOf('.'));
}

function restOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1);
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
