/** Which rows are compared with a name, and that leaving the others early changes no answer. All names are invented. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIndex } from '../../../src/engines/aml/match/build.ts';
import { Candidates } from '../../../src/engines/aml/match/candidates.ts';
import { type ListIndex, ROW_WORD } from '../../../src/engines/aml/match/index.ts';
import { openMatcher } from '../../../src/engines/aml/match/screen.ts';
import { openSimilar } from '../../../src/engines/aml/match/similar.ts';
import { tokenize } from '../../../src/engines/aml/match/tokens.ts';
import type { Listing } from '../../../src/engines/aml/screening.ts';

const listing = (text: string, i: number): Listing => ({
  list: 'invented',
  version: '1',
  digest: '0123456789abcdef',
  entry: {
    sourceId: String(i),
    category: 'sanction',
    names: [{ text, kind: 'primary' }],
    births: [],
    countries: [],
    gender: null,
    programs: [],
    listedOn: null,
    endedOn: null,
    url: null,
  },
});

const SYLLABLES = ['ka', 'ru', 'den', 'mo', 'shi', 'bal', 'tor', 'ze', 'gwa', 'lin', 'pex', 'fu'];
/** Another word for each number. */
const wordOf = (i: number): string => [i % 12, Math.floor(i / 12) % 12, Math.floor(i / 144) % 12, 5].map((s) => SYLLABLES[s]).join('');

const SPELLINGS = ['Mohamed', 'Mohammed', 'Muhammad', 'Mohamad'];

/** 1,700 people with a common name, some in a rare spelling or with two of them; 90 with a rarer one; 6 with both, never side by side. */
const names = [
  ...Array.from({ length: 1_600 }, (_, i) => `${SPELLINGS[i % 40 === 0 ? 1 : 0]} ${wordOf(i)}`),
  ...Array.from({ length: 90 }, (_, i) => `${wordOf(i)} Barakzada ${wordOf(i * 7 + 3)}`),
  ...Array.from({ length: 6 }, (_, i) => `Barakzada ${wordOf(i + 300)} ${SPELLINGS[i % 4]}`),
  ...Array.from({ length: 100 }, (_, i) => `${SPELLINGS[i % 4]} ${wordOf(i + 500)} ${SPELLINGS[(i + 1) % 4]}`),
];

/** The rows that have a word of the name, by the rules of `Candidates`, without its shortcuts. */
function bestRows(index: ListIndex, name: string): number[] {
  const findSimilar = openSimilar(index, { isPersonal: true });
  const words = tokenize(name)
    .map(findSimilar)
    .sort((a, b) => a.rows - b.rows);
  const foldsOf = (row: number) =>
    Array.from(
      { length: index.rowWordStart[row + 1]! - index.rowWordStart[row]! },
      (_, i) => index.rowWords[(index.rowWordStart[row]! + i) * ROW_WORD + 1]!,
    );
  const evidence = Array.from({ length: index.rowCount }, (_, row) => {
    const own = foldsOf(row);
    return words.reduce((sum, { folds, similarity }) => {
      const f = folds.findIndex((fold) => own.includes(fold));
      return f === -1 ? sum : Math.fround(sum + Math.min(index.foldWeight[folds[f]!]!, 9) * similarity[f]!);
    }, 0);
  });
  const least = Math.max(...evidence) * 0.42;
  const covered = evidence.map((sum, row) => Math.fround(sum * (0.5 + 0.5 * Math.min(1, sum / (index.rowWeight[row]! + 0.01)))));
  const kept = covered.flatMap((_, row) => (evidence[row]! > 0 && evidence[row]! >= least ? [row] : []));
  const cut = kept.map((row) => covered[row]!).sort((a, b) => b - a)[59] ?? 0;
  return kept.filter((row) => covered[row]! >= cut);
}

describe('the rows compared with a name', () => {
  const { persons } = buildIndex(names.map(listing));
  const candidates = new Candidates(persons);
  const findSimilar = openSimilar(persons, { isPersonal: true });
  const found = (name: string): number[] => {
    const tokens = tokenize(name);
    return [...candidates.find(tokens, tokens.map(findSimilar))];
  };

  it.each(['Mohamed Barakzada', 'Barakzada Muhammad', 'Mohamed Barakzade', `Mohammed ${wordOf(5)}`, `Barakzada ${wordOf(7)}`])(
    '%s: are the best sixty of those with one of its words, though not all rows of the common word are read',
    (name) => {
      const best = bestRows(persons, name);
      const rows = found(name);
      expect(rows.length).toBe(Math.min(60, best.length));
      expect(rows.filter((row) => !best.includes(row))).toEqual([]);
    },
  );

  it('include whoever has both names, and whoever writes them as one', () => {
    const rows = found('Mohamed Barakzada');
    for (let i = 0; i < 6; i++) expect(rows).toContain(1_690 + i);
    const glued = buildIndex([...names, 'Mohamedbarakzada Zegwa Mohammed'].map(listing)).persons;
    const tokens = tokenize('Mohamed Barakzada');
    expect([...new Candidates(glued).find(tokens, tokens.map(openSimilar(glued, { isPersonal: true })))]).toContain(names.length);
  });
});

describe('a threshold', () => {
  const WORDS = [
    ...SPELLINGS,
    'Barakzada',
    'Okwuosa',
    'Tobenna',
    'Ade',
    'Bowale',
    'Adebowale',
    'Karim',
    'al',
    'bin',
    'Abu',
    'Min',
    'Ho',
    'Sen',
  ];
  const word = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...WORDS) }, { weight: 1, arbitrary: fc.constantFrom('T.', 'M', 'O.') });
  const name = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }))
    .map(([all, apart]) => all.map((one, i) => (i > 0 && apart[i] !== false ? ` ${one}` : one)).join(''));

  it('only leaves out hits with a lower score', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 12, maxLength: 12 }), name, (listed, sent) => {
        const matcher = openMatcher(buildIndex(listed.map(listing)));
        const screened = (threshold: number) =>
          matcher.screen({ name: sent, dateOfBirth: null, country: null, gender: null }, { threshold, lists: null });
        expect(screened(0.75)).toEqual(screened(0).filter(({ score }) => score >= 0.75));
      }),
      { numRuns: 50 },
    );
  });
});
