/** Whether tests that need models or photographs can run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasPhotographs } from '../../../bench/photographs.ts';
import { defaultFolder } from '../../../src/engines/face/models.ts';

export const modelsAreHere = existsSync(join(defaultFolder(), 'fr_feature.onnx'));

/** For the title of a suite that needs them. */
export const skipNote = (title: string): string => {
  if (!modelsAreHere) return `${title} (SKIPPED: no face models, see \`npm run models\`)`;
  return hasPhotographs ? title : `${title} (SKIPPED: ../shared/data/faces is not here)`;
};
