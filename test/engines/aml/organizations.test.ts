/** How names of organizations are compared. All of them are invented. */
import { describe, expect, it } from 'vitest';
import { buildIndex } from '../../../src/engines/aml/match/build.ts';
import { openMatcher } from '../../../src/engines/aml/match/screen.ts';
import type { Match, Subject } from '../../../src/engines/aml/screening.ts';
import { listed } from '../../setup/lists.ts';

const nobody: Omit<Subject, 'name'> = { type: 'organization', dateOfBirth: null, country: null, gender: null };

/** The hits of a name against one listed organization. */
function against(name: string, entry: ReturnType<typeof listed>, own: Partial<Subject> = {}): Match[] {
  const matcher = openMatcher(buildIndex([{ list: 'test', version: '1', digest: '0'.repeat(16), entry }]));
  return matcher.screen({ ...nobody, ...own, name }, { threshold: 0.75, lists: null });
}
const organization = (name: string, more = {}) => listed('1', name, { type: 'organization', ...more });
const scoreOf = (name: string, entry: string | ReturnType<typeof listed>, own?: Partial<Subject>): number =>
  against(name, typeof entry === 'string' ? organization(entry) : entry, own)[0]?.score ?? 0;

describe('names of organizations', () => {
  it.each([
    ['another legal form', 'Zubandaro Limited', 'ZUBANDARO GMBH'],
    ['a legal form in several words', 'Joint Stock Company Zubandaro', 'Zubandaro OJSC'],
    ['a legal form in Cyrillic', 'ООО Зубандаро', 'Zubandaro LLC'],
    ['a legal form in Chinese', '祖班达罗有限公司', '祖班达罗'],
    ['abbreviations', 'Zubandaro Intl Engr. Svcs Nig. Ltd', 'Zubandaro International Engineering Services Nigeria Limited'],
    ['points in initials', 'Z.K.F. Kirfawa Ltd', 'ZKF KIRFAWA LIMITED'],
    ['another order', 'Kirfawa Zubandaro Trading', 'Zubandaro Kirfawa Trading'],
    ['words written together', 'Zubandaro Kirfawa Mills', 'Zubandarokirfawa Mills'],
    ['a slip of the pen', 'Zubandaro Kirfwaro Petroleum', 'Zubandaro Kirfawaro Petroleum'],
    ['a number in words', 'Kirfawaro Plant Number Three', 'Kirfawaro Plant No. 3'],
    ['a number in Roman digits', 'Kirfawaro Ventures II', 'Kirfawaro Ventures 2'],
    ['a word of another language', 'Zubandaro Zavod', 'Zubandaro Plant'],
    ['the name without its brackets', 'Zubandaro Kirfawa', 'ZUBANDARO KIRFAWA (ZUKI)'],
    ['a common word more', 'Zubandaro Kirfawa', 'Zubandaro Kirfawa Group'],
    ['a microfinance bank as its licence has it', 'Zubandaro MFB Ltd', 'Zubandaro Microfinance Bank'],
    ['Saint in short, with an apostrophe', 'Saint Zubandaro Mission Hospital', "St. Zubandaro's Mission Hospital"],
    ['a plural of a word that tells of a trade', 'Zubandaro Fisheries', 'Zubandaro Fishery Ltd'],
    ['Arabic words in other spellings', "Jama'atu Ansarul Zubandaro", 'Jamaat Ansar al-Zubandaro'],
    ['a word of four letters in another spelling of Arabic', 'Al-Noor Zubandaro Trading', 'Al Nour Zubandaro Trading'],
    ['a title of the owner', 'Alhaji Zubandaro & Co. Ltd', 'Zubandaro and Company Limited'],
    ['an article', 'The Zubandaro Kirfawa and Co', 'Al-Zubandaro Kirfawa'],
  ])('%s is the same organization, in both directions', (_what, one, other) => {
    expect(scoreOf(one, other), 'one by the other').toBeGreaterThanOrEqual(0.75);
    expect(scoreOf(other, one), 'the other by the one').toBeGreaterThanOrEqual(0.75);
  });

  it.each([
    ['only common words agree', 'Global Trading Ventures Nigeria Limited', 'Global Trading Resources Limited'],
    ['only the trade agrees', 'Adekirawa Petroleum Limited', 'Zubandaro Petroleum Limited'],
    ['another number', 'Kirfawaro Plant No. 5', 'Kirfawaro Plant No. 3'],
    ['a popular word beside another trade', 'Falcon Foods Limited', 'Falcon Shipping Limited'],
    ['a short word that sounds alike', 'SHUT Limited', 'SUT Limited'],
    ['a known word that is no slip of another', 'Adekira Farms', 'Adekira Forms'],
    ['words of their own on both sides', 'Zubandaro Kirfawa Limited', 'Zubandaro Ferepade Limited'],
    ['digits that sound alike', 'Kirfawaro 1155', 'Kirfawaro 15'],
    ['a word that only looks like a plural', 'Zubandaro News', 'Zubandaro New'],
    ['three initials', 'Kirfawa Tamba Zubandaro', 'KTZ'],
  ])('%s: another organization', (_what, one, other) => {
    expect(scoreOf(one, other)).toBe(0);
    expect(scoreOf(other, one)).toBe(0);
  });

  it('an acronym of five letters finds the name and is found by it; one of four needs the country too', () => {
    expect(against('NKOZT', organization('Northern Kirfawa Oil Zubandaro Tankers'))[0]?.explanation.rules).toContain('acronym');
    expect(scoreOf('Northern Kirfawa Oil Zubandaro Tankers', 'NKOZT')).toBe(0.78);
    const four = organization('Kirfawa Oil Zubandaro Tankers', { countries: ['TG'] });
    expect(scoreOf('KOZT', four)).toBe(0);
    expect(scoreOf('KOZT', four, { country: 'TG' })).toBe(0.76);
  });

  it('a registration number that agrees finds another name, and makes a doubtful one certain', () => {
    const entry = organization('Zubandaro Kirfawa Mills', { registrations: ['9900551'], countries: ['TG'] });
    expect(scoreOf('Zubandaro Kirfawa Ferepade Limited', entry, { registration: 'RC 9900551' })).toBe(0.95);
    expect(against('Adekira Farms', entry, { registration: 'rc-9900551' })[0]).toMatchObject({
      score: 0.8,
      explanation: { rules: ['registration_number'] },
    });
    expect(scoreOf('Adekira Farms', entry, { registration: '9900551', country: 'GH' })).toBe(0);
    expect(scoreOf('Adekira Farms', entry, { registration: 'RC 9900552' })).toBe(0);
  });

  it.each([
    ['of the name itself', 'Zubandaro Kirfawa Mills', 'GH', 1],
    ['of a similar name', 'Zubandaro Kirfawa Ferepade', 'TG', 0.95],
    ['of another name', 'Adekira Farms', 'TG', 0.8],
  ])('beside a number that agrees, the country %s changes nothing, and says so', (_, name, country, score) => {
    const entry = organization('Zubandaro Kirfawa Mills', { registrations: ['9900551'], countries: ['TG'] });
    expect(against(name, entry, { registration: '9900551', country })[0]).toMatchObject({
      score,
      explanation: { country: { listed: ['TG'], effect: 0 } },
    });
  });

  it('a short number supports a name but finds none', () => {
    const entry = organization('Zubandaro Kirfawa Mills', { registrations: ['99055'] });
    expect(scoreOf('Adekira Farms', entry, { registration: '99055' })).toBe(0);
    expect(scoreOf('Zubandaro Kirfawa Ferepade Limited', entry, { registration: '99055' })).toBe(0.95);
  });

  it('the country counts both ways', () => {
    const entry = organization('Zubandaro Kirfawa Group', { countries: ['TG'] });
    const score = scoreOf('Zubandaro Kirfawa', entry);
    expect(scoreOf('Zubandaro Kirfawa', entry, { country: 'TG' })).toBeCloseTo(score + 0.02, 3);
    expect(scoreOf('Zubandaro Kirfawa', entry, { country: 'GH' })).toBeCloseTo(score - 0.05, 3);
  });
});

describe('persons and organizations', () => {
  const entries = [listed('p', 'Zubandaro Kirfawa'), listed('o', 'Zubandaro Kirfawa', { type: 'organization' })];
  const matcher = openMatcher(buildIndex(entries.map((entry) => ({ list: 'test', version: '1', digest: '0'.repeat(16), entry }))));
  const hits = (type: Partial<Subject>) =>
    matcher
      .screen({ name: 'Zubandaro Kirfawa', dateOfBirth: null, country: null, gender: null, ...type }, { threshold: 0.75, lists: null })
      .map((hit) => `${hit.sourceId} ${hit.type}`);

  it('are compared with their own kind only, and with both where the request does not tell', () => {
    expect(hits({ type: 'person' })).toEqual(['p person']);
    expect(hits({ type: 'organization' })).toEqual(['o organization']);
    expect(hits({})).toEqual(['p person', 'o organization']);
  });
});
