/** The context plus the parts that keep state between requests. The API and the workers are built on it. */
import { type Admission, openAdmission } from '../access/admission.ts';
import { type Audit, openAudit } from '../access/audit/append.ts';
import { type Misses, openMisses } from '../access/misses.ts';
import { openSuspensions, type Suspensions } from '../access/suspensions.ts';
import { configureLists } from '../aml/definitions.ts';
import { type DigestOf, openDigests } from '../aml/digests.ts';
import { openScreeningProvider } from '../aml/provider.ts';
import { openSandboxLists, type SandboxLists } from '../aml/sandbox-lists.ts';
import { openScreenings, type Screenings } from '../aml/screenings.ts';
import { StorageQuota } from '../batches/storage.ts';
import { type Emails, openEmails } from '../email/email.ts';
import { openEmailProvider } from '../email/provider.ts';
import { type Faces, openFaces } from '../faces/faces.ts';
import { openFaceProvider } from '../faces/provider.ts';
import type { Context, RequestWork } from '../foundation/context.ts';
import type { Bound } from '../foundation/tenants.ts';
import type { Providers } from '../providers/configure.ts';
import { openRouter, type Router } from '../providers/router.ts';
import { openPortraits } from '../sandbox/portraits/read.ts';
import { type Cache, openCache } from './cache.ts';
import { HitShares } from './hit-shares.ts';
import { openSettle, type Settle } from './settle.ts';
import { openVerify, type Verify } from './verify.ts';

export interface Service extends Context {
  cache: Cache;
  hitShares: HitShares;
  router: Router;
  verify: Verify;
  settle: Settle;
  misses: Misses;
  sandboxLists: SandboxLists;
  digestOf: DigestOf;
  screenings: Screenings;
  emails: Emails;
  suspensions: Suspensions;
  admission: Admission;
  audit: Audit;
  storageQuota: StorageQuota;
  /** Null if the models are missing. */
  faces: Faces | null;
  /**
   * For requests of one app: its `sql` and `db` see this app's rows only. What all requests share (caches, groups of holds and of outcomes, the audit) still
   * works for all apps. `bulk`: over connections of its own.
   */
  forApp(appId: string, work?: RequestWork): Service;
}

/** `close()` waits until everything passed to `settle` is committed, then closes the context. */
export async function openService(ctx: Context, providers: Providers): Promise<Service> {
  const cache = openCache(ctx);
  const sandboxLists = openSandboxLists();
  const [screenings, faces, suspensions, admission, audit] = await Promise.all([
    openScreenings(ctx, configureLists(ctx.config), sandboxLists),
    openFaces(ctx),
    openSuspensions(ctx),
    openAdmission(ctx),
    openAudit(ctx),
  ]);
  const emails = openEmails(ctx);
  const ofApps = new WeakMap<Bound, Service>();
  const engines = (live: boolean) => [
    openScreeningProvider(ctx, screenings, live),
    openEmailProvider(emails, live, ctx.config.CONFAM_EMAIL_OUTSIDE ?? false),
    ...(faces ? [openFaceProvider(ctx, faces, live)] : []),
  ];
  // Our engines come first: a vendor is asked where the operator's routes say so, or where our lists are not loaded.
  const router = await openRouter(
    ctx,
    {
      ...providers,
      live: [...engines(true), ...providers.live],
      test: [...engines(false), ...providers.test],
    },
    admission.weightOf,
  );
  const settle = openSettle(ctx);
  const misses = await openMisses(ctx);
  const service: Service = {
    ...ctx,
    cache,
    hitShares: new HitShares(),
    router,
    settle,
    misses,
    sandboxLists,
    screenings,
    emails,
    suspensions,
    admission,
    audit,
    storageQuota: new StorageQuota(),
    faces,
    digestOf: openDigests(ctx, sandboxLists),
    verify: openVerify(cache, router, openPortraits(ctx)),
    forApp(appId, work) {
      const bound = ctx.tenant(appId, work);
      const known = ofApps.get(bound) ?? Object.assign(Object.create(service) as Service, bound);
      ofApps.set(bound, known);
      return known;
    },
    async close() {
      await Promise.all([settle.idle(), misses.close(), audit.close()]);
      await router.close();
      await Promise.all([screenings.close(), emails.close(), faces?.close(), suspensions.close(), admission.close()]);
      await ctx.close();
    },
  };
  return service;
}
