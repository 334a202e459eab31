/**
 * Finds domains that nearly match a well-known one: typing slips, for which the intended domain is suggested, and imitations. An imitation uses
 * similar-looking letters (RFC 5890, 4.4; Unicode TR 39), puts a well-known name inside another one, or is one slip away from a brand.
 */
import unicodeConfusables from 'unicode-confusables';
import { BRAND_DOMAINS, BRANDS, FILLERS, INSTITUTIONS, LURES, NEIGHBOURS, ONLY_APART, PROVIDERS, TRADE } from './brands.ts';
import type { Address } from './email.ts';
import { isOneSlip } from './keyboard.ts';
import { institutionWithOtherEnding, meantBy, nameOf, providerInPieces } from './mistyped.ts';

export interface Likeness {
  suggestion: string | null;
  isLookalike: boolean;
}

type Domain = Pick<Address, 'domain' | 'unicodeDomain' | 'registrable' | 'suffix'>;

const OWNED = new Set([...[...BRANDS.values()].map(({ domain }) => domain), ...BRAND_DOMAINS]);
const WELL_KNOWN = new Set([...PROVIDERS, ...OWNED]);

/** Names long and unusual enough to be checked for slips; shorter ones and ordinary words are too close to honest names. */
const SLIPPED = new Map(
  [...BRANDS].flatMap(([name, { domain, isCoined }]) => (isCoined && name.length >= 6 ? [[name, domain] as const] : [])),
);
const SLIPPED_RESTS = new Set(['com', 'ng', 'com.ng', 'net', 'org', 'co', 'net.ng', 'org.ng', 'con', 'cm', 'om']);

export function readLikeness(address: Domain): Likeness {
  const { domain, unicodeDomain, registrable } = address;
  const inPieces = providerInPieces(domain);
  if (inPieces !== null) return { suggestion: inPieces, isLookalike: false };
  if (WELL_KNOWN.has(domain) || NEIGHBOURS.has(domain) || WELL_KNOWN.has(registrable ?? ''))
    return { suggestion: null, isLookalike: false };
  const institution = institutionWithOtherEnding(domain);
  if (institution !== null) return { suggestion: institution, isLookalike: false };
  const imitated = imitatedBy(domain, unicodeDomain) ?? brandInside(address) ?? brandSlip(address);
  if (imitated !== null) return { suggestion: imitated, isLookalike: true };
  return { suggestion: meantBy(domain), isLookalike: unicodeDomain.split('.').some(mixesScripts) };
}

/** `nimc.gov.ng.verify.top`, `gtbank-secure.com`, `verifyuba.com`: a brand's name beside a lure. */
function brandInside({ domain, registrable, suffix }: Domain): string | null {
  // Only authorities and schools can register names there.
  if (registrable === null || suffix === null || /^(?:(?:gov|edu|mil)(?:\.ng)?|int)$/.test(suffix)) return null;
  const above = domain === registrable ? null : domainAbove(`.${domain.slice(0, -registrable.length)}`);
  if (above !== null) return above;
  const labels = domain.slice(0, -suffix.length - 1).split('.');
  const parts = labels.flatMap((label) => label.split('-')).concat(suffix.split('.'));
  return (
    readParts(parts.map((part) => partsOf(part))) ??
    readParts(labels.map((label) => partsOf(label.replaceAll('-', '')))) ??
    disguisedInside(parts, suffix) ??
    authorityInside(labels.at(-1)!) ??
    brandWithHyphen(labels.at(-1)!)
  );
}

/** `nimc.gov.ng` in `.nimc.gov.ng.`: a whole well-known domain in front of another one. */
function domainAbove(front: string): string | null {
  for (const known of WELL_KNOWN) if (front.includes(`.${known}.`)) return known;
  return /\.([a-z0-9-]+\.(?:gov|edu|mil)\.ng)\./.exec(front)?.[1] ?? null;
}

/** What a name consists of, and of nothing else. */
interface Parts {
  brands: readonly string[];
  isLure: boolean;
  isTrade: boolean;
}

