/** Finds the domain that a mistyped one was meant to be: a provider's, a Nigerian institution's, or any domain with an ending that does not exist. */
import { parse } from 'tldts';
import { INSTITUTIONS, NEIGHBOURS, PROVIDERS } from './brands.ts';
import { isOneSlip, slips } from './keyboard.ts';

const INSTITUTION_ENDINGS = new Set(INSTITUTIONS.values());
const PROVIDER_SET = new Set(PROVIDERS);
const TARGETS = PROVIDERS.map((domain) => ({ domain, name: nameOf(domain), rest: restOf(domain) }));

/** Too many honest names are close to a name of four letters or fewer. Those count with a slip in the ending only. */
const NAME_MIN = 5;
/** From this length on, a name with two slips is still unmistakable. */
const TWO_SLIPS_FROM = 7;
/** Longer than any target with its slips. */
const NAME_MAX = 14;
/** Existing endings that are still slips after a provider's name, because the provider does not use them. */
const SLIPS_OF_COM = new Set(['cam', 'cm', 'co', 'com.co', 'com.com', 'com.ng', 'ng.com', 'om', 'net', 'org']);
/** One slip away from `com`, but others really use these endings with the same names. */
const REAL_ENDINGS = new Set(['coop', 'cx', 'cv', 'dm', 'fm', 'im', 'pm', 'sm', 'tm']);
/** Endings that are typed most; the longest first, so that `gov.nh` is `gov.ng` rather than `ng`. */
const ENDINGS = ['com.ng', 'edu.ng', 'gov.ng', 'org.ng', 'co.uk', 'com', 'edu', 'net', 'org', 'ng'];
/** Names that do not exist on the internet, only in tests and documents. */
const RESERVED = new Set(['test', 'example', 'invalid', 'localhost', 'local', 'internal', 'onion', 'alt', 'arpa']);

/** Null: the domain is not a known slip. */
export function meantBy(domain: string): string | null {
  return providerMeant(domain) ?? institutionMeant(domain) ?? endingMeant(domain);
}

/** Nobody has mail at `www.gmail.com`, `g.mail.com` or `gmai.l.com`. */
export function providerInPieces(domain: string): string | null {
  const bare = domain.replace(/^www\./, '');
  if (bare !== domain && PROVIDER_SET.has(bare)) return bare;
  if (PROVIDER_SET.has(bare)) return null;
  const meant = TARGETS.find(({ name, rest }) => name.length >= NAME_MIN && bare.endsWith(`.${rest}`) && withoutDots(bare, rest) === name);
  return meant?.domain ?? null;
}

const withoutDots = (domain: string, rest: string): string => domain.slice(0, -rest.length).replaceAll('.', '');

function providerMeant(domain: string): string | null {
  if (NEIGHBOURS.has(domain)) return null;
  const rest = restOf(domain);
  // `gmailll`: a key that was held down is one slip. It leaves two letters, also of `www`.
  const typed = nameOf(domain);
  const name = typed.replaceAll(/(.)\1{2,}/g, '$1$1');
  if (name.length > NAME_MAX) return null;
  const [, glued] = /^(?:ww-?)?(.+?)(?:-?com)?$/.exec(name)!;
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const target of TARGETS) {
    if (Math.abs(target.name.length - name.length) > 2 && glued !== target.name) continue;
    const restSlips = slipsOfRest(rest, target);
    if (restSlips > 1) continue;
    const isGlued = glued === target.name && glued.length >= NAME_MIN;
    const nameSlips = Math.max(isGlued ? 0 : slipsOfName(name, target.name), Number(typed !== target.name));
    const allowed = target.name.length >= TWO_SLIPS_FROM ? 2 : 1;
    if (nameSlips <= allowed && nameSlips + restSlips > 0 && nameSlips + restSlips < fewest) {
      fewest = nameSlips + restSlips;
      best = target.domain;
    }
  }
  return best;
}

function slipsOfName(name: string, meant: string): number {
  if (name === meant) return 0;
  return meant.length < NAME_MIN ? Number.POSITIVE_INFINITY : slips(name, meant);
}

function slipsOfRest(rest: string, { name, rest: meant }: (typeof TARGETS)[number]): number {
  if (rest === meant) return 0;
  const isCom = meant === 'com' && name.length >= NAME_MIN;
  if (isCom && SLIPS_OF_COM.has(rest)) return 1;
  if (!isOneSlip(rest, meant)) return 2;
  return (isCom ? rest.length > 4 || REAL_ENDINGS.has(rest) : isSuffix(rest)) ? 2 : 1;
}

/** `unilag.edu.com`, `unilag.ed.ng`: no imitation, because an imitator would have to own the ending itself. */
export function institutionWithOtherEnding(domain: string): string | null {
  const [name, rest] = [nameOf(domain), restOf(domain)];
  const known = INSTITUTIONS.get(name);
  if (known === undefined || known === rest) return null;
  return isOneSlip(rest, known) || rest === `${known.slice(0, 3)}.com` ? `${name}.${known}` : null;
}

/** Also `covenatuniversity.edu.ng`, where the ending is one that only schools and authorities get. */
function institutionMeant(domain: string): string | null {
  const [name, rest] = [nameOf(domain), restOf(domain)];
  if (INSTITUTIONS.has(name) || name.length < NAME_MIN - 1 || !INSTITUTION_ENDINGS.has(rest)) return null;
  for (const [meant, ending] of INSTITUTIONS)
    if (ending === rest && meant.length >= NAME_MIN && isOneSlip(name, meant)) return `${meant}.${ending}`;
  return null;
}

/** `dangote.con`: the ending does not exist, and is one slip away from one that does. */
function endingMeant(domain: string): string | null {
  const labels = domain.split('.');
  const last = labels.at(-1)!;
  if (RESERVED.has(last) || existing.has(last)) return null;
  if (isSuffix(last)) {
    existing.add(last);
    return null;
  }
  for (const ending of ENDINGS) {
    for (const count of [1, 2]) {
      if (labels.length <= count) continue;
      const typed = labels.slice(-count).join('.');
      if (isOneSlip(typed, ending)) return `${labels.slice(0, -count).join('.')}.${ending}`;
    }
  }
  return null;
}

/** Existing top-level domains seen so far. */
const existing = new Set<string>();

/** Whether people register names below it. */
function isSuffix(ending: string): boolean {
  const { publicSuffix, isIcann } = parse(`example.${ending}`);
  return isIcann === true && publicSuffix === ending;
}

export function nameOf(domain: string): string {
  return domain.slice(0, domain.indexOf('.'));
}

function restOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1);
}
