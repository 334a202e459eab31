/** The thread that writes `/openapi.json`. Its examples are looked up in the sandbox, which would block the event loop for seconds. */
import { openApiDocument } from './document.ts';

export default async (): Promise<string> => JSON.stringify(await openApiDocument());
