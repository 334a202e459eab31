/** Face matching off the event loop: threads with open models that receive the bytes of two files and return a verdict. */
import { openThreads } from '../threads.ts';
import {
  type FaceEngine,
  type FaceProblem,
  FaceRefusal,
  type FaceRequest,
  type FaceVerdict,
  type Inspection,
  type InspectionRequest,
  type Side,
} from './face.ts';
import { ModelsError, readModels } from './models.ts';

export interface EngineOptions {
  threads: number;
  /** Folder of the operator's own model set (`CONFAM_FACE_MODELS`); undefined: the default set. */
  modelsFolder?: string;
}

export type Task = ({ kind: 'compare' } & FaceRequest) | ({ kind: 'inspect' } & InspectionRequest) | { kind: 'warm' };

export interface Answer {
  verdict?: FaceVerdict;
  inspection?: Inspection;
  refusal?: { code: FaceProblem; side: Side; message: string };
  /** Why the model set cannot be used. */
  unusable?: string;
}

/** Pixels become garbage by the megabyte, in few objects. With V8's default, two threads hold 40 MB more of them (of 385). */
const YOUNG_GENERATION_MB = 4;

/** Resolves when the first thread is ready: the others start when there is work, and the first call need not wait for them. Throws `ModelsError`. */
export async function openFaceEngine({ threads, modelsFolder }: EngineOptions): Promise<FaceEngine> {
  const models = await readModels(modelsFolder);
  const pool = openThreads<Task, Answer>(import.meta.url, './face-thread', {
    threads,
    data: models,
    youngGenerationMb: YOUNG_GENERATION_MB,
  });
  try {
    await ask({ kind: 'warm' });
  } catch (error) {
    await pool.close();
    throw error;
  }

  async function ask(task: Task, given: readonly Uint8Array[] = []): Promise<Answer> {
    // One picture may have been sent as both.
    const own = new Set(
      given.filter(({ buffer, byteLength }) => buffer.byteLength === byteLength).map(({ buffer }) => buffer as ArrayBuffer),
    );
    const answer = await pool.run(task, { transferList: [...own] });
    if (answer.unusable !== undefined) throw new ModelsError(answer.unusable);
    if (answer.refusal) throw new FaceRefusal(answer.refusal.code, answer.refusal.side, answer.refusal.message);
    return answer;
  }

  return {
    compare: async (request) => (await ask({ kind: 'compare', ...request }, [request.selfie, request.portrait])).verdict!,
    inspect: async (request) => (await ask({ kind: 'inspect', ...request })).inspection!,
    close: () => pool.close(),
  };
}
