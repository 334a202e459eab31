/**
 * Domains that people mistype and that others imitate: mailbox providers, Nigerian institutions, banks, payment services, authorities, telecoms and
 * companies, and services where everybody has an account. Data only; `mistyped.ts` and `lookalike.ts` read it.
 */

/** Where most people have their mailbox, so that a slip is likelier than a different domain. Includes the providers most used in Nigeria. */
export const PROVIDERS = words(`
  gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr ymail.com rocketmail.com hotmail.com hotmail.co.uk hotmail.fr outlook.com live.com
  msn.com icloud.com aol.com mail.com protonmail.com proton.me zoho.com fastmail.com yandex.com gmx.com tutanota.com
  zohomail.com`);

/** Real domains that are one slip away from a provider. */
export const NEIGHBOURS = new Set(
  words('cloud.com email.com gmx.net gmx.de gmx.us hushmail.com mail.ru ymail.com me.com mac.com proton.me tuta.com'),
);

/**
 * Nigerian universities, polytechnics, ministries, agencies, states and forces, by the ending of their domain (`gov.ng`, `edu.ng`). Only authorities and schools may
 * register there, so an unknown name that differs from a known one by a single slip is probably that slip.
 */
export const INSTITUTIONS: ReadonlyMap<string, string> = new Map([
  ...words(`
    aauekpoma absu abu abuad adun afebabalola ajayicrowther alhikmah atbu auchipoly aun babcock basug bazeuniversity bellsuniversity bowen bsum buk
    calebuniversity covenantuniversity crawforduniversity crutech delsu dlhs eacoed ebsu eksu elizadeuniversity esut fcehkatsina federalpolyede
    fedpolyado fedpolybida fedpolyilaro fedpolynasarawa fpno fptb fuam fubk fud fudutsinma fugashua fugus fukashere fulafia fulokoja funaab funai
    fuotuoke fupre futa futia futminna futo fuoye fuwukari gsu iaueesor ibbu imsu jabu kadunapolytechnic kasu kwarapoly kwasu lasu lasued
    lautech lbs lcu lmu madonnauniversity mapoly mau mcu mouau mtu nda ndu nileuniversity noun npc nsuk nuc nwu oauife oouagoiwoye pau plasu
    polac polyibadan rsu run slu tasued topfaith uat ui umyu uniabuja unical unijos unilag unilorin unimaid unimed uniosun uniport
    unimkar uniuyo unizik unn udusok ust veritas wesleyuni wellspringuniversity yabatech yumsuk`).map((name) => [name, 'edu.ng'] as const),
  ...words(`
    abiastate abujacity adamawastate akwaibomstate anambrastate aviation bauchistate bayelsastate benuestate boi bornostate bpe bpp
    budgetoffice cac cbn crossriverstate customs deltastate dmo ebonyistate edostate education efcc ekitistate enugustate environment faan
    fcta fccpc fmard fmic fmw finance firs fmbn fmino foreignaffairs frcn frsc galaxybackbone gombestate health icpc immigration imostate inec interior itf
    jamb jigawastate justice kadunastate kanostate katsinastate kdsg kebbistate kogistate kwarastate labour lagosstate lasg lirs naca nafdac naicom
    nass nasarawastate ncaa ncc ncdc ncdmb ncs nddc ndic ndlea ndpc neco nema nepc nerc nesrea nhia nhis nigerianports nigerianstat nigerstate nimasa nimc
    nimet nipc nipost nis nitda nmdpra nosdra npa npf npc nphcda nrc nsitf nuprc nysc oagf ogunstate ondostate osun osunstate oyostate pencom petroleumresources
    plateaustate power prisons psc riversstate sec smedan sokotostate son statehouse supremecourt tarabastate tetfund transportation
    ubec waterresources yobestate zamfarastate`).map((name) => [name, 'gov.ng'] as const),
  ...words('airforce army defencehq dhq dia navy').map((name) => [name, 'mil.ng'] as const),
]);

interface Brand {
  domain: string;
  /** The name means nothing else, so that any word of the trade beside it is suspect. Beside others only words of trust and haste are. */
  isCoined: boolean;
}

