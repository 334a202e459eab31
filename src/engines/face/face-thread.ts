/** A thread of `engine.ts`. */
import { workerData } from 'piscina';
import { openComparer } from './compare.ts';
import type { Answer, Task } from './engine.ts';
import { FaceRefusal } from './face.ts';
import { type ModelSet, ModelsError } from './models.ts';

// Not awaited here: when run from sources, Piscina loads a thread's file by `require`.
const opening = openComparer(workerData as ModelSet);
// Each task reports the error.
opening.catch(() => {});

/** An error loses its class between threads, so a refusal and an unusable model set are returned as answers. */
export default async (task: Task): Promise<Answer> => {
  try {
    const comparer = await opening;
    if (task.kind === 'compare') return { verdict: await comparer.compare(task) };
    if (task.kind === 'inspect') return { inspection: await comparer.inspect(task) };
    return {};
  } catch (error) {
    if (error instanceof FaceRefusal) return { refusal: { code: error.code, side: error.side, message: error.message } };
    if (error instanceof ModelsError) return { unusable: error.message };
    throw error;
  }
};
