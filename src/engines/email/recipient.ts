/**
 * Reads what a reply to RCPT TO says about the mailbox: by its code (RFC 5321 4.2), its enhanced code (RFC 3463) and, if a host gives none, its
 * words. A reply about us, or about the moment, says nothing about the mailbox.
 */
import type { Reply } from './smtp.ts';

export type RecipientVerdict = 'accepted' | 'rejected' | 'full' | 'full_now' | 'greylisted' | 'deferred' | 'blocked' | 'unclear';

/**
 * The host speaks of sender lists, policies, relaying or our sender (Postfix checks it at RCPT TO), not of the mailbox. Checked first, because some
 * hosts send it with 5.1.1.
 */
const POLICY =
  /spamhaus|spamcop|barracuda|dnsbl|rbl\b|block ?list|black ?list|deny ?list|\bblocked\b|\bbanned\b|reputation|\bspam\b|relay|reverse dns|\bptr\b|\bspf\b|dmarc|authenticat|too many|rate limit|\bsender\b|\bhelo\b|client host/i;
const GREYLISTED = /gr[ae]y-?list/i;
const FULL = /over ?quota|quota exceeded|exceeded .{0,20}quota|mailbox (?:is )?full|insufficient (?:system )?storage/i;
/** `mailbox … unavailable`: the state follows the word within this many characters. */
const MAILBOX = /(?:user|mailbox|recipient|account|address|alias)\b/gi;
const STATE = /\b(?:unknown|not found|not exist|n't exist|no longer|disabled|inactive|invalid|unavailable|rejected)/i;
const STATE_WITHIN = 75;
const NO_SUCH_MAILBOX = /(?:unknown|invalid|no such|no) (?:[a-z]{1,12} )?(?:user|mailbox|recipient|account|address)/i;

/**
 * 5.1.1 no such mailbox, 5.1.2 no such host, 5.1.3 not an address, 5.1.6 moved, 5.1.10 null MX (RFC 7505), 5.2.1 disabled. 5.1.7 and 5.1.8 are about
 * the sender. 5.4.1: Exchange Online (support.microsoft.com, "550 5.4.1 Recipient address rejected": its directory does not know the address).
 */
const REJECTED = new Set(['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);
const EXCHANGE_UNKNOWN = '5.4.1';
/** Permanent refusals that concern the mailbox even without an enhanced code: 550 unavailable, 551 not local, 553 name not allowed. */
const MAILBOX_CODES = new Set([550, 551, 553]);

export function readRecipient({ code, enhanced, lines }: Reply): RecipientVerdict {
  const text = lines.join(' ');
  if (code === 250 || code === 251) return 'accepted';
  if (code < 400) return 'unclear';
  if (code < 500) return readTransient(code, enhanced, text);
  if (POLICY.test(text)) return 'blocked';
  if (enhanced === '5.2.2' || (!isTelling(enhanced) && FULL.test(text))) return 'full';
  if (REJECTED.has(enhanced ?? '')) return 'rejected';
  if (enhanced === EXCHANGE_UNKNOWN) return /recipient address rejected/i.test(text) ? 'rejected' : 'unclear';
  if (enhanced === '5.1.7' || enhanced === '5.1.8' || enhanced?.startsWith('5.7.')) return 'blocked';
  if (isTelling(enhanced)) return 'unclear';
  return MAILBOX_CODES.has(code) && isMailboxUnknown(text) ? 'rejected' : 'unclear';
}

function isMailboxUnknown(text: string): boolean {
  if (NO_SUCH_MAILBOX.test(text)) return true;
  for (const { 0: word, index } of text.matchAll(MAILBOX)) {
    const end = index + word.length;
    if (STATE.test(text.slice(end, end + STATE_WITHIN))) return true;
  }
  return false;
}

function readTransient(code: number, enhanced: string | null, text: string): RecipientVerdict {
  if (GREYLISTED.test(text)) return 'greylisted';
  if (enhanced === '4.2.2' || FULL.test(text)) return code === 421 ? 'deferred' : 'full_now';
  return POLICY.test(text) || enhanced?.startsWith('4.7.') ? 'blocked' : 'deferred';
}

/** x.0.0 and x.5.0 are "other", so the words say more (for a mailbox that does not exist, Outlook.com sends `550 5.5.0 … mailbox unavailable`). */
const isTelling = (enhanced: string | null): boolean => enhanced !== null && !/\.[05]\.0$/.test(enhanced);
