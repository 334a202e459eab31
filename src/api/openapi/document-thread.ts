/** The thread that writes `/openapi.json`. Its examples are looked up in the sandbox, which would block the event loop for seconds. */
import { openApiDocument } from './document.ts';
import type { Operation } from './operation.ts';

export default async (operations: readonly Operation[]): Promise<string> => JSON.stringify(await openApiDocument(operations));
