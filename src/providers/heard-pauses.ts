/** Takes over the pauses and open breakers that other processes announce, and at start those that are still in force. */
import type { RecordKind } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { Seat } from './guarded-provider.ts';
import { PAUSE_CHANNEL } from './limiter.ts';

export async function hearPauses(ctx: Context, seats: ReadonlyMap<string, Seat>): Promise<{ unlisten(): Promise<void> }> {
  const listener = await ctx.sql.listen(PAUSE_CHANNEL, (payload) => {
    const { name, ms } = JSON.parse(payload) as { name: string; ms: number };
    hear(ctx, seats, name, ms, ms === 0);
  });
  const troubled = await ctx.sql<{ name: string; ms: number }[]>`
    select name, greatest(0, extract(epoch from paused_until - now())::float8 * 1000) as ms from provider_states
    where paused_until > now() or (degraded_since is not null and name like '%/%')`;
  for (const { name, ms } of troubled) hear(ctx, seats, name, ms, false);
  return listener;
}

/** `name` is a provider's, or `provider/kind` for one of its breakers. */
function hear({ metrics }: Context, seats: ReadonlyMap<string, Seat>, name: string, ms: number, isWell: boolean): void {
  const [provider, kind] = name.split('/') as [string, RecordKind | undefined];
  const seat = seats.get(provider);
  seat?.heard(kind, ms, isWell);
  metrics.providerPaused.set({ provider: name }, isWell ? 0 : 1);
  if (kind || isWell) return;
  const over = () => !seat?.limiter.pausedForMs() && metrics.providerPaused.set({ provider: name }, 0);
  setTimeout(over, ms + 100).unref();
}
