/** Corrections and additions to the list packages. Each list states its source. Operators add to them with files (`lists.ts`). */

/**
 * Hosts of disposable services that receive for thousands of domains, most of which are on no list yet. These are the hosts that serve the most
 * listed domains in public surveys of MX records (2025, 2026), without hosts that serve others too (Cloudflare, Google, registrars). A host whose own
 * domain is on the disposable list counts without being named here.
 */
export const DISPOSABLE_MX = words(`
  wabblywabble.com wallywatts.com beavis99.com beavis99.net unstablemail.com emlhub.com spymail.one tinyhost.shop email.gravityengine.cc
  email.chatgpt.org.uk generator.email emailfake.com email-fake.com tempm.com temp-mail.io den.yt icdn.be mail.ggez.team mx.cse445.com gpa.lu
  mail.tm discard.email moakt.com prd-smtp.10minutemail.com papierkorb.me mailinator.com mailnesia.com 1secmail.com yopmail.com`);

/** Disposable services that the packages lack, under their own names. From the services' own pages. */
export const DISPOSABLE = words(
  '10minemail.com emailnator.com inboxes.com luxusmail.org mail.gw mail.tm tempmail.com tempmail.net tempmail.plus',
);

/** Honest domains that the packages call disposable, each with what it is. Forwarders are not listed here: they have a list of their own. */
export const NOT_DISPOSABLE: Readonly<Record<string, string>> = {
  'nus.edu.sg': 'National University of Singapore',
  'hush.com': 'Hushmail, paid mailboxes since 1999',
  'consultant.com': 'one of mail.com’s domains',
  'contractor.net': 'one of mail.com’s domains',
  'dr.com': 'one of mail.com’s domains',
  'techie.com': 'one of mail.com’s domains',
  'writeme.com': 'one of mail.com’s domains',
  '21cn.com': 'China Telecom, free mailboxes since 1999',
  'tom.com': 'TOM Online, free mailboxes since 1999',
  'sify.com': 'an Indian internet provider',
  'sdf.org': 'Super Dimension Fortress, shell accounts since 1987',
};

/**
 * Services for aliases of one's own mailbox, which the owner keeps: SimpleLogin, addy.io, Proton Pass, Firefox Relay, DuckDuckGo, Apple, Fastmail, Blur and
 * smaller ones. From the services' own pages.
 */
export const FORWARDING = words(`
  simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com silomails.com 8alias.com 8shield.net dralias.com
  addy.io addymail.com anonaddy.com anonaddy.me passmail.net passmail.com passinbox.com passfwd.com relay.firefox.com mozmail.com duck.com
  privaterelay.appleid.com erine.email 33mail.com forwardemail.net improvmx.com
  opayq.com`);

/** What a disposable service calls itself, as part of a domain's name. It decides only for a domain that is also on one list. */
export const THROWAWAY_NAME =
  /temp|tmp|trash|throw|dispos|fake|burner|spam|junk|guerr|\bminute|10min|20min|mailinator|onetime|oneoff|getnada|yopmail|mailnull|mail(?:drop|catch|nesia|sac)/;

/** A name that says what it is, on any list or none. */
export const TELLING_NAME =
  /temp-?mail|\bmail-?temp|(?:10|15|20|30)-?min(?:ute)?s?-?(?:e-?)?mail|throw-?away-?(?:e-?)?mail|trash-?mail|fake-?(?:e-?)?mail|burner-?mail|disposable-?(?:e-?)?mail|guerrilla-?mail|mailinator|yopmail|wegwerf-?(?:e-?)?mail/;

/** Public mailbox providers that `email-providers` 2.26.0 does not have, then internet providers of African countries, Nigerian ones last. */
export const FREE = words(`
  fastmail.com tuta.com tuta.io tutanota.com tutanota.de tutamail.com keemail.me zohomail.com zohomail.eu proton.me
  mailfence.com startmail.com disroot.org posteo.de mailo.com citromail.hu
  mweb.co.za telkomsa.net vodamail.co.za webmail.co.za iafrica.com absamail.co.za polka.co.za lantic.net
  africaonline.com.gh africaonline.co.ke africaonline.co.zw swiftkenya.com wananchi.com zol.co.zw utlonline.co.ug infocom.co.ug menara.ma aviso.ci
  cyberspace.net.ng hyperia.com linkserve.com linkserve.com.ng skannet.com skannet.com.ng`);

/** On the package's list because people type them, but nobody has a mailbox there. */
export const NOT_FREE = words('example.com example.net example.org mydomain.com test.com test.de yourdomain.com');

/**
 * Domains that cost little or nothing and are mostly bought for abuse: the five that Freenom gave away (top of Spamhaus' list of the most abused,
 * July 2018), and new ones that topped Spamhaus' and Interisle's rankings by share of abuse in several years. Endings with many honest owners are
 * left out (`xyz`, `online`, `site`, `shop`).
 */
export const SUSPICIOUS_TLDS = words(`
  cf ga gq ml tk
  bond buzz cam cfd click country cyou fit gdn icu kim lol loan men mom monster mov party quest rest sbs science stream surf top uno vip wang win
  work zip`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