/** Institutions whose names hardly mean anything else (Unical, Unimed and Uniport are others elsewhere), so that a lure beside one speaks of it: universities, polytechnics, states, and agencies known by letters. */
const SPEAKING = /^(?:uni(?!cal|med|port)[a-z]{3,}|fut[a-z]{2,}|fedpoly.+|federalpoly.+|.+(?:poly|university|state))$/;
const AGENCIES = words(
  'fccpc icpc naicom ncdmb nddc ndic nema nerc nesrea nhia nhis nimasa nmdpra nphcda nscdc nsitf nuprc pencom smedan tetfund ubec',
);

const named = (names: string, brand: Brand): (readonly [string, Brand])[] => words(names).map((name) => [name, brand]);
const coined = (domain: string, names: string) => named(names, { domain, isCoined: true });
/** Ordinary words, a few letters that others use too, and names of many. */
const ordinary = (domain: string, names: string) => named(names, { domain, isCoined: false });

/**
 * How a brand appears inside another name: banks, payment services, telecoms and authorities of Nigeria, the companies of the world that are imitated most, and
 * services through which money is sent to Nigeria. Written from general knowledge; nobody has checked the domains one by one.
 */
export const BRANDS: ReadonlyMap<string, Brand> = new Map([
  ...[...INSTITUTIONS].flatMap(([name, ending]) => (SPEAKING.test(name) ? ordinary(`${name}.${ending}`, name) : [])),
  ...AGENCIES.flatMap((name) => ordinary(`${name}.gov.ng`, name)),
  ...coined('accessbankplc.com', 'accessbank accessbankplc accessmore'),
  ...coined('ecobank.com', 'ecobank'),
  ...coined('fcmb.com', 'fcmb'),
  ...coined('fidelitybank.ng', 'fidelitybank fidelitybankplc'),
  ...coined('firstbanknigeria.com', 'firstbank firstbanknigeria firstbankng'),
  ...coined('globusbank.com', 'globusbank'),
  ...coined('gtbank.com', 'gtbank gtworld gtbankplc gtbankng'),
  ...ordinary('gtbank.com', 'gtb'),
  ...coined('jaizbankplc.com', 'jaizbank jaizbankplc'),
  ...coined('keystonebankng.com', 'keystonebank keystonebankng'),
  ...coined('lotusbank.com', 'lotusbank'),
  ...coined('optimusbank.com', 'optimusbank'),
  ...coined('parallexbank.com', 'parallexbank'),
  ...coined('polarisbanklimited.com', 'polarisbank polarisbanklimited'),
  ...coined('premiumtrustbank.com', 'premiumtrustbank'),
  ...coined('providusbank.com', 'providusbank'),
  ...coined('stanbicibtc.com', 'stanbic stanbicibtc stanbicbank stanbicibtcbank'),
  ...coined('sterling.ng', 'sterlingbank sterlingbankng'),
  ...coined('suntrustng.com', 'suntrustbank'),
  ...coined('tajbank.com', 'tajbank'),
  ...coined('titantrustbank.com', 'titantrustbank'),
  ...coined('ubagroup.com', 'ubagroup ubabank'),
  ...ordinary('ubagroup.com', 'uba'),
  ...coined('unionbankng.com', 'unionbankng'),
  ...ordinary('unionbankng.com', 'unionbank'),
  ...coined('unitybankng.com', 'unitybankng'),
  ...ordinary('unitybankng.com', 'unitybank'),
  ...coined('wemabank.com', 'wemabank'),
  ...coined('zenithbank.com', 'zenithbank'),
  ...ordinary('wemabank.com', 'alat'),
  ...coined('bitnob.com', 'bitnob'),
  ...ordinary('busha.co', 'busha'),
  ...coined('chippercash.com', 'chippercash'),
  ...coined('cowrywise.com', 'cowrywise'),
  ...coined('korapay.com', 'korapay'),
  ...ordinary('lemfi.com', 'lemfi'),
  ...ordinary('mypaga.com', 'mypaga paga'),
  ...coined('monnify.com', 'monnify'),
  ...ordinary('nomba.com', 'nomba'),
  ...coined('palmcredit.com', 'palmcredit'),
  ...coined('quidax.com', 'quidax'),
  ...coined('renmoney.com', 'renmoney'),
  ...coined('risevest.com', 'risevest'),
  ...coined('seerbit.com', 'seerbit'),
  ...ordinary('vbank.ng', 'vbank'),
  ...coined('fairmoney.io', 'fairmoney'),
  ...coined('flutterwave.com', 'flutterwave'),
  ...coined('interswitchgroup.com', 'interswitch interswitchgroup quickteller'),
  ...coined('kuda.com', 'kudabank'),
  ...ordinary('kuda.com', 'kuda'),
  ...coined('moniepoint.com', 'moniepoint'),
  ...coined('nibss-plc.com.ng', 'nibss'),
  ...coined('opayweb.com', 'opayweb opayng'),
  ...ordinary('opayweb.com', 'opay'),
  ...coined('palmpay.com', 'palmpay'),
  ...coined('paystack.com', 'paystack'),
  ...coined('piggyvest.com', 'piggyvest'),
  ...ordinary('remita.net', 'remita'),
  ...coined('cbn.gov.ng', 'cbn centralbankofnigeria'),
  ...ordinary('boi.ng', 'bankofindustry boi'),
  ...ordinary('customs.gov.ng', 'nigeriacustoms'),
  ...ordinary('immigration.gov.ng', 'nigeriaimmigration'),
  ...ordinary('nelf.gov.ng', 'nelfund'),
  ...ordinary('nirsal.com', 'nirsal'),
  ...ordinary('npower.gov.ng', 'npower'),
  ...ordinary('tonyelumelufoundation.org', 'tonyelumelu'),
  ...ordinary('tradermoni.ng', 'tradermoni'),
  ...coined('cac.gov.ng', 'cacnigeria'),
  ...ordinary('cac.gov.ng', 'cac'),
  ...coined('efcc.gov.ng', 'efcc'),
  ...coined('firs.gov.ng', 'firs'),
  ...coined('frsc.gov.ng', 'frsc'),
  ...coined('inecnigeria.org', 'inec inecnigeria'),
  ...coined('jamb.gov.ng', 'jamb'),
  ...coined('nafdac.gov.ng', 'nafdac'),
  ...coined('ndlea.gov.ng', 'ndlea'),
  ...coined('nimc.gov.ng', 'nimc'),
  ...coined('nitda.gov.ng', 'nitda'),
  ...coined('nnpcgroup.com', 'nnpc nnpcgroup'),
  ...ordinary('npf.gov.ng', 'npf'),
  ...coined('nysc.gov.ng', 'nysc'),
  ...coined('waec.org.ng', 'waec'),
  ...coined('ng.airtel.com', 'airtel airtelnigeria'),
  ...ordinary('dangote.com', 'dangote dangotegroup'),
  ...coined('gloworld.com', 'gloworld'),
  ...ordinary('gloworld.com', 'glo'),
  ...ordinary('9mobile.com.ng', '9mobile'),
  ...ordinary('buagroup.com', 'bua buagroup'),
  ...ordinary('dstv.com', 'dstv gotv'),
  ...ordinary('konga.com', 'konga'),
  ...ordinary('nigerialng.com', 'nlng'),
  ...ordinary('seplatenergy.com', 'seplat seplatenergy'),
  ...ordinary('chevron.com', 'chevron'),
  ...ordinary('exxonmobil.com', 'exxonmobil'),
  ...ordinary('totalenergies.com', 'totalenergies'),
  ...ordinary('coca-cola.com', 'cocacola'),
  ...ordinary('jumia.com.ng', 'jumia'),
  ...coined('mtn.ng', 'mtnnigeria'),
  ...ordinary('mtn.ng', 'mtn'),
  ...ordinary('shell.com', 'shell shellnigeria'),
  ...ordinary('amazon.com', 'amazon'),
  ...ordinary('apple.com', 'apple appleid icloud'),
  ...ordinary('adobe.com', 'adobe'),
  ...ordinary('airbnb.com', 'airbnb'),
  ...ordinary('alibaba.com', 'alibaba aliexpress'),
  ...coined('bankofamerica.com', 'bankofamerica'),
  ...ordinary('barclays.co.uk', 'barclays'),
  ...coined('binance.com', 'binance'),
  ...ordinary('bybit.com', 'bybit'),
  ...ordinary('cash.app', 'cashapp'),
  ...ordinary('citi.com', 'citibank'),
  ...coined('coinbase.com', 'coinbase'),
  ...ordinary('dhl.com', 'dhl'),
  ...coined('docusign.com', 'docusign'),
  ...coined('dropbox.com', 'dropbox'),
  ...ordinary('ebay.com', 'ebay'),
  ...ordinary('fedex.com', 'fedex'),
  ...ordinary('hsbc.com', 'hsbc'),
  ...ordinary('mastercard.com', 'mastercard'),
  ...coined('metamask.io', 'metamask'),
  ...coined('moneygram.com', 'moneygram'),
  ...ordinary('payoneer.com', 'payoneer'),
  ...ordinary('remitly.com', 'remitly'),
  ...ordinary('revolut.com', 'revolut'),
  ...ordinary('roblox.com', 'roblox'),
  ...ordinary('skrill.com', 'skrill'),
  ...ordinary('snapchat.com', 'snapchat'),
  ...ordinary('spotify.com', 'spotify'),
  ...ordinary('telegram.org', 'telegram'),
  ...ordinary('tiktok.com', 'tiktok'),
  ...coined('trustwallet.com', 'trustwallet'),
  ...ordinary('twitter.com', 'twitter'),
  ...coined('wellsfargo.com', 'wellsfargo'),
  ...coined('westernunion.com', 'westernunion'),
  ...ordinary('wise.com', 'transferwise'),
  ...coined('worldremit.com', 'worldremit'),
  ...ordinary('fbi.gov', 'fbi'),
  ...ordinary('imf.org', 'imf'),
  ...ordinary('interpol.int', 'interpol'),
  ...ordinary('unicef.org', 'unicef'),
  ...ordinary('worldbank.org', 'worldbank'),
  ...coined('facebook.com', 'facebook'),
  ...coined('google.com', 'google'),
  ...coined('instagram.com', 'instagram'),
  ...coined('linkedin.com', 'linkedin'),
  ...coined('microsoft.com', 'microsoft office365'),
  ...coined('netflix.com', 'netflix'),
  ...coined('paypal.com', 'paypal'),
  ...coined('whatsapp.com', 'whatsapp'),
]);

