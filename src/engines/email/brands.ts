/**
 * Domains that people mistype and that others imitate: mailbox providers, Nigerian institutions, banks, payment services, authorities, telecoms and
 * companies, and services where everybody has an account. Data only; `mistyped.ts` and `lookalike.ts` read it.
 */

/** Where most people have their mailbox, so that a slip is likelier than a different domain. Includes the providers most used in Nigeria. */
export const PROVIDERS = words(`
  gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr ymail.com rocketmail.com hotmail.com hotmail.co.uk hotmail.fr outlook.com live.com
  msn.com icloud.com aol.com mail.com protonmail.com proton.me zoho.com fastmail.com yandex.com gmx.com tutanota.com`);

/** Real domains that are one slip away from a provider. */
export const NEIGHBOURS = new Set(
  words('cloud.com email.com gmx.net gmx.de gmx.us hushmail.com mail.ru ymail.com me.com mac.com proton.me tuta.com zohomail.com'),
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

const named = (names: string, brand: Brand): (readonly [string, Brand])[] => words(names).map((name) => [name, brand]);
const coined = (domain: string, names: string) => named(names, { domain, isCoined: true });
/** Ordinary words, a few letters that others use too, and names of many. */
const ordinary = (domain: string, names: string) => named(names, { domain, isCoined: false });

/** How a brand appears inside another name. */
export const BRANDS: ReadonlyMap<string, Brand> = new Map([
  ...coined('accessbankplc.com', 'accessbank accessbankplc accessmore'),
  ...coined('ecobank.com', 'ecobank'),
  ...coined('fcmb.com', 'fcmb'),
  ...coined('fidelitybank.ng', 'fidelitybank fidelitybankplc'),
  ...coined('firstbanknigeria.com', 'firstbank firstbanknigeria firstbankng'),
  ...coined('globusbank.com', 'globusbank'),
  ...coined('gtbank.com', 'gtbank gtworld gtbankplc gtbankng'),
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
  ...coined('cowrywise.com', 'cowrywise'),
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
  ...coined('cbn.gov.ng', 'cbn'),
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
  ...ordinary('jumia.com.ng', 'jumia'),
  ...coined('mtn.ng', 'mtnnigeria'),
  ...ordinary('mtn.ng', 'mtn'),
  ...ordinary('shell.com', 'shell shellnigeria'),
  ...ordinary('amazon.com', 'amazon'),
  ...ordinary('apple.com', 'apple appleid icloud'),
  ...ordinary('dhl.com', 'dhl'),
  ...coined('facebook.com', 'facebook'),
  ...coined('google.com', 'google'),
  ...coined('instagram.com', 'instagram'),
  ...coined('linkedin.com', 'linkedin'),
  ...coined('microsoft.com', 'microsoft'),
  ...coined('netflix.com', 'netflix'),
  ...coined('paypal.com', 'paypal'),
  ...coined('whatsapp.com', 'whatsapp'),
]);

/** Further domains of the brands' owners, worth imitating themselves. */
export const BRAND_DOMAINS = words(`
  accessbankplc.com kudabank.com opayng.com opay-inc.com flutterwavego.com stanbicibtcbank.com zenithbank.com.ng gtbank.com.ng sterlingbank.com
  sterlingbankng.com firstbank.ng firstbankgroup.com nibss.com.ng teamapt.com quickteller.com mtnnigeria.net mtn.com airtel.com efccnigeria.org
  waecnigeria.org waecdirect.org jumia.com npfmicrofinancebank.com shell.com.ng apple.com icloud.com`);

/** Words that an imitator puts beside a brand and its owner hardly ever does: words of trust, of haste and of the state. */
export const LURES: ReadonlySet<string> = new Set(
  words(`
  account accounts alert alerts auth authenticate bonus bvn bvnlink claim confirm customer customercare dispute enrol enrolment giveaway gov govng grant
  help helpdesk identity jobs kyc login nin notice notification official otp passport payout pin portal promo promos recovery recruit recruitment refund
  reset reward rewards safe secure secured security signin support unblock unlock update updates upgrade validate validation verification verify wallet`),
);

/** Words of the trade, which count only beside a coined name. */
export const TRADE: ReadonlySet<string> = new Set(
  words(`
  app billing business care career careers card cards checker delivery desk foundation id info licence license link loan loans mail mobile nigeria office
  online pay payment payments plus registration result results service services tax team token tracking web`),
);

/** Say nothing beside a brand. */
export const FILLERS: ReadonlySet<string> = new Set(words('bank co group limited ltd my ng plc the'));

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
