/** When each key was last used, to the minute: collected in memory and written in batches, so that it costs requests nothing. */
import type { Context } from '../foundation/context.ts';

const WRITE_MS = 30_000;

export interface KeyUses {
  used(keyId: string): void;
  close(): Promise<void>;
}

export function openKeyUses({ sql, log }: Pick<Context, 'sql' | 'log'>): KeyUses {
  let uses = new Set<string>();
  const write = async (): Promise<void> => {
    if (uses.size === 0) return;
    const ids = [...uses];
    uses = new Set();
    await sql`
      update api_keys set last_used_at = date_trunc('minute', now())
      where id = any(${ids}::uuid[]) and last_used_at is distinct from date_trunc('minute', now())`;
  };
  const timer = setInterval(() => write().catch((error: unknown) => log.warn({ err: error }, 'uses of keys were not recorded')), WRITE_MS);
  timer.unref();
  return {
    used: (keyId) => void uses.add(keyId),
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}
