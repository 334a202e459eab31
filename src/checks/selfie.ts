/** A selfie compared with a portrait: the question to the engine, how its verdict becomes a match, and the members that every face check returns. */
import { z } from 'zod';
import {
  type FaceProblem,
  type FaceVerdict,
  type Liveness,
  type Quality,
  REVIEW_CONFIDENCE,
  type Side,
  type Unjudged,
} from '../engines/face/face.ts';
import { CheckRefusal, type Lookup } from './check.ts';
import { image, percentage } from './inputs.ts';

/** The record of kind `face`. */
export interface FaceAnswer extends Record<string, unknown> {
  /** Null: the look-up only asked whether the selfie can be compared, and it can. */
  verdict?:
    | (Omit<FaceVerdict, 'cosine' | 'quality' | 'faces'> & {
        quality: { selfie: Quality; portrait: Quality | null };
        faces: { selfie: number; portrait: number | null };
      })
    | null;
  /** The app's confidence threshold, for requests that set none. */
  threshold?: number;
  /** Instead of a verdict. */
  refusal?: { code: FaceProblem; side: Side; message: string };
}

type MatchStatus = 'MATCH' | 'REVIEW' | 'NO_MATCH';

interface Compared {
  status: MatchStatus;
  confidence: number;
  threshold: number;
  liveness: ToldLiveness;
  /** Members that every answer contains under these names. */
  details: Pick<NonNullable<FaceAnswer['verdict']>, 'quality' | 'faces' | 'replay_suspected'> & { liveness: ToldLiveness };
}

type ToldLiveness = Liveness & { advice: string | null };

const ANOTHER_PICTURE: Record<Unjudged, string> = {
  face_too_close: 'Take another picture from farther away, so that the whole head and some of what is around it can be seen',
  no_colours: 'Take another picture in colour: switch off the black-and-white filter',
};

/** Kind `face` has one tier. */
const TIER = 1;

/** Input names of the two pictures. `portrait` is null if the portrait is the one on record. */
interface Named {
  selfie: string;
  portrait: string | null;
}

export const selfie = image.describe('Selfie: JPEG, PNG or WebP as base64, bare or as a data: URI; at most 10 MB');

/** Parsed to a number from 0 to 100. Values up to 1 are fractions: nobody means one per cent. */
export const threshold = percentage
  .transform((asked) => (asked === undefined || Number(asked) > 1 ? asked : String(Number((Number(asked) * 100).toFixed(6)))))
  .describe("Minimum confidence of a match, 0 to 100; a value up to 1 is a fraction, so 1 is 100 %. Default: the app's own, else 90");

const percent = z.number().describe('0 to 100');
const count = z.int();
const quality = z.object({
  face_width: count.describe('Pixels between the sides of the face, in the picture as sent'),
  sharpness: z.number().describe('Variance of the Laplacian of the face'),
  brightness: z.number().describe('Mean luma of the face, 0 to 255'),
  roll: z.number().describe('Degrees; 0: upright'),
  yaw: z.number().describe('Degrees; 0: facing the camera'),
});

/** Members of every entity of a face check. */
export const comparedMembers = {
  threshold: percent.describe('The threshold applied, 0 to 100'),
  liveness: z.object({
    score: z.number().nullable().describe('0 to 1; null: liveness could not be judged'),
    decision: z
      .enum(['live', 'review', 'spoof', 'inconclusive'])
      .describe('inconclusive: no verdict; take another picture, as `advice` says'),
    reason: z.string().nullable().describe('null if `live`'),
    advice: z.string().nullable().describe('What to tell the person if `inconclusive`, else null'),
  }),
  quality: z.object({ selfie: quality, portrait: quality.nullable().describe('null: the number has a scripted outcome') }),
  faces: z.object({ selfie: count, portrait: count.nullable() }).describe('Number of faces found'),
  replay_suspected: z.boolean().describe('The portrait itself was probably sent as the selfie'),
};

export const matchStatus = z
  .enum(['MATCH', 'REVIEW', 'NO_MATCH'])
  .describe('REVIEW: 50 or more but below the threshold, or a suspected replay');
export const livenessVerified = z
  .boolean()
  .nullable()
  .describe('Passive liveness of the selfie; null: it could not be judged, take another picture');
