/** Checks the face models, which are fetched if missing. */
import { about, codeOf, type Finding } from '../../doctor/finding.ts';
import { defaultFolder, ModelsError, readModels } from '../../engines/face/models.ts';

/** `folder`: the operator's own set of models, if any. */
export async function* checkModels(folder: string | undefined): AsyncGenerator<Finding> {
  const models = about('face models');
  try {
    // Loaded here because the native runtime is one of the things that may be broken.
    const [{ fetchModels }, { openComparer }] = await Promise.all([
      import('../../engines/face/fetch-models.ts'),
      import('../../engines/face/compare.ts'),
    ]);
    const written = folder === undefined ? (await fetchModels()).written : [];
    const set = await readModels(folder);
    await openComparer(set);
    const { name, licence, training_data, files } = set.manifest;
    const fetched = written.length > 0 ? `, fetched now: ${written.join(', ')}` : '';
    yield models.ok(`${name} in ${folder ?? defaultFolder()}: ${Object.keys(files).length} nets, checksums correct, opened${fetched}`);
    yield about('face licence').note(`${licence}; training data: ${training_data} (docs/biometrics.md)`);
  } catch (error) {
    yield models.broken(error instanceof ModelsError ? error.message : `the nets cannot be opened here (${codeOf(error)})`);
  }
}
