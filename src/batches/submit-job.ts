/** Accepts single jobs: validates the input, holds the price, and commits job and hold together. */
import type { z } from 'zod';
import { refuseDeleted } from '../access/apps.ts';
import { refuseWithdrawn } from '../access/consents.ts';
import type { Owner } from '../access/owner.ts';
import { answeringCheck, askedCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { codeOfProblems, readInput, sentence } from '../checks/read-input.ts';
import { referenceIndex, sealAbout } from '../contract/about.ts';
import type { jobBody } from '../contract/jobs.ts';
import type { Sealer } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import { STORED_AS } from '../jobs/release.ts';
import { holderOf, insufficientFunds, refuseBeyondCaps } from '../money/caps.ts';
import { availableKobo, holdFunds } from '../money/ledger.ts';
import { ROW_BYTES } from '../money/usage.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { refuseReceiver } from '../webhooks/receiver-url.ts';
import { type Accepted, allowedChecks, type Submitting, withId } from './accepting.ts';
import { WORK_CHANNEL } from './batch.ts';
import { noteStoring } from './being-stored.ts';
import { imagesOf, packImages, withoutImages } from './images.ts';
import { readJob } from './submitted.ts';

type JobBody = z.infer<typeof jobBody>;
type JobInput = Record<string, string | undefined>;

export async function submitJob(ctx: Submitting, owner: Owner, body: JobBody, accepted?: Accepted<StoredJob>): Promise<StoredJob> {
  if (body.callback_url !== undefined) refuseReceiver(ctx, body.callback_url, 'callback_url');
  const answering = answeringCheck(askedCheck(body.check, 'check'), body.input);
  const [check] = allowedChecks(ctx, owner, { ids: [answering.check.id], path: 'check', consent: body.consent }) as [Check];
  await refuseWithdrawn(ctx, owner, body.consent);
  const input = jobInput(check, answering.raw, ctx.router.watchLists(owner.live));
  const sealer = await ctx.cipher.sealer(owner);
  return withId(async (id, isLast) => {
    const job = jobRow(ctx, owner, body, { id, check, input, sealer });
    const bytes = ROW_BYTES + [job.about, job.input, job.images].reduce((sum, sealed) => sum + (sealed?.length ?? 0), 0);
    return ctx.sql.begin(async (tx) => {
      const [isAnnounced] = await Promise.all([noteStoring(tx, owner, id), refuseDeleted(tx, owner.appId)]);
      if (!isAnnounced && !isLast) return null;
      await ctx.storageQuota.refuseBeyond(tx, owner, bytes);
      await refuseBeyondCaps(tx, owner, check.priceKobo, 'job');
      const [covered] = await holdFunds(tx, [{ ...holderOf(owner), id, amountKobo: check.priceKobo, expiresInSeconds: null }]);
      if (!covered) throw insufficientFunds(owner, check.priceKobo, await availableKobo(tx, owner));
      await tx`insert into jobs ${tx(job)}`;
      await tx`insert into waiting_jobs (job_id, app_id, family, check_id) values (${id}, ${owner.appId}, ${check.family}, ${check.id})`;
      await tx`select pg_notify(${WORK_CHANNEL}, '')`;
      const stored = (await readJob(ctx, tx, owner.appId, id)) as StoredJob;
      await accepted?.(tx, stored);
      return stored;
    });
  });
}

/** The new row of `jobs`, with everything personal sealed. */
function jobRow(
  { cipher }: Submitting,
  owner: Owner,
  body: JobBody,
  { id, check, input, sealer }: { id: string; check: Check; input: JobInput; sealer: Sealer },
) {
  const images = imagesOf(check, input);
  return {
    id,
    app_id: owner.appId,
    live: owner.live,
    check_id: check.id,
    family: check.family,
    price_kobo: check.priceKobo,
    cached_price_kobo: check.cachedPriceKobo,
    about: sealAbout(sealer, showId('job', id), { reference: body.reference, metadata: body.metadata, consent: body.consent }),
    reference_index: body.reference === undefined ? null : referenceIndex(cipher, owner, body.reference),
    callback_url: body.callback_url ?? null,
    cache_mode: body.cache,
    subject: cipher.index('subject', check.family, check.subject(input)),
    input: sealer.seal(JSON.stringify(withoutImages(check, input)), 'input', id),
    images: images && sealer.seal(packImages(images), 'images', id),
    stored_as: STORED_AS,
    key_id: owner.keyId ?? null,
    person_id: owner.personId ?? null,
  };
}

/** Parses a job's input and refuses unknown members: a misspelt optional input would be paid for without being compared. */
export function jobInput(check: Check, sent: Record<string, unknown>, watchLists: readonly string[] | null): JobInput {
  const known = Object.keys(check.input.shape);
  const read = readInput(check, (field) => sent[field] ?? undefined, watchLists);
  const problems = 'problems' in read ? read.problems : [];
  const unknown = unknownOptions(Object.keys(sent), known, ['input']);
  if (!('problems' in read) && unknown.length === 0) return read.input;
  const faults = [...problems, ...unknown.map(({ path, message }) => ({ field: path, message }))];
  throw new ApiError(unknown.length > 0 ? 'invalid_request' : codeOfProblems(problems), sentence(faults), {
    details: [...problems.map((p) => ({ path: `input.${p.field}`, message: p.message, rule: p.rule })), ...unknown],
  });
}
