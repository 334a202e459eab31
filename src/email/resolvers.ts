/** Tells whether the name servers answer anything: it separates a dead domain from an outage of ours. */
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 1_500;
/** Callers within this time share one answer. */
const KEPT_MS = 1_000;
/** Any resolver knows it without asking further. A negative answer also proves that the resolver works. */
const ROOT = '.';
const SILENT_CODES = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

export function openResolverWatch(servers: readonly string[] | undefined): () => Promise<boolean> {
  let asked: Promise<boolean> | null = null;
  let askedAt = 0;
  return () => {
    if (!asked || performance.now() - askedAt > KEPT_MS) {
      askedAt = performance.now();
      asked = isAnswering(servers);
    }
    return asked;
  };
}

async function isAnswering(servers: readonly string[] | undefined): Promise<boolean> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  // Tried in order until one answers.
  if (servers) resolver.setServers(servers);
  try {
    await resolver.resolveNs(ROOT);
    return true;
  } catch (error) {
    return !SILENT_CODES.has((error as { code?: string }).code ?? '');
  }
}
