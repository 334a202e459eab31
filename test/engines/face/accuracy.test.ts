/** What the default model set achieves on the development pairs, at the service's thresholds (docs/biometrics-accuracy.md has the table). */
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPhotographs, personOf, readPairs, readPhotograph } from '../../../bench/photographs.ts';
import { type Comparer, openComparer } from '../../../src/engines/face/compare.ts';
import { bisector, confidence, cosine, isClear } from '../../../src/engines/face/embed.ts';
import { MATCH_CONFIDENCE, REVIEW_CONFIDENCE } from '../../../src/engines/face/face.ts';
import { type Manifest, readModels } from '../../../src/engines/face/models.ts';
import { modelsAreHere, skipNote } from './faces.ts';

interface Scored {
  set: string;
  isSame: boolean;
  cosine: number;
}

/** Uses every n-th pair: 1 for the table of docs/biometrics-accuracy.md, which takes a minute and a half. */
const EVERY = Number(process.env.CONFAM_TEST_FACES_EVERY ?? 3);

const isHere = hasPhotographs && modelsAreHere;

describe.skipIf(!isHere)(skipNote('accuracy'), () => {
  const pairs = isHere ? readPairs().filter((_, at) => at % EVERY === 0) : [];
  const vectors = new Map<string, Float32Array>();
  const nearer = new Map<string, Float32Array>();
  const refused: string[] = [];
  let manifest: Manifest;
  let scored: Scored[];

  beforeAll(async () => {
    const models = await readModels();
    manifest = models.manifest;
    const comparer = await openComparer(models);
    for (const name of new Set(pairs.flatMap(({ one, other }) => [one, other]))) await embedOnce(comparer, name);
    scored = pairs
      .filter(({ one, other }) => vectors.has(one) && vectors.has(other))
      .map(({ one, other, set, isSame }) => ({ set, isSame, cosine: cosine(vectors.get(one)!, vectors.get(other)!) }));
  }, 600_000);

  async function embedOnce(comparer: Comparer, name: string): Promise<void> {
    await comparer.describe(readPhotograph(name), 'portrait').then(
      (views) => {
        vectors.set(name, bisector(...views));
        nearer.set(name, views[0]);
      },
      (refusal) => refused.push(`${name} ${refusal.code}`),
    );
  }

  const isAbove = (value: number, level: number): boolean => confidence(value, manifest.confidence) >= level;
  const matches = (value: number): boolean => isAbove(value, MATCH_CONFIDENCE);
  const cosines = (isSame: boolean): number[] => scored.filter((pair) => pair.isSame === isSame).map((pair) => pair.cosine);

  /** Every image of these people against all others: far more impostors than the pairs contain. */
  function impostors(names: Iterable<string>): number[] {
    const list = [...names].filter((name) => vectors.has(name));
    return list.flatMap((one, i) =>
      list.slice(0, i).flatMap((other) => (personOf(one) === personOf(other) ? [] : [cosine(vectors.get(one)!, vectors.get(other)!)])),
    );
  }

  it('hardly any picture is refused', () => {
    console.log(`refused: ${refused.length} of ${vectors.size + refused.length}: ${refused.join(', ')}`);
    expect(refused.length).toBeLessThanOrEqual((vectors.size + refused.length) * 0.01);
  });

  it('ranks genuine pairs above impostors', () => {
    const genuine = cosines(true);
    const falseOnes = cosines(false);
    const wins = genuine.reduce(
      (sum, one) => sum + falseOnes.reduce((won, other) => won + (one > other ? 1 : one === other ? 0.5 : 0), 0),
      0,
    );
    const area = wins / (genuine.length * falseOnes.length);
    const highest = Math.max(...falseOnes);
    const missed = share(genuine, (value) => value <= highest);
    console.log(
      `ROC AUC ${area.toFixed(6)}; no false match above cosine ${highest.toFixed(3)}, where ${percent(missed)} of genuine pairs are lost`,
    );
    expect(area).toBeGreaterThanOrEqual(0.9998);
    expect(missed).toBeLessThanOrEqual(0.02);
  });

  it('strangers do not match at the default threshold, not even within one group of people', () => {
    const african = pairs.filter(({ set }) => set === 'lfw-gray-african');
    const within = impostors(new Set(african.flatMap(({ one, other }) => [one, other])));
    const all = impostors([...vectors.keys()].filter((name) => name.startsWith('g_')));
    const lost = share(cosines(true), (value) => !matches(value));
    for (const level of [REVIEW_CONFIDENCE, 70, 80, MATCH_CONFIDENCE, 95, 97, 99]) {
      const threshold = (Math.log(level / (100 - level)) - manifest.confidence.offset) / manifest.confidence.slope;
      const above = (value: number) => value >= threshold;
      console.log(
        `confidence ${level} (cosine ${threshold.toFixed(3)}): false matches ${percent(share(all, above))} of ${all.length}, within the African-descent set ${percent(share(within, above))} of ${within.length}; genuine lost ${percent(share(cosines(true), (value) => !above(value)))}`,
      );
    }
    const rate = share(within, matches);
    console.log(`within over whole: ${(rate / share(all, matches)).toFixed(1)}`);
    expect(scored.filter(({ set, isSame, cosine: value }) => set === 'lfw-gray-african' && !isSame && matches(value))).toEqual([]);
    expect(rate).toBeLessThanOrEqual(0.0005);
    expect(lost).toBeLessThanOrEqual(0.04);
  });

  it('where the nearer views are enough, the farther ones change no decision', () => {
    const names = [...vectors.keys()];
    let clear = 0;
    let changed = 0;
    for (const [i, one] of names.entries())
      for (const other of names.slice(0, i)) {
        const atFirst = cosine(nearer.get(one)!, nearer.get(other)!);
        if (!isClear(atFirst)) continue;
        clear += 1;
        const both = cosine(vectors.get(one)!, vectors.get(other)!);
        if ([5, REVIEW_CONFIDENCE, MATCH_CONFIDENCE, 99.5].some((level) => isAbove(atFirst, level) !== isAbove(both, level))) changed += 1;
        if (both >= manifest.replay_cosine) changed += 1;
      }
    const genuine = pairs.filter(({ one, other, isSame }) => isSame && vectors.has(one) && vectors.has(other));
    const clearGenuine = genuine.filter(({ one, other }) => isClear(cosine(nearer.get(one)!, nearer.get(other)!)));
    console.log(
      `clear at first: ${clear} of ${(names.length * (names.length - 1)) / 2}, ${percent(clearGenuine.length / genuine.length)} of genuine pairs`,
    );
    expect(clear).toBeGreaterThan(0);
    expect(changed).toBe(0);
  });

  it('the confidence is a probability', () => {
    const brier =
      [true, false].reduce((sum, isSame) => {
        const errors = cosines(isSame).map((value) => (Number(isSame) - confidence(value, manifest.confidence) / 100) ** 2);
        return sum + errors.reduce((total, error) => total + error, 0) / errors.length;
      }, 0) / 2;
    console.log(`Brier score ${brier.toFixed(4)}`);
    expect(brier).toBeLessThan(0.01);
  });
});

const share = (values: readonly number[], is: (value: number) => boolean): number => values.filter(is).length / values.length;
const percent = (value: number): string => `${(value * 100).toFixed(3)} %`;
