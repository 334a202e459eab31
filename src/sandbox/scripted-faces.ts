/** The answers of scripted sandbox numbers to any usable selfie, whoever is in it. `docs/sandbox.md` lists them. */
import type { FaceAnswer } from '../checks/selfie.ts';
import type { Inspection, Liveness } from '../engines/face/face.ts';

type Script = Pick<NonNullable<FaceAnswer['verdict']>, 'confidence' | 'liveness' | 'replay_suspected'>;

const LIVE: Liveness = { score: 0.99, decision: 'live', reason: null };
const SPOOF: Liveness = { score: 0.02, decision: 'spoof', reason: 'picture_of_a_picture' };

const SAME: Script = { confidence: 99.5, liveness: LIVE, replay_suspected: false };

/** By last digit. Numbers that are not found, or whose registry is down, never get here. */
const scripts: Record<string, Script> = {
  2: { ...SAME, confidence: 3.5 },
  7: { ...SAME, confidence: 70 },
  8: { ...SAME, liveness: SPOOF },
  9: { ...SAME, confidence: 100, replay_suspected: true },
};

/** Null: an ordinary number. For a scripted one the portrait is never examined. */
export function scriptedVerdict(idNumber: string): ((selfie: Inspection) => NonNullable<FaceAnswer['verdict']>) | null {
  const digit = /^0{10}(\d)$/.exec(idNumber)?.[1];
  if (digit === undefined) return null;
  return ({ quality, faces }) => ({
    ...(scripts[digit] ?? SAME),
    quality: { selfie: quality, portrait: null },
    faces: { selfie: faces, portrait: null },
  });
}
