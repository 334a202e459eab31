/**
 * A change of lists for test keys. The sandbox lists never change, so a person monitored with a test key is screened once, a second later, against entries that
 * seem to have come since (docs/sandbox.md). An integrator sees the webhook arrive without waiting for a publisher.
 */
import { bound, type Context } from '../foundation/context.ts';
import { firstIdAt } from '../foundation/ids.ts';
import { openDelta, type Screen } from './delta.ts';
import { type MonitoredPerson, screenMonitored } from './monitored.ts';
import type { SandboxLists } from './sandbox-lists.ts';

const AFTER_MS = 1_000;
/** Monitors not screened within this time waited for a stopped service. Looking further back would cost something every second. */
const FORGOTTEN_MS = 600_000;
const PAGE_MONITORS = 1_000;

/** Called every second. Returns how many people were screened. */
export function openSandboxRescreen(ctx: Context, sandbox: SandboxLists): () => Promise<number> {
  let delta: Promise<Screen> | null = null;
  return async () =>
    ctx.sql.begin(async (tx) => {
      const now = Date.now();
      const monitors = await tx<MonitoredPerson[]>`
        select m.id, m.app_id, m.live, m.subject, m.input, m.job_id, a.settings from aml_monitors m join apps a on a.id = m.app_id
        where not m.live and m.ended_at is null and a.deleted_at is null and m.screened_at is null and m.id > ${firstIdAt(now - FORGOTTEN_MS)} and m.id < ${firstIdAt(now - AFTER_MS)}
        order by m.id limit ${PAGE_MONITORS} for update of m skip locked`;
      if (monitors.length === 0) return 0;
      await bound(tx, 'reading');
      delta ??= sandbox.later().then((listings) => openDelta(ctx, [listings]));
      const hits = await screenMonitored(ctx, tx, monitors, await delta);
      ctx.log.info({ screened: monitors.length, hits }, 'monitors of test keys screened');
      return monitors.length;
    });
}
