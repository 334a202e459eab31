/** What the letters of an address show: slips for well-known domains, imitations of them, and gibberish. */
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../../src/engines/email/address.ts';
import { gibberishOf } from '../../../src/engines/email/gibberish.ts';
import { readLikeness } from '../../../src/engines/email/lookalike.ts';

function likenessOf(domain: string) {
  const address = readAddress(`ada@${domain}`);
  return readLikeness(address);
}

const SLIPS: Record<string, string> = {
  'gmail.com': `gmial.com gmal.com gmai.com gmil.com gamil.com gmaill.com ggmail.com gnail.com gmaik.com gmaul.com gmaii.com gmail.con gmail.co
    gmail.cm gmail.om gmail.cmo gmail.comm gmail.vom gmail.com.ng gmail.net gmial.con gmailll.com www.gmail.com wwwgmail.com gmail-com.com gm.ail.com`,
  'yahoo.com': 'yaho.com yahooo.com yhoo.com yaoo.com yahoo.con yahoo.cm yajoo.com yaghoo.com',
  'hotmail.com': 'hotmial.com hotmal.com hotmai.com homail.com hormail.com htomail.com hotmail.co hotmaill.con hot.mail.com',
  'outlook.com': 'outlok.com outloook.com otulook.com outlook.co outllook.cm',
  'icloud.com': 'iclud.com icoud.com icluod.com',
  'protonmail.com': 'protonmial.com protnmail.com',
  'proton.me': 'protn.me proton.em',
  'yahoo.co.uk': 'yahoo.couk yaho.co.uk yahoo.co.uj',
  'live.com': 'live.con live.cmo',
  'unilag.edu.ng': 'unilag.edung unilag.ed.ng unilag.edu.com unliag.edu.ng unilag.edu.nh',
  'health.gov.ng': 'heath.gov.ng health.gov.nh',
  'ekitistate.gov.ng': 'ekitistate.gov.com ekitistate.gv.ng',
  'harmattan-chambers.com.ng': 'harmattan-chambers.com.nh',
};

describe('a typing error', () => {
  for (const [meant, slips] of Object.entries(SLIPS))
    test.each(slips.split(/\s+/))(`%s was probably meant to be ${meant}`, (slip) => {
      expect(likenessOf(slip).suggestion).toBe(meant);
    });
});

describe('an honest domain', () => {
  const honest = `gmail.com googlemail.com ymail.com email.com mail.com mall.com yahoo.co.uk yahoo.fr yahoo.com.br yahoo.co.in hotmail.it hotmail.co.uk
    outlook.fr outlook.co.id live.co live.ng me.com mac.com proton.me gmx.net gmx.de example.com company.com.ng gtbank.com zenithbank.com
    female.com small.com hotels.com zmail.com amail.com firstmail.com mail.ru tutanota.com tuta.com unilag.edu.ng lasg.gov.ng kudu.com mtn.com
    abv.bg gmx.ch mtu.edu.ng unimed.edu.ng lasued.edu.ng nepc.gov.ng mtnnigeria.net efccnigeria.org shell.com.ng unionpayintl.com
    apples.com maple.com pineapple.com paper.com cloud.com looked.com mainland.ng
    mail.live.com m.sn.com`;
  test.each(honest.split(/\s+/))('%s is neither a slip nor an imitation', (domain) => {
    expect(likenessOf(domain)).toEqual({ suggestion: null, isLookalike: false });
  });

  test.each(['bücher.example', 'пример.рф', 'почта.бел', '例え.jp', 'かな漢字.jp', 'δοκιμή.gr', 'ọjà.example'])(
    'in another script, %s, imitates nothing',
    (domain) => expect(likenessOf(domain)).toEqual({ suggestion: null, isLookalike: false }),
  );
});

