/**
 * Parses an email address by RFC 5321, 5322 and 6531, and names the rule that a bad one breaks. Forms that cannot be sent to a mail host (comments,
 * display names, several addresses) are refused, not repaired: the answer would be about an address that nobody submitted.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import emailAddresses from 'email-addresses';
import { parse as parseSuffix } from 'tldts';
import { type Address, AddressRefusal } from './email.ts';

/** Octets. A path is 256 with its angle brackets (RFC 5321, 4.5.3.1; erratum 1690 of RFC 3696). */
const ADDRESS_OCTETS_MAX = 254;
const LOCAL_OCTETS_MAX = 64;
const DOMAIN_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;

/** The messages say what is wrong and quote nothing from the input. */
const MESSAGES = {
  empty: 'is empty',
  too_long: 'is longer than 254 octets, or its part before the @ longer than 64',
  control_characters: 'contains control or invisible characters',
  several_addresses: 'contains more than one address',
  display_name: 'contains a name or angle brackets; only the address itself is read',
  comment: 'contains a comment in brackets, which is not part of an address',
  quoted_local: 'has a part before the @ that is only valid in quotation marks',
  ip_literal: 'has an IP address instead of a domain',
  syntax: 'is not written as an email address',
  local_dots: 'has a leading, trailing or double dot in its part before the @',
  domain: 'has a domain that cannot exist',
  no_dot: 'has a domain without a dot',
  reserved_name: 'has a domain that is reserved and never receives mail',
} as const;
type Rule = keyof typeof MESSAGES;

/**
 * Special-use names that public DNS does not serve (RFC 6761, 6762, 7686, 8375, 9476; ICANN 2024-07-29 for `internal`). `test`, `example` and
 * `example.com` are reserved too, but stay allowed: the sandbox serves them, and live DNS truthfully says that they take no mail.
 */
const RESERVED = new Set(['alt', 'arpa', 'internal', 'invalid', 'local', 'localhost', 'onion']);

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/** Throws `AddressRefusal`. */
export function readAddress(text: string): Address {
  const given = trimBlanks(text);
  if (given === '') throw refusal('empty');
  // The number of UTF-16 units never exceeds the number of octets, so this bounds all the work below.
  if (given.length > ADDRESS_OCTETS_MAX) throw refusal('too_long');

  const local = isDotAtoms(given) ? given.slice(0, given.indexOf('@')) : localOfRichForm(given);
  const domain = readDomain(given.slice(given.lastIndexOf('@') + 1));
  checkLocal(local, domain);

  const { domain: registrable, publicSuffix: suffix } = parseSuffix(domain, { extractHostname: false, validateHostname: false });
  const plus = local.indexOf('+');
  const tag = plus > 0 ? local.slice(plus + 1) : null;
  return {
    given,
    local,
    domain,
    unicodeDomain: domain.includes('xn--') ? domainToUnicode(domain) : domain,
    registrable,
    suffix,
    mailbox: mailboxOf(plus > 0 ? local.slice(0, plus) : local, domain),
    tag,
  };
}

/** Gmail ignores dots and accepts both of its domains (support.google.com/mail/answer/7436150 and /10313). */
function mailboxOf(base: string, domain: string): string {
  const folded = base.normalize('NFC').toLowerCase();
  return GMAIL.has(domain) ? `${folded.replaceAll('.', '')}@gmail.com` : `${folded}@${domain}`;
}

/** Whether the text is one `@` among dot-atom characters (RFC 5322, 3.2.3; RFC 6532, 3.2 above ASCII). Nearly every address is. */
function isDotAtoms(text: string): boolean {
  let ats = 0;
  let isAscii = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) throw refusal('control_characters');
    if (code === 0x40) ats++;
    else if (code > 0x7f) isAscii = false;
    else if (code !== 0x2e && ATEXT[code] === 0) ats += 2;
  }
  if (!isAscii && UNSEEN.test(text)) throw refusal('control_characters');
  return ats === 1;
}

