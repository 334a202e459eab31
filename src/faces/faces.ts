/** Face matching in this process. The first question starts the threads, which then stay, provided that the models are installed. */
import { availableParallelism } from 'node:os';
import { ProviderFailure } from '../checks/provider.ts';
import { openFaceEngine } from '../engines/face/engine.ts';
import type { FaceEngine } from '../engines/face/face.ts';
import { ModelsError, readModels } from '../engines/face/models.ts';
import type { Context } from '../foundation/context.ts';
import { once } from '../foundation/once.ts';

export interface Faces {
  /** Throws `ProviderFailure` if the models have vanished since the process started. */
  engine(): Promise<FaceEngine>;
  close(): Promise<void>;
}

type FacesContext = Pick<Context, 'config' | 'log'>;

/** Checks the models, which takes 30 ms. Null if they are missing or altered: the log says so, and this process compares no faces. */
export async function openFaces({ config, log }: FacesContext): Promise<Faces | null> {
  const modelsFolder = config.CONFAM_FACE_MODELS;
  /** Returns whether `error` is about the models. */
  const report = (error: unknown): boolean => {
    if (!(error instanceof ModelsError)) return false;
    const setting = modelsFolder === undefined ? '' : 'CONFAM_FACE_MODELS: ';
    log.error(`face checks answer provider_not_configured: ${setting}${error.message}`);
    return true;
  };
  try {
    await readModels(modelsFolder);
  } catch (error) {
    if (report(error)) return null;
    throw error;
  }

  const engine = once(async () => {
    try {
      return await openFaceEngine({ threads: config.CONFAM_FACE_THREADS ?? availableParallelism(), modelsFolder });
    } catch (error) {
      throw report(error) ? new ProviderFailure('not_configured') : error;
    }
  });
  return {
    engine,
    async close() {
      await (await engine.made())?.close();
    },
  };
}