describe('an imitation', () => {
  test.each([
    ['gmаil.com', 'gmail.com'],
    ['ɡmail.com', 'gmail.com'],
    ['gmáil.com', 'gmail.com'],
    ['gmail.cοm', 'gmail.com'],
    ['gmai1.com', 'gmail.com'],
    ['rnicrosoft.com', 'microsoft.com'],
    ['micros0ft.com', 'microsoft.com'],
    ['аррӏе.com', 'apple.com'],
    ['gtbаnk.com', 'gtbank.com'],
    ['zenithbаnk.com', 'zenithbank.com'],
    ['paypa1.com', 'paypal.com'],
  ])('%s imitates %s', (domain, imitated) => expect(likenessOf(domain)).toEqual({ suggestion: imitated, isLookalike: true }));

  test.each([
    ['gtbank-secure.com', 'gtbank.com'],
    ['cbn-gov.ng', 'cbn.gov.ng'],
    ['firstbannk.com', 'firstbanknigeria.com'],
    ['nimc.gov.ng.verify.top', 'nimc.gov.ng'],
    ['verifyuba.com', 'ubagroup.com'],
    ['zenithbank.account-update.com', 'zenithbank.com'],
    ['zenithbnk.com.ng', 'zenithbank.com'],
    ['gtb-ank.com', 'gtbank.com'],
    ['fcmb-online.com', 'fcmb.com'],
    ['sterling-bank-alert.ng', 'sterling.ng'],
    ['accessbankplc-alerts.com', 'accessbankplc.com'],
    ['waec-result-checker.ng', 'waec.org.ng'],
    ['wemab4nk.com', 'wemabank.com'],
    ['immigration-gov.ng', 'immigration.gov.ng'],
    ['unilag.edu.ng.admissions.top', 'unilag.edu.ng'],
    ['fedex-refunds.com', 'fedex.com'],
    ['uba-safelogin.com', 'ubagroup.com'],
    ['ecobank-cashback.com', 'ecobank.com'],
    ['bua-empowerment.org', 'buagroup.com'],
    ['futminna-portal.com', 'futminna.edu.ng'],
    ['nddc-palliative.org', 'nddc.gov.ng'],
    ['face-book-limited.com', 'facebook.com'],
    ['ecobank-ng.com', 'ecobank.com'],
    ['the0pay.com', 'opayweb.com'],
    ['flutterwve-confirm.com', 'flutterwave.com'],
    ['mtnnigeri.net', 'mtnnigeria.net'],
  ])('%s carries the name of %s', (domain, imitated) => expect(likenessOf(domain)).toEqual({ suggestion: imitated, isLookalike: true }));

  test.each([
    'support.google.com',
    'portal.nimc.gov.ng',
    'nimc-support.gov.ng',
    'cubana.com',
    'immigration-help.com',
    'customs-portal.com',
    'firs-timber.com',
    'firstbank.com',
    'apple-farm.com',
    'verify.top',
    'globonus.com',
    'riverbank-grants.org',
    'unical-portal.it',
    'fbijobs.gov',
    'facebookmail.com',
    'haystack-support.com',
    'b2b-support.com',
  ])('%s carries nobody’s name', (domain) => expect(likenessOf(domain)).toEqual({ suggestion: null, isLookalike: false }));

  test('is also a word of mixed scripts, even if it resembles nothing well-known', () => {
    expect(likenessOf('abсd.example')).toEqual({ suggestion: null, isLookalike: true });
  });
});

describe('the local part', () => {
  // None of them is among the names the model learned from.
  const people = `chukwuemeka oluwaseun nwachukwu okonkwo.chidi babatunde.ade ngozi mgbeke aisha.bello yusuf.abdulkareem onyinyechukwu oghenekaro
    oghenerukevwe igbinedion osagie eghosa ogheneovo omokhodion kwaghfan tersoo etimbassey uwem ndidiamaka vwegba tochi_uchenna ekpenyong ugwuanyi
    zikoraobi somtochukwukamara oluwafunmilayomi adetokunboadewale abdulmuttalib nkiruka.eze gyang.pwajok ade c.okafor jo obi1990 emeka2k
    sunshine bigboss lagosboy fashionhub techguru johnsmith christopher ọláolúwa olusegun-adewale ibrahim234 mrs.adeyemi nguyen
    jkgarba.bq rzkgadgets ktbglobal`;
  test.each(people.split(/\s+/))('%s is not gibberish', (base) => expect(gibberishOf(base)).toBeLessThan(0.5));

  test.each([
    'xkqzvbwt',
    'asdfghjkl',
    '3d90417755fb',
    'sdfsdf',
    'qjxzkvb.wq',
    'zxcvbnmk',
    'hjkhjkl',
    'a1b2c3d4e5',
    'x7k2q9z4p1',
    'bxqvzkjhgf91',
    'wrtzpsdg',
    'qwe123',
    'poiuytrewq',
    'abababab',
    'abc123456',
    '832r20a5',
  ])('%s is gibberish', (base) => expect(gibberishOf(base)).toBeGreaterThanOrEqual(0.5));

  test('at random is mostly detected, and other scripts are not judged', () => {
    let seed = 20_261_121;
    const next = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed >> 16;
    };
    const random = Array.from({ length: 1_000 }, () => Array.from({ length: 10 }, () => String.fromCharCode(97 + (next() % 26))).join(''));
    const found = random.filter((base) => gibberishOf(base) >= 0.5).length;
    console.log(`gibberish: ${found} of 1,000 random words of ten letters are found`);
    expect(found).toBeGreaterThan(700);
    expect(gibberishOf('владимир')).toBe(0);
    expect(gibberishOf('山田太郎')).toBe(0);
  });
});
