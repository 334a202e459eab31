/**
 * How a monitor starts: in the transaction that settles the screening, of a job or a call. An app has one monitor per person and mode; a later screening that
 * asks for monitoring replaces the stored input, and the monitor keeps its id.
 */

import { knownCheck } from '../checks/catalog.ts';
import type { Monitored } from '../checks/check.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Cipher } from '../foundation/crypto.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';

export interface NewMonitor extends Monitored {
  jobId: string;
  appId: string;
  live: boolean;
  checkId: string;
}

/** The monitor that a ciphertext is bound to: it opens for no other. */
export interface Monitoring {
  appId: string;
  live: boolean;
  subject: Buffer;
}

const INPUT = 'monitor';
const nameOf = ({ appId, live, subject }: Monitoring): string => `${appId} ${live} ${subject.toString('base64')}`;

/** The person's input. Throws if the key that sealed it is missing from the configuration. */
export const openMonitored = (cipher: Cipher, monitor: Monitoring & { input: Buffer }): Monitored['input'] =>
  JSON.parse(cipher.open(monitor.input, INPUT, nameOf(monitor)));

export async function writeMonitors(tx: Tx, ctx: Context, monitors: NewMonitor[]): Promise<void> {
  if (monitors.length > 0) await putMonitors(tx, ctx, monitors, tx`true`);
}

/** The statement that writes those `monitors` for which `condition` holds; of several for one person the last wins. */
export function putMonitors(sql: Sql | Tx, { cipher }: Context, monitors: NewMonitor[], condition: ReturnType<Sql>) {
  const rows = monitors.map(({ jobId, appId, live, checkId, input }) => {
    const check = knownCheck(checkId);
    const subject = cipher.index('subject', check.family, check.subject(input));
    const sealed = cipher.seal(JSON.stringify(input), INPUT, nameOf({ appId, live, subject }));
    return { id: newId(), jobId, appId, live, subject, sealed };
  });
  // Ordered by key: two transactions that write the same monitors must not deadlock.
  return sql`
    insert into aml_monitors (id, app_id, live, subject, input, job_id)
    select id, app_id, live, subject, input, job_id
    from (
      select distinct on (app_id, live, subject) * from ${recordset(
        sql,
        rows,
        {
          id: ['uuid', (r) => r.id],
          job_id: ['uuid', (r) => r.jobId],
          app_id: ['uuid', (r) => r.appId],
          live: ['bool', (r) => r.live],
          subject: ['bytea', (r) => r.subject],
          input: ['bytea', (r) => r.sealed],
        },
        'n',
      )} t
      where ${condition} order by app_id, live, subject, n desc) newest
    order by app_id, live, subject
    on conflict (app_id, live, subject) where ended_at is null do update set input = excluded.input`;
}
