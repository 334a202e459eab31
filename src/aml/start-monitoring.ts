/**
 * How a monitor starts: in the transaction that settles the screening, of a job or a call. An app has one monitor per person and mode; a later screening that
 * asks for monitoring replaces the stored input, and the monitor keeps its id.
 */

import { consentIndexes } from '../access/consents.ts';
import { isFreeSubject } from '../access/held-subjects.ts';
import { personOf } from '../checks/aml.ts';
import { knownCheck } from '../checks/catalog.ts';
import type { Monitored } from '../checks/check.ts';
import { openAbout } from '../contract/about.ts';
import { subjectType } from '../engines/aml/request.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import type { KeyOwner } from '../foundation/data-keys.ts';
import { newId, showId } from '../foundation/ids.ts';
import { byteaArray, recordset } from '../foundation/recordset.ts';
import type { Consent } from '../schema/jobs.ts';

export interface NewMonitor extends Monitored {
  jobId: string;
  appId: string;
  live: boolean;
  checkId: string;
  /** That the screening named; undefined: as its job or batch says. */
  consent?: Consent | null;
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
export const openMonitored = (opener: Opener, monitor: Monitoring & { input: Buffer }): Monitored['input'] =>
  JSON.parse(opener.open(monitor.input, INPUT, nameOf(monitor)));

/** SQL: the input of a monitor that ends. The person's details are deleted, those of somebody under a legal hold once that is lifted. */
export const endedInput = (sql: Sql | Tx, monitors: string) =>
  sql.unsafe(`case when ${isFreeSubject(monitors, `${monitors}.subject`)} then ''::bytea else ${monitors}.input end`);

/** Advisory lock: of an app, either monitors start or a consent is withdrawn. The second number is the app. */
const CONSENTS_LOCK = 7_266_205;

type Prepared = Pick<NewMonitor, 'appId' | 'input'>;

/**
 * To be called before a transaction that writes these monitors locks any row. Until it ends, no consent of these apps is withdrawn: otherwise neither a monitor that
 * starts nor a withdrawal would see the other before its commit, and the monitor would go on.
 */
export async function prepareMonitors(tx: Tx, ctx: Context, monitored: readonly Prepared[]): Promise<void> {
  const apps = [...new Set(monitored.map(({ appId }) => appId))].toSorted();
  if (apps.length > 0) await tx`select pg_advisory_xact_lock_shared(${CONSENTS_LOCK}, hashtext(app)) from unnest(${apps}::text[]) app`;
  await moveOrganizations(tx, ctx, monitored);
}

/** Until the transaction ends, it alone withdraws consents of the app, and no monitor of the app starts. */
export const changeConsents = (tx: Tx, appId: string) => tx`select pg_advisory_xact_lock(${CONSENTS_LOCK}, hashtext(${appId}))`;

/** `prepareMonitors` must have been called in the transaction. */
export async function writeMonitors(tx: Tx, ctx: Context, monitors: NewMonitor[]): Promise<void> {
  if (monitors.length === 0) return;
  const consents = await consentsOf(tx, ctx, monitors);
  await putMonitors(
    tx,
    ctx,
    await ctx.cipher.sealers(monitors.map(({ appId }) => ({ appId }))),
    monitors.map((monitor) => ({ ...monitor, consent: consents.get(monitor.jobId) ?? null })),
    tx`true`,
  );
}

interface StoredMonitor extends Monitoring {
  id: string;
  input: Buffer;
}

/** Carries some monitors on to the current index key, sealing again what is bound to an older hash. Skips those of deleted apps, which cannot be opened. Returns how many. */
export async function renewMonitors({ sql, cipher }: Pick<Context, 'sql' | 'cipher'>, limit: number): Promise<number> {
  const rows = await sql<StoredMonitor[]>`
    select id, app_id, live, subject, input from aml_monitors m
    where (octet_length(subject) = 32 or get_byte(subject, 0) < ${cipher.currentKey})
      and not exists (select 1 from apps a where a.id = m.app_id and a.deleted_at is not null)
    order by id limit ${limit}`;
  const opener = await cipher.opener(rows.map(({ input }) => input));
  const sealerOf = await cipher.sealers(rows.map(({ appId }) => ({ appId })));
  for (const row of rows) {
    const subject = cipher.renewed(row.subject);
    // One that has ended has no input.
    const input =
      row.input.length === 0
        ? row.input
        : sealerOf(row).seal(JSON.stringify(openMonitored(opener, row)), INPUT, nameOf({ ...row, subject }));
    await moveMonitor(sql, row, subject, input);
  }
  return rows.length;
}

/** If the new hash already has a monitor, that monitor continues and this one ends. */
const moveMonitor = (sql: Sql | Tx, row: StoredMonitor, subject: Buffer, input: Buffer) => sql`
  update aml_monitors m set subject = ${subject}, input = case when twin then ''::bytea else ${input} end,
    ended_at = case when twin then coalesce(m.ended_at, now()) else m.ended_at end
  from (select exists (
    select 1 from aml_monitors where app_id = ${row.appId} and live = ${row.live} and subject = ${subject} and ended_at is null) as twin) t
  where m.id = ${row.id} and m.subject = ${row.subject} and m.input = ${row.input}`;

/**
 * Earlier releases monitored an organization as if it were a person of its name without a birth date. Its monitor moves to its own subject before one of that name
 * is written: the organization is then renewed and not monitored twice, and the person does not replace it.
 */
async function moveOrganizations(tx: Tx, ctx: Context, monitored: readonly Prepared[]): Promise<void> {
  const { cipher } = ctx;
  const former = monitored.flatMap(({ appId, input }) =>
    input.date_of_birth ? [] : cipher.indexes('subject', 'aml', personOf(input)).map((hash) => ({ appId, hash })),
  );
  if (former.length === 0) return;
  const rows = await tx<StoredMonitor[]>`
    select m.id, m.app_id, m.live, m.subject, m.input from aml_monitors m
    join ${recordset(tx, former, {
      app_id: ['uuid', (f) => f.appId],
      subject: ['bytea', (f) => f.hash],
    })} f on m.app_id = f.app_id and m.live in (true, false) and m.subject = f.subject
    where m.ended_at is null order by m.id`;
  const opener = await cipher.opener(rows.map(({ input }) => input));
  const sealerOf = await cipher.sealers(rows.map(({ appId }) => ({ appId })));
  const check = knownCheck('aml_screening');
  for (const row of rows) {
    const input = openOrNull(ctx, opener, row);
    if (input === null || subjectType(input) !== 'organization') continue;
    const subject = cipher.index('subject', check.family, check.subject(input));
    await moveMonitor(tx, row, subject, sealerOf(row).seal(JSON.stringify(input), INPUT, nameOf({ ...row, subject })));
  }
}

/** Null if the monitor cannot be decrypted, which must not stop the settlement. */
function openOrNull({ log }: Context, opener: Opener, monitor: StoredMonitor): Monitored['input'] | null {
  try {
    return openMonitored(opener, monitor);
  } catch (error) {
    log.error({ monitor: showId('mon', monitor.id), err: error }, 'a monitor does not open');
    return null;
  }
}

/** The consent of each job, by id. A row has the consent of its batch. */
async function consentsOf(tx: Tx, { cipher }: Context, monitors: NewMonitor[]): Promise<Map<string, Consent | null>> {
  const rows = await tx<{ id: string; about: Buffer | null; batch: string | null; batchAbout: Buffer | null }[]>`
    select j.id, j.about, b.id as batch, b.about as batch_about from jobs j left join batches b on b.id = j.batch_id
    where j.id = any(${monitors.map(({ jobId }) => jobId)}::uuid[])`;
  const opener = await cipher.opener(rows.flatMap(({ about, batchAbout }) => [about, batchAbout]));
  const batches = new Map<string, Consent | null>();
  return new Map(
    rows.map(({ id, about, batch, batchAbout }) => {
      if (batch === null) return [id, openAbout(opener, showId('job', id), about).consent ?? null];
      if (!batches.has(batch)) batches.set(batch, openAbout(opener, showId('bat', batch), batchAbout).consent ?? null);
      return [id, batches.get(batch)!];
    }),
  );
}

/**
 * The statement that writes those `monitors` for which `condition` holds and whose consent was not withdrawn; of several for one person the last wins. After
 * `prepareMonitors`, as in `writeMonitors`.
 */
export function putMonitors(
  sql: Sql | Tx,
  { cipher }: Context,
  sealerOf: (owner: KeyOwner) => Sealer,
  monitors: NewMonitor[],
  condition: ReturnType<Sql>,
) {
  // A row for each index key: a monitor found under an older one continues unchanged.
  const rows = monitors.flatMap(({ jobId, appId, live, checkId, input, shown, consent }, n) => {
    const check = knownCheck(checkId);
    const consents = consent ? consentIndexes(cipher, { appId, live }, consent.reference) : [];
    return cipher.indexes('subject', check.family, check.subject(input)).map((subject, place) => ({
      id: newId(),
      n,
      place,
      jobId,
      appId,
      live,
      subject,
      sealed: sealerOf({ appId }).seal(JSON.stringify(input), INPUT, nameOf({ appId, live, subject })),
      shown: JSON.stringify(shown),
      consent: consents[0] ?? null,
      consents: byteaArray(consents),
    }));
  });
  // Ordered by key: two transactions that write the same monitors must not deadlock.
  return sql`
    insert into aml_monitors (id, app_id, live, subject, input, job_id, shown, consent)
    select id, app_id, live, subject, input, job_id, shown::jsonb, consent
    from (
      select distinct on (app_id, live, subject) * from (
        select distinct on (n) * from ${recordset(sql, rows, {
          id: ['uuid', (r) => r.id],
          n: ['int', (r) => r.n],
          place: ['int', (r) => r.place],
          job_id: ['uuid', (r) => r.jobId],
          app_id: ['uuid', (r) => r.appId],
          live: ['bool', (r) => r.live],
          subject: ['bytea', (r) => r.subject],
          input: ['bytea', (r) => r.sealed],
          shown: ['text', (r) => r.shown],
          consent: ['bytea', (r) => r.consent],
          consents: ['text', (r) => r.consents],
        })} t
        where ${condition} and not exists (
          select 1 from consent_withdrawals w where w.app_id = t.app_id and w.live = t.live and w.reference = any(t.consents::bytea[]))
        order by n, exists (
          select 1 from aml_monitors m
          where m.app_id = t.app_id and m.live = t.live and m.subject = t.subject and m.ended_at is null) desc, place) known
      order by app_id, live, subject, n desc) newest
    order by app_id, live, subject
    on conflict (app_id, live, subject) where ended_at is null do update set input = excluded.input, shown = excluded.shown, renewed_at = now(), shown_at = now(),
      consent = coalesce(excluded.consent, aml_monitors.consent)`;
}
