/** The thread that writes `/openapi.json` and the pages of the API reference. Its examples are looked up in the sandbox, which would block the event loop for seconds. */
import { openApiDocument } from './document.ts';
import type { Operation } from './operation.ts';
import { type MadePage, referencePages } from './reference.ts';

export interface Written {
  /** The text of `/openapi.json`. */
  json: string;
  pages: MadePage[];
}

export default async (operations: readonly Operation[]): Promise<Written> => {
  const document = await openApiDocument(operations);
  return { json: JSON.stringify(document), pages: referencePages(document) };
};
