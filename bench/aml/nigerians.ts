/** Invented Nigerians of five groups, from the sandbox's names. */
import { CHRISTIAN, GROUPS, type GroupName, MUSLIM } from '../../src/names/nigerian-names.ts';

export const PEOPLES: Record<string, readonly GroupName[]> = {
  Hausa: ['hausa', 'kanuri'],
  Yoruba: ['yoruba'],
  Igbo: ['igbo'],
  'Niger Delta': ['edo', 'efik', 'ijaw', 'urhobo', 'ogoni', 'ikwerre', 'ejagham'],
  'Middle Belt': ['tiv', 'idoma', 'nupe', 'igala', 'ebira', 'gbagyi', 'berom', 'jukun', 'bachama', 'eggon'],
};
/** The same names for the same seed. */
export function inventNigerians(peoples: readonly GroupName[], count: number, seed: number): string[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const { muslimPercent, male, female, surnames } = GROUPS[pick(peoples) as GroupName];
    const isMale = random() < 0.5;
    const own = isMale ? male : female;
    const isMuslim = random() * 100 < muslimPercent;
    const religious = (isMuslim ? MUSLIM : CHRISTIAN)[isMale ? 'male' : 'female'];
    const given = (): string => (muslimPercent < 90 && random() < 0.4 ? pick(religious) : pick(own));
    const first = given();
    let further = '';
    if (i % 2 === 1) while (further === '' || further === first) further = given();
    let last = pick(surnames);
    while (last === first || last === further) last = pick(surnames);
    return [first, further, last].filter(Boolean).join(' ');
  });
}