/** The imitated domain, if a brand stands beside a lure, a coined one beside a word of the trade, or two names of one owner beside each other. */
function readParts(read: readonly (Parts | null)[]): string | null {
  const parts = read.filter((part) => part !== null);
  const isLured = parts.some(({ isLure }) => isLure);
  const brands = parts.flatMap(({ brands }) => brands.map((name) => BRANDS.get(name)!));
  const [first] = isLured || parts.some(({ isTrade }) => isTrade) ? brands.filter(({ isCoined }) => isCoined || isLured) : [];
  const twin = brands.find((brand, i) => brand.isCoined && brands.slice(0, i).some(({ domain }) => domain === brand.domain));
  return (first ?? twin)?.domain ?? null;
}

/** `my0pay.com`, `monieepoint-verify.com`: digits for a brand's letters, or a slip in a coined name beside a lure. */
function disguisedInside(parts: readonly string[], suffix: string): string | null {
  const spelt = parts.map(lettersOf);
  const hidden = spelt.filter((part, i) => part !== parts[i]).map((part) => partsOf(part)?.brands[0]);
  const [found] = hidden.filter((name) => name !== undefined);
  if (found !== undefined) return BRANDS.get(found)!.domain;
  if (!parts.some((part) => partsOf(part)?.isLure)) return null;
  return parts.map((part) => slippedBy(part, suffix)).find((domain) => domain !== null) ?? null;
}

/** The most words that a name is taken apart into. */
const WORDS_MAX = 4;

function partsOf(text: string, wordsLeft = WORDS_MAX): Parts | null {
  const whole = wordOf(text);
  if (whole !== null || wordsLeft === 1) return whole;
  for (let cut = text.length - 2; cut >= 2; cut--) {
    const front = wordOf(text.slice(0, cut));
    const back = front && partsOf(text.slice(cut), wordsLeft - 1);
    if (!front || !back) continue;
    const brands = [...front.brands, ...back.brands].filter((name) => !ONLY_APART.has(name));
    const isLure = front.isLure || back.isLure;
    if (brands.length > 0 || isLure) return { brands, isLure, isTrade: front.isTrade || back.isTrade };
  }
  return null;
}

function wordOf(text: string): Parts | null {
  if (BRANDS.has(text)) return { brands: [text], isLure: false, isTrade: false };
  const single = text.replace(/s$/, '');
  if (LURES.has(text) || LURES.has(single)) return { brands: [], isLure: true, isTrade: false };
  if (TRADE.has(text) || TRADE.has(single)) return { brands: [], isLure: false, isTrade: true };
  return FILLERS.has(text) ? { brands: [], isLure: false, isTrade: false } : null;
}

/** `immigration-gov.ng`, `healthgov.com`: an authority's name, which may be an ordinary word, beside `gov`. */
function authorityInside(label: string): string | null {
  const bare = label.replace(/-?gov(?:-?ng)?$/, '');
  return bare !== label && INSTITUTIONS.get(bare) === 'gov.ng' ? `${bare}.gov.ng` : null;
}

/** `gtb-ank.com`, `pay-pal-limited.com`, `ubagroup-ng.com`: a coined name with a hyphen where none belongs. `first-bank.com` may be another bank. */
function brandWithHyphen(label: string): string | null {
  const parts = label.split('-');
  if (parts.length === 1 || parts.includes('bank')) return null;
  const brand = partsOf(parts.join(''))
    ?.brands.map((name) => BRANDS.get(name)!)
    .find(({ isCoined }) => isCoined);
  return brand?.domain ?? null;
}

/** One slip from a coined name, or digits for some of its letters. */
function brandSlip({ registrable, suffix }: Domain): string | null {
  if (registrable === null || suffix === null || !SLIPPED_RESTS.has(suffix)) return null;
  const name = nameOf(registrable);
  if (SLIPPED.has(name)) return null;
  return SLIPPED.get(lettersOf(name)) ?? slippedBy(name, suffix);
}

/** A name that is not that of its owner's main domain may be another of the owner's domains: `mtnnigeria.net`, not `mtn.ng`. */
function slippedBy(name: string, suffix: string): string | null {
  for (const [meant, known] of SLIPPED) {
    if (!isOneSlip(name, meant)) continue;
    const typed = `${meant}.${suffix}`;
    return nameOf(known) !== meant && OWNED.has(typed) ? typed : known;
  }
  return null;
}

const lettersOf = (text: string): string => text.replaceAll(/[013457]/g, (digit) => LETTER_OF[digit]!);

const LETTER_OF: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't' };

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