export const confidence = percent;

/** Checks that the selfie can be compared, before a paid look-up at a registry. `owner`: `nin:` or `bvn:` and the number. Throws `CheckRefusal`. */
export async function inspectSelfie(lookup: Lookup, owner: string, base64: string, named: Named): Promise<void> {
  const answer = await lookup('face', TIER, owner, { pictures: { selfie: base64 } });
  if (answer.found) refuse(answer.record, named);
}

/** `owner`: empty for two photographs. Throws `CheckRefusal`. */
export async function compare(
  lookup: Lookup,
  owner: string,
  pictures: { selfie: string; portrait: string },
  named: Named,
  asked: string | undefined,
): Promise<Compared> {
  const answer = await lookup('face', TIER, owner, { pictures });
  if (!answer.found) {
    const [type] = owner.split(':') as [string];
    const how = `PUT a picture to /api/v1/sandbox/portraits/${type}/{id_number} with a test key`;
    throw new CheckRefusal(`No portrait is enrolled for this ${type.toUpperCase()}: ${how}; nothing was charged`, 'portrait_not_enrolled');
  }
  refuse(answer.record, named);
  const { verdict, threshold: ownThreshold } = answer.record as Required<FaceAnswer>;
  const { confidence: found, replay_suspected, quality: measured, faces, liveness } = verdict!;
  const score = hundredth(found);
  const least = asked === undefined ? ownThreshold : Number(asked);
  const { score: livenessScore, decision, reason } = liveness!;
  const shownLiveness = {
    score: livenessScore === null ? null : Math.round(livenessScore * 10_000) / 10_000,
    decision,
    reason,
    advice: decision === 'inconclusive' ? ANOTHER_PICTURE[reason as Unjudged] : null,
  };
  return {
    status: statusOf(score, least, replay_suspected),
    confidence: score,
    threshold: least,
    liveness: shownLiveness,
    details: {
      liveness: shownLiveness,
      quality: { selfie: rounded(measured.selfie), portrait: measured.portrait && rounded(measured.portrait) },
      faces,
      replay_suspected,
    },
  };
}

/** A suspected replay needs a person's judgement: the pictures match, but the person may not have been there. */
export function statusOf(score: number, least: number, isReplay: boolean): MatchStatus {
  if (score >= least) return isReplay ? 'REVIEW' : 'MATCH';
  return score >= REVIEW_CONFIDENCE ? 'REVIEW' : 'NO_MATCH';
}

/** Doubtful liveness does not count as verified. */
export const isLive = ({ decision }: Pick<Liveness, 'decision'>): boolean | null =>
  decision === 'inconclusive' ? null : decision === 'live';

/**
 * Null: liveness could not be judged, which accuses nobody. If the portrait itself was sent as the selfie, the risk is high whatever the liveness.
 */
export function spoofRisk({ liveness, details }: Compared): 'LOW' | 'MEDIUM' | 'HIGH' | null {
  if (liveness.decision === 'spoof' || details.replay_suspected) return 'HIGH';
  if (liveness.decision === 'inconclusive') return null;
  return liveness.decision === 'live' ? 'LOW' : 'MEDIUM';
}

function refuse(record: Record<string, unknown>, named: Named): void {
  const { refusal } = record as FaceAnswer;
  if (!refusal) return;
  const { code, side, message } = refusal;
  const field = named[side];
  if (field !== null) throw new CheckRefusal(`${message}; nothing was charged`, code, field);
  // The caller is not to blame for a fault in the registry's picture.
  if (code === 'invalid_image' || code === 'image_too_large') throw noPortrait();
  // What follows the semicolon is advice for whoever takes the picture.
  throw new CheckRefusal(`the portrait on record: ${message.split('; ', 1)[0]}; nothing was charged`, code);
}

export const noPortrait = (): CheckRefusal =>
  new CheckRefusal('The record has no portrait to compare with; nothing was charged', 'portrait_not_on_record');

const hundredth = (value: number): number => Math.round(value * 100) / 100;
const rounded = (measured: Quality): Quality =>
  Object.fromEntries(Object.entries(measured).map(([name, value]) => [name, hundredth(value)])) as unknown as Quality;