const ATEXT = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-/=?^_`{|}~") ATEXT[char.charCodeAt(0)] = 1;

/**
 * Control and format characters (bidirectional marks, zero widths), unassigned ones, lone surrogates, blanks other than the space, ignorable letters.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

/** The local part of an address in a rich form that is merely another spelling. Throws a refusal that names the form otherwise. */
function localOfRichForm(text: string): string {
  // The parser takes quadratic time for nested comments, so it never sees them. A bracket within quotation marks would be refused anyway.
  if (text.includes('(')) throw refusal('comment');
  const parsed = emailAddresses.parseAddressList({ input: text, rfc6532: true, simple: true });
  if (!parsed) throw refusal(isSeveral(text) ? 'several_addresses' : isAddressLiteral(text) ? 'ip_literal' : 'syntax');
  const [only] = parsed;
  if (parsed.length !== 1 || only?.type !== 'mailbox') throw refusal('several_addresses');
  if (only.name !== null || text.endsWith('>')) throw refusal('display_name');
  if (only.domain.startsWith('[')) throw refusal('ip_literal');
  // The remaining cases are blanks around the parts and quotation marks around half of one, which RFC 5322 calls obsolete.
  if (!isQuotedLocal(text)) throw refusal('syntax');
  // Unneeded quotation marks do not make another mailbox (RFC 5321, 4.1.2). Where they are needed, in practice no mailbox exists.
  if (!isDotAtoms(`${only.local}@`)) throw refusal('quoted_local');
  return only.local;
}

/** A blank, a comma or a semicolon between two `@`. */
const isSeveral = (text: string): boolean =>
  text
    .split('@')
    .slice(1, -1)
    .some((part) => /[\s,;]/.test(part));

/** A quoted local part, then a domain without a blank. */
function isQuotedLocal(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 1 && text.startsWith('"') && text[at - 1] === '"' && /^\S+$/.test(text.slice(at + 1));
}

const isAddressLiteral = (text: string): boolean => text.endsWith(']') && text.includes('@[');

function checkLocal(local: string, domain: string): void {
  if (local === '') throw refusal('syntax');
  const octets = Buffer.byteLength(local);
  if (octets > LOCAL_OCTETS_MAX || octets + 1 + domain.length > ADDRESS_OCTETS_MAX) throw refusal('too_long');
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) throw refusal('local_dots');
}

/** The domain in ASCII and lower case. */
function readDomain(text: string): string {
  if (text === '') throw refusal('syntax');
  let domain = text.toLowerCase();
  // Only when needed, because it also reads numbers as IPv4 addresses and percent signs as escapes.
  if (!isHostText(domain) || domain.includes('xn--')) domain = isEscaping(domain) ? '' : domainToASCII(domain);
  if (domain === '' || domain.length > DOMAIN_OCTETS_MAX) throw refusal('domain');
  let start = 0;
  let labels = 0;
  for (;;) {
    const dot = domain.indexOf('.', start);
    const end = dot === -1 ? domain.length : dot;
    const length = end - start;
    if (length === 0 || length > LABEL_OCTETS_MAX || domain[start] === '-' || domain[end - 1] === '-') throw refusal('domain');
    labels++;
    if (dot === -1) break;
    start = dot + 1;
  }
  if (!isHostText(domain)) throw refusal('domain');
  const top = domain.slice(start);
  if (RESERVED.has(top)) throw refusal('reserved_name');
  if (labels === 1) throw refusal('no_dot');
  // No top-level domain is numeric, so an IPv4 address is never a domain name (RFC 3696, 2).
  if (isNumber(top)) throw refusal('ip_literal');
  return domain;
}

/** Letters, digits, hyphens and dots: the characters of a mail host's name (RFC 5321, 4.1.2 `sub-domain`). */
function isHostText(domain: string): boolean {
  for (let i = 0; i < domain.length; i++) {
    const code = domain.charCodeAt(i);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e)) return false;
  }
  return true;
}

const isEscaping = (domain: string): boolean => /[!-,/:-@[-`{-~]/.test(domain);
const isNumber = (label: string): boolean => /^\d+$/.test(label);

function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const refusal = (rule: Rule): AddressRefusal => new AddressRefusal(rule, MESSAGES[rule]);
