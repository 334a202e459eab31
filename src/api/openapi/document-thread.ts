/** The thread that writes `/openapi.json`: its examples are looked up in the sandbox, which keeps an event loop busy for seconds. */
import { openApiDocument } from './document.ts';

export default async (): Promise<string> => JSON.stringify(await openApiDocument());
