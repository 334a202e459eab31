/**
 * Face matching as a provider. With live keys it compares the given pictures. In the sandbox the portrait is the one the app enrolled for the number, and
 * scripted numbers have scripted outcomes.
 */
import { type Asker, ENGINE_NAMES, type Lookup, type LookupResult, type Pictures, type Provider } from '../checks/provider.ts';
import type { FaceAnswer } from '../checks/selfie.ts';
import type { IdType } from '../contract/portraits.ts';
import { type FaceEngine, FaceRefusal, type Inspection, MATCH_CONFIDENCE } from '../engines/face/face.ts';
import type { Context } from '../foundation/context.ts';
import { readPortrait } from '../sandbox/portraits/read.ts';
import { scriptedVerdict } from '../sandbox/scripted-faces.ts';
import type { Faces } from './faces.ts';

/** Bounds the pictures in the threads' queue: two for each look-up in flight. */
const BUDGET = { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 64, timeoutMs: 30_000 } as const;

export function openFaceProvider(ctx: Context, faces: Faces, live: boolean): Provider {
  /** `identifier`: `nin:` or `bvn:` and the number whose portrait it is; empty for two photographs. */
  async function lookup({ identifier, pictures, asker }: Lookup): Promise<LookupResult> {
    if (!pictures || !asker) throw new Error('a face comparison needs an app and pictures');
    const engine = await faces.engine();
    try {
      const isSandbox = !live && identifier !== '';
      const verdict = isSandbox ? await answerSandbox(ctx, engine, pictures, identifier, asker) : await answer(engine, pictures);
      if (verdict === 'no_portrait') return { found: false };
      return { found: true, record: { verdict, threshold: asker.settings.faceThreshold ?? MATCH_CONFIDENCE } satisfies FaceAnswer };
    } catch (error) {
      if (!(error instanceof FaceRefusal)) throw error;
      const { code, side, message } = error;
      return { found: true, record: { refusal: { code, side, message } } satisfies FaceAnswer };
    }
  }

  return { name: live ? ENGINE_NAMES.face : `sandbox_${ENGINE_NAMES.face}`, budget: BUDGET, serves: { face: 1 }, lookup };
}

/** Null: only the selfie was inspected, and it can be compared. */
type Verdict = FaceAnswer['verdict'];

async function answer(engine: FaceEngine, { selfie, portrait }: Pictures): Promise<Verdict> {
  if (portrait) return engine.compare({ selfie, portrait, wantsLiveness: true });
  await inspect(engine, selfie);
  return null;
}

async function answerSandbox(
  ctx: Context,
  engine: FaceEngine,
  { selfie, portrait }: Pictures,
  owner: string,
  asker: Asker,
): Promise<Verdict | 'no_portrait'> {
  const [idType, idNumber] = owner.split(':') as [IdType, string];
  const script = scriptedVerdict(idNumber);
  if (script) {
    const inspection = await inspect(engine, selfie);
    return portrait ? script(inspection) : null;
  }
  // No record is paid for here, so an unusable selfie may surface at the comparison.
  if (!portrait) return null;
  const enrolled = await readPortrait(ctx, asker, idType, idNumber);
  return enrolled ? answer(engine, { selfie, portrait: enrolled.image }) : 'no_portrait';
}

const inspect = (engine: FaceEngine, picture: Buffer): Promise<Inspection> =>
  engine.inspect({ picture, side: 'selfie', wantsLiveness: false });
