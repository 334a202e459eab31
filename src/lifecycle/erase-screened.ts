/** Erases monitors and clearances, which are found by the hash of the person screened. */
import type { Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { askedFor, count, type ErasureGroup, type ErasureRow } from './erasure-group.ts';
import { hashesOf } from './find-data-subjects.ts';

interface Screened {
  what: 'monitors' | 'clearances';
  id: string;
  subject: Buffer;
  /** Tells whether it is newer than the erasure: id of the clearance, or of the job or batch that started the monitor. */
  since: string;
  isHeld: boolean;
}

/** Deletes monitors with their hits and messages, and clearances. Returns those that a legal hold keeps, with the erasures that asked for them. */
export async function eraseScreened(tx: Tx, group: ErasureGroup): Promise<{ what: Screened['what']; by: ErasureRow[] }[]> {
  const { erasures, dataSubjects, held } = group;
  const { appId, live } = erasures[0]!;
  const isSought = tx`app_id = ${appId} and live = ${live} and subject in ${hashesOf(tx, dataSubjects)}`;
  const isHeld = held === null ? tx`false` : tx`subject in ${hashesOf(tx, held)}`;
  const found = await tx<Screened[]>`
    select 'monitors' as what, id, subject, coalesce((select batch_id from jobs j where j.id = job_id), job_id) as since, ${isHeld} as is_held
    from aml_monitors where ${isSought}
    union all select 'clearances', id, subject, id, ${isHeld} from aml_clearances where ${isSought}`;
  const asked = found.flatMap((one) => {
    const by = askedFor(group, one.since, dataSubjects.bySubject.get(one.subject.toString('hex'))!);
    return by.length === 0 ? [] : [{ ...one, by }];
  });
  const free = asked.filter((one) => !one.isHeld);
  const idsOf = (what: Screened['what']): string[] => free.flatMap((one) => (one.what === what ? [one.id] : []));
  const monitors = idsOf('monitors');
  if (monitors.length > 0) {
    await tx`delete from aml_monitors where id = any(${monitors}::uuid[])`;
    const shown = monitors.map((id) => showId('mon', id));
    await tx`delete from events where app_id = ${appId} and live = ${live} and data ->> 'monitor' = any(${shown}::text[])`;
  }
  await tx`delete from aml_clearances where id = any(${idsOf('clearances')}::uuid[])`;
  for (const { what, by } of free) count(by[0]!, what, 1);
  return asked.filter((one) => one.isHeld);
}
