/** Which supplied names match the one on record. All people are invented. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareGivenNames, compareSurnames } from '../../src/names/compare.ts';
import { GROUPS } from '../../src/names/nigerian-names.ts';

const pairs = (text: string): [string, string][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim()) as [string, string]);

const SURNAMES_SAME = pairs(`
  Okafor | OKAFOR
  okafor | Okafor
  Okafor | \u00d2k\u00e1f\u1ecdr
  \u1eccl\u00e1t\u00fanj\u00ed | Olatunji
  O\u0323latunji | OLATUNJI
  \u1eb8\u0300gb\u1eb9\u0301 | Egbe
  Ad\u00e9-\u1ecc\u0300l\u00e1 | ADEOLA
  Ade Ola | Adeola
  O'Neil | ONEIL
  O\u2019Neil | O Neil
  Danj\u00fama | danjuma
  \u0181ala | Bala
  \u0198aura | Kaura
  Agbaje-Ovie | Agbaje Ovie
  Agbaje-Ovie | OVIE AGBAJE
  Mohammed | Muhammad
  MUHAMMED | Mohammad
  Suleiman | Sulaiman
  Yusuf | Yusufu
  Usman | Uthman
  Isa | Isah
  Yahaya | Yahya
  Abubakar | Abubakr
  Mustapha | Mustafa
  Abdul-Rahman | Abdulrahman
  Abdul Rahman | ABDURRAHMAN
  Abdul Kadir | Abdulqadir
  El-Amin | Elamin
  Alhaji Bello | Bello
  Mrs. Okeke | Okeke
  Okeke Jnr | Okeke
  Dr. (Mrs) Adeyemi | Adeyemi
  Mohammed-Bello | Bello Muhammad
  Imam | IMAM
  Chief | Chief
`);

const SURNAMES_DIFFERENT = pairs(`
  Okafor | Okeke
  Okafor | Okafo
  Adeyemi | Adeyemo
  Adebayo | Adebanjo
  Adebayo | Bayo
  Udo | Udoh
  Eze | Ezeh
  Obi | Obiora
  Nwosu | Nwachukwu
  Bello | Bala
  Musa | Muhammed
  Ibe | Ibekwe
  Ojo | Ajayi
  Okoye | Okoya
  O | Okafor
  O. | Okafor
  Agbaje | Agbaje-Ovie
  Agbaje-Ovie | Ovie
  Oluwole | Wole
  Nwankwo | Nwankwor
  Chukwu | Chukwuma
  Alhaji | Bello
  Abdullahi | Abdulrahman
  Danladi | Danjuma
  Edet | Edem
  Effiong | Offiong
`);

/** Supplied | first name / middle name on record. */
const GIVEN_SAME = pairs(`
  Morenike | MORENIKE / Ada
  Ada | Morenike / Ada
  Ada Morenike | Morenike / Ada
  Morenike-Ada | Morenike / Ada
  Morenike A. | Morenike / Ada
  M. Ada | Morenike / Ada
  A. Morenike | Morenike / Ada
  Morenike Grace | Morenike /
  M\u1ecdr\u1eb9\u0301n\u00edk\u1eb9\u0301 | Morenike /
  Ng\u1ecdz\u1ecb | NGOZI /
  Ngozi | Ngozichukwu /
  Seun | Oluwaseun /
  Oluwaseun | SEUN /
  Oluwa Seun | Oluwaseun /
  Olufemi | Oluwafemi /
  Femi | Olufemi /
  Tobi | Oluwatobi /
  Segun | Olusegun /
  Mide | Olumide /
  Sola | Oluwasola /
  Ife | Ifeoluwa /
  Wale | Adewale /
  Wale | Olawale /
  Tunde | Babatunde /
  Jide | Babajide /
  Bayo | Adebayo /
  Lekan | Olalekan /
  Lanre | Olanrewaju /
  Yinka | Olayinka /
  Funmi | Funmilayo /
  Temi | Temitope /
  Sade | Folashade /
  Folasade | Folashade /
  Bukky | Bukola /
  Emeka | Chukwuemeka /
  Emeka | Nnaemeka /
  Ebuka | Chukwuebuka /
  Nonso | Chinonso /
  Ike | Ikechukwu /
  Ugo | Ugochukwu /
  Tochi | Tochukwu /
  Somto | Somtochukwu /
  Amaka | Chiamaka /
  Chidimma | Chidinma /
  Ify | Ifeoma /
  Tega | Oghenetega /
  Tonye | Tamunotonye /
  Osas | Osaretin /
  Muhammed | Mohammed /
  Muhd | Muhammad /
  Mohammed Sani | Muhammad / Sani
  Abdul-Rahman | Abdulrahman /
  Abdul Rahman Sani | Abdurrahman / Sani
  Fatimah | Fatima /
  Aishat | AISHA /
  Aminat | Amina /
  Hadiza | Khadija /
  Alhaji Musa | Musa /
  Hajiya Hauwa | Hauwa /
  Dr. Chinedu | Chinedu /
  Engr Chinedu K. | Chinedu / Kelechi
  Prince | Prince /
  Prince Efosa | Efosa /
  Mike | Michael /
`);

