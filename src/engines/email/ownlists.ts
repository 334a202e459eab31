/** What the list packages leave out or have wrong. Each list says where it is from; operators add to them by files (`lists.ts`). */

/**
 * Hosts of disposable services that receive for thousands of domains, most of which are on no list yet: those that serve the most listed
 * domains in public surveys of their MX records (2025, 2026), without hosts that serve others too (Cloudflare, Google, registrars).
 * Hosts whose own domain is on the disposable list count without being named here.
 */
export const DISPOSABLE_MX = words(`
  wabblywabble.com wallywatts.com beavis99.com beavis99.net unstablemail.com emlhub.com spymail.one tinyhost.shop email.gravityengine.cc
  email.chatgpt.org.uk generator.email emailfake.com email-fake.com tempm.com temp-mail.io den.yt icdn.be mail.ggez.team mx.cse445.com gpa.lu
  mail.tm discard.email moakt.com prd-smtp.10minutemail.com papierkorb.me mailinator.com mailnesia.com 1secmail.com yopmail.com`);

/** Forwarding to a mailbox of one's own is not throwing it away; `consultant.com` is one of mail.com's hundred domains. */
export const NOT_DISPOSABLE = words('consultant.com duck.com mozmail.com');

/** Mailboxes for everybody that `email-providers` 2.26.0 does not have; then those of Nigerian internet providers, from the 1990s on. */
export const FREE = words(`
  fastmail.com tuta.com tuta.io tutanota.com tutanota.de tutamail.com keemail.me zohomail.com zohomail.eu duck.com mozmail.com proton.me
  cyberspace.net.ng hyperia.com linkserve.com linkserve.com.ng skannet.com skannet.com.ng`);

/** On the package's list because people type them; nobody has a mailbox there. */
export const NOT_FREE = words('example.com example.net example.org mydomain.com test.com test.de yourdomain.com');

/** Addresses of Nigerian organisations that the package does not have. */
export const ROLES = words(
  'admissions alumni bursar bursary cashier customercare enquiry enquiries frontdesk headoffice ict registrar servicom vc',
);

/**
 * Domains that cost nothing or next to it and are mostly bought to be abused: the five that Freenom gave away (top of Spamhaus' list of the
 * most abused, July 2018), and new ones that were at the top of Spamhaus' and Interisle's rankings by share of abuse in several years. Not
 * those with many honest owners (`xyz`, `online`, `site`, `shop`).
 */
export const SUSPICIOUS_TLDS = words(`
  cf ga gq ml tk
  bond buzz cam cfd click country cyou fit gdn icu kim lol loan men mom monster mov party quest rest sbs science stream surf top uno vip wang win
  work zip`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
