/** Takes over the pauses and open breakers that other processes announce. */
import { z } from 'zod';
import type { RecordKind } from '../checks/provider.ts';
import { hearAnnouncements } from '../foundation/announcements.ts';
import type { Context, Sql } from '../foundation/context.ts';
import type { GuardedProvider } from './guarded-provider.ts';
import { PAUSE_CHANNEL } from './limiter.ts';

/** What `announcePause` sends. */
const announcement = z.object({ name: z.string(), ms: z.number() });

export async function hearPauses(ctx: Context, byName: ReadonlyMap<string, GuardedProvider>): Promise<{ unlisten(): Promise<void> }> {
  let reading = Promise.resolve();
  /** Catches up on what changed while this process was not listening: at startup and after each reconnect. It only opens breakers; each process closes its own. */
  const readAll = () => {
    reading = readStates(ctx.sql).then((states) => {
      for (const { name, ms, isWell } of states) hear(ctx, byName, name, ms, isWell);
    });
    reading.catch((error: unknown) => ctx.log.warn({ err: error }, 'pauses of providers were not read'));
  };
  const listener = await hearAnnouncements(
    ctx,
    PAUSE_CHANNEL,
    announcement,
    ({ name, ms }) => hear(ctx, byName, name, ms, ms === 0),
    readAll,
  );
  await reading;
  return listener;
}

const readStates = (sql: Sql) => sql<{ name: string; ms: number; isWell: boolean }[]>`
  select name, greatest(0, coalesce(extract(epoch from paused_until - now()), 0)::float8 * 1000) as ms,
    name not like '%/%' and coalesce(paused_until <= now(), true) as is_well
  from provider_states where name not like '%/%' or paused_until > now() or degraded_since is not null`;

/** `name` is a provider's, or `provider/kind` for one of its breakers. */
function hear({ metrics }: Context, byName: ReadonlyMap<string, GuardedProvider>, name: string, ms: number, isWell: boolean): void {
  const [provider, kind] = name.split('/') as [string, RecordKind | undefined];
  const guarded = byName.get(provider);
  guarded?.heard(kind, ms, isWell);
  metrics.providerPaused.set({ provider: name }, isWell ? 0 : 1);
  if (kind || isWell) return;
  const over = () => !guarded?.limiter.pausedForMs() && metrics.providerPaused.set({ provider: name }, 0);
  setTimeout(over, ms + 100).unref();
}
