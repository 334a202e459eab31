/** The context plus the parts that keep state between requests: what both the API and the workers are built on. */
import { type Cache, openCache } from './cache.ts';
import type { Context } from './context.ts';
import type { Provider } from './providers/provider.ts';
import { openRouter, type Router } from './providers/router.ts';
import { openSettle, type Settle } from './settle.ts';
import { openVerify, type Verify } from './verify.ts';

export interface Service extends Context {
  cache: Cache;
  router: Router;
  verify: Verify;
  settle: Settle;
}

/** `close()` waits until everything handed to `settle` is committed, then closes the context. */
export async function openService(ctx: Context, providers: { live: readonly Provider[]; test: readonly Provider[] }): Promise<Service> {
  const cache = openCache(ctx);
  const router = await openRouter(ctx, providers);
  const settle = openSettle(ctx);
  return {
    ...ctx,
    cache,
    router,
    settle,
    verify: openVerify(cache, router),
    async close() {
      await Promise.all([settle.job.idle(), settle.call.idle(), settle.holdForCall.idle()]);
      await router.close();
      await ctx.close();
    },
  };
}