/** Names that are found by chance where nothing separates the words (`globonus`), so that a hyphen or a dot must stand at both their ends. */
export const ONLY_APART: ReadonlySet<string> = new Set(words('alat boi bua fbi glo gtb imf nema paga'));

/** Further domains of the brands' owners, worth imitating themselves. */
export const BRAND_DOMAINS = words(`
  accessbankplc.com kudabank.com opayng.com opay-inc.com flutterwavego.com stanbicibtcbank.com zenithbank.com.ng gtbank.com.ng sterlingbank.com
  sterlingbankng.com firstbank.ng firstbankgroup.com nibss.com.ng teamapt.com quickteller.com mtnnigeria.net mtn.com airtel.com dropboxmail.com efccnigeria.org facebookmail.com
  waecnigeria.org waecdirect.org jumia.com npfmicrofinancebank.com shell.com.ng apple.com icloud.com`);

/**
 * Words that an imitator puts beside a brand and its owner hardly ever does: words of trust, of haste, of money to be had and of the state. From general
 * knowledge of phishing and of what advance-fee and recruitment frauds in Nigeria promise, after a look at what phishing_catcher looks for. Their plurals count too.
 */
export const LURES: ReadonlySet<string> = new Set(
  words(`
  account activate activation alert auth authenticate authentication authorize award beneficiary blocked bonus bvn bvnlink cashback cashgift claim
  compensation confirm confirmation credential customer customercare deactivate disbursement dispute empowerment enrol enrolment findmy freebie giveaway gov govng
  grant help helpdesk identity inheritance intervention job kyc linkage locked login lottery lucky nin notice notification official otp palliative
  passport password payout pin portal promo promotion reactivate reactivation recovery recruit recruitment refund reset restricted reward safe secure secured
  security signin stimulus support suspended unblock unclaimed unlock update upgrade urgent validate validation verification verify wallet winner withdraw
  withdrawal`),
);

/** Words of the trade, which count only beside a coined name. Their plurals count too. */
export const TRADE: ReadonlySet<string> = new Set(
  words(`
  adhoc admission app auction billing business care career cash chargeback checker clearance client delivery desk expo fee foundation fund gift hold id info
  investment invoice licence license limited link loan mail mobile nigeria office online parcel pay payment plus purchase registration release reprint resolution
  result screening scholarship service settlement shortlist slip subscription tax team token tracking transaction transfer web`),
);

/** Say nothing beside a brand. */
export const FILLERS: ReadonlySet<string> = new Set(words('4g 5g bank co group ltd my ng plc the'));

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
