/**
 * Which way up a face is. The detector also finds faces that lie on their side or upside down, and the embedder then mistakes strangers for one
 * person.
 */
import { mean } from './align.ts';
import type { Face } from './detect.ts';
import { type Landmarks, rollOf } from './landmarks.ts';
import type { QuarterTurns } from './picture.ts';

/** As sent first; then as a camera is held, on either side; upside down last. */
export const TURNS: readonly QuarterTurns[] = [0, 1, 3, 2];

/** Weights of a logistic fitted to upright development pictures against the same ones turned (docs/biometrics.md). */
const WEIGHTS = { sureness: 0.45, agreement: 5.8, height: 46, offset: -33.6 };
/** From here on no other rotation is tried: holds for 97 % of the development pictures, and for none of them turned. */
export const CLEARLY_UPRIGHT = 3;
/** A picture is only turned for a face that is more likely upright than not. */
export const UPRIGHT_MIN = 0;
/** In radians: eyes above mouth, and no other quarter turn is much closer to upright. */
const ROLL_MAX = (55 / 180) * Math.PI;
/** The detector's score is a float32, which has no more digits near 1. */
const SCORE_ROUNDING = 1e-6;

/**
 * Logit of the probability that the face is upright. An upright face gets a higher detection score than a lying one, its landmarks agree over several
 * crops, and they lie in the lower part of its box, which reaches from hair to chin.
 */
export function uprightness({ score, box }: Face, { points, spread }: Landmarks): number {
  const roll = rollOf(points);
  if (Math.abs(roll) > ROLL_MAX) return Number.NEGATIVE_INFINITY;
  const middle = mean(points);
  const across = middle.x - box.left - box.width / 2;
  const down = middle.y - box.top - box.height / 2;
  const height = (down * Math.cos(roll) - across * Math.sin(roll)) / box.height;
  return (
    WEIGHTS.sureness * Math.log(score / (1 - score + SCORE_ROUNDING)) -
    WEIGHTS.agreement * Math.log(spread) +
    WEIGHTS.height * height +
    WEIGHTS.offset
  );
}
