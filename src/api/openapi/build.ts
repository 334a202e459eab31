/** A program of `npm run build`: writes the document once, so that no start of the compiled service has to (`kept.ts`). */
import { documentedOperations } from '../routes.ts';
import write from './document-thread.ts';
import { keep, keptPath } from './kept.ts';

await keep(await write(documentedOperations()), keptPath());