const GIVEN_DIFFERENT = pairs(`
  Morenike | Aderonke /
  Morenike Grace | Morenike / Ada
  M | Morenike / Ada
  M. A. | Morenike / Ada
  X. Morenike | Morenike / Ada
  Ngozi | Ngozika /
  Ngozi | Nkechi /
  Adewale | Olawale /
  Adebola | Adebisi /
  Bola | Bolu /
  Oluwaseun | Oluwaseyi /
  Oluwatobi | Oluwatosin /
  Oluwa | Oluwaseun /
  Chukwuemeka | Chukwuebuka /
  Chinedu | Chinonso /
  Chinwe | Chinwendu /
  Chidi | Chika /
  Chioma | Chinyere /
  Emeka | Ebuka /
  Ikenna | Ikechukwu /
  Kelechi | Kenechukwu /
  Musa | Muhammed /
  Hassan | Hassana /
  Hussaini | Hussaina /
  Abdullahi | Abdulrahman /
  Amina | Aisha /
  Fatima | Falmata /
  Taiwo | Kehinde /
  Efe | Efosa /
  Khalid | Khalil /
  Yusuf | Yakubu /
  Alhaji | Musa /
  Ada Grace | Morenike / Ada
`);

const given = (supplied: string, onRecord: string) => {
  const [first, middle = ''] = onRecord.split('/').map((part) => part.trim());
  return compareGivenNames(supplied, first!, middle);
};

describe('a surname', () => {
  it.each(SURNAMES_SAME)('%s is %s', (supplied, onRecord) => {
    expect(compareSurnames(supplied, onRecord)).toMatchObject({ status: true });
    expect(compareSurnames(supplied, onRecord).confidence_value).toBeGreaterThanOrEqual(80);
  });
  it.each(SURNAMES_DIFFERENT)('%s is not %s', (supplied, onRecord) => {
    expect(compareSurnames(supplied, onRecord).status).toBe(false);
    expect(compareSurnames(supplied, onRecord).confidence_value).toBeLessThan(80);
  });
});

describe('given names', () => {
  it.each(GIVEN_SAME)('%s is %s', (supplied, onRecord) => {
    expect(given(supplied, onRecord)).toMatchObject({ status: true });
    expect(given(supplied, onRecord).confidence_value).toBeGreaterThanOrEqual(80);
  });
  it.each(GIVEN_DIFFERENT)('%s is not %s', (supplied, onRecord) => {
    expect(given(supplied, onRecord).status).toBe(false);
    expect(given(supplied, onRecord).confidence_value).toBeLessThan(80);
  });
});

const surnames = [...new Set(Object.values(GROUPS).flatMap((group) => group.surnames))];
const surname = fc.constantFrom(...surnames);

/** The same name as somebody else might write it. */
const rewritten = (name: string, seed: readonly number[]): string =>
  [...name]
    .map((letter, i) => {
      const choice = seed[i % seed.length]!;
      const mark = /[a-z]/i.test(letter) ? ['', '\u0301', '\u0300', '\u0323'][choice % 4]! : '';
      const gap = choice % 7 === 0 ? ' ' : '';
      return (choice % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase()) + mark + gap;
    })
    .join('');

const seeds = fc.array(fc.nat(1000), { minLength: 5, maxLength: 20 });

describe('any name', () => {
  it('case, accents and spaces never cause a mismatch', () => {
    fc.assert(
      fc.property(surname, seeds, (name, seed) => {
        expect(compareSurnames(rewritten(name, seed), name)).toEqual({ status: true, confidence_value: 100 });
        expect(compareGivenNames(rewritten(name, seed), name, '').status).toBe(true);
      }),
    );
  });

  it('surnames compare the same in both directions', () => {
    fc.assert(
      fc.property(surname, surname, (one, other) => {
        expect(compareSurnames(one, other)).toEqual(compareSurnames(other, one));
      }),
    );
  });

  it('any text may be sent, and the confidence agrees with the status', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        for (const { status, confidence_value } of [compareSurnames(one, other), compareGivenNames(one, other, one)]) {
          expect(confidence_value >= 80).toBe(status);
          expect(confidence_value).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  it('a wrong surname never matches: no two surnames of the sandbox do', () => {
    const same: string[] = [];
    for (const [i, one] of surnames.entries())
      for (const other of surnames.slice(i + 1)) if (compareSurnames(one, other).status) same.push(`${one} ${other}`);
    expect(same).toEqual([]);
  });
});
