/**
 * What the documentation needs besides its routes (`reference.ts`): the document, written once, and the one-time link that `npm start` prints. Whoever opens
 * that link finds the demo app's test key filled in. Only the link reveals the key: the sender controls everything else about a request, such as the `Host`
 * header.
 */
import { randomBytes } from 'node:crypto';
import { openThreads } from '../../engines/threads.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { readDemoKey } from '../../pipeline/demo-app.ts';
import type { Service } from '../../pipeline/service.ts';
import type { Operation } from '../openapi/operation.ts';

/** How long the link stays valid. */
const LINK_MS = 3_600_000;

export interface Docs {
  /** The text of `/openapi.json`. */
  document(): Promise<string>;
  /** Writes the document in a thread. Without this the first request waits for it. */
  prepare(): void;
  /** Path of `/docs/reference` that fills in the demo app's test key for whoever opens it first. A later link replaces it. */
  link(): string;
  /** The demo app's key in exchange for the link's token; null if there is none to give. The token works once. */
  takeDemoKey(token: string): ReturnType<typeof readDemoKey>;
}

export function openDocs({ config, log }: Service, operations: () => readonly Operation[]): Docs {
  let written: Promise<string> | null = null;
  /** Written once; after a failure the next call tries again. */
  const document = (): Promise<string> => {
    written ??= writeDocument(operations()).catch((error: unknown) => {
      written = null;
      throw error;
    });
    return written;
  };
  let offered: { token: string; until: number } | null = null;
  return {
    document,
    prepare: () => void document().catch((error: unknown) => log.warn({ err: error }, 'openapi.json could not be written yet')),
    link() {
      const token = randomBytes(24).toString('base64url');
      offered = { token, until: performance.now() + LINK_MS };
      return `/docs/reference#key=${token}`;
    },
    takeDemoKey(token) {
      const isOffered = offered !== null && performance.now() < offered.until && sameSecret(token, offered.token);
      const known = isOffered ? readDemoKey(config) : null;
      if (known !== null) offered = null;
      return known;
    },
  };
}

/** In a thread, so that no other request waits. The thread gets the operations as data and loads no routes. */
async function writeDocument(operations: readonly Operation[]): Promise<string> {
  const thread = openThreads<readonly Operation[], string>(import.meta.url, '../openapi/document-thread', { threads: 1 });
  try {
    return await thread.run(operations);
  } finally {
    await thread.destroy();
  }
}
