/**
 * Portraits that apps enrol in the sandbox, so that a real selfie can be compared with a real picture. They are kept encrypted until they are deleted or
 * replaced. The number is stored as its HMAC, beside the ciphertext of its last digits.
 */

import { type Author, record } from '../../access/audit/append.ts';
import { KEYS_CHANNEL } from '../../access/keys.ts';
import type { Owner } from '../../access/owner.ts';
import type { PortraitOf, PortraitRow } from '../../contract/portraits.ts';
import type { Context } from '../../foundation/context.ts';
import { pagesOf } from '../../foundation/cursor.ts';
import { ApiError } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import { narrowed } from '../../foundation/lists.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { readPicture } from './picture.ts';
import { PORTRAIT, portraitSubjects } from './read.ts';

/** Examines a picture before it is enrolled. Throws `ApiError` if no selfie could be compared with it. */
export type CheckPortrait = (image: Buffer) => Promise<void>;

/** Portraits one app may enrol. */
const PORTRAITS_MAX = 1_000;
const SHOWN_DIGITS = 4;
const MASKED = 'sandbox_portrait_number';

interface SentPortrait {
  image: Buffer;
  /** Undefined: any picture will do. */
  check?: CheckPortrait;
}

/** Replaces an earlier portrait of the number; `isNew`: there was none. Throws `ApiError` if the image is not a picture, or if it is one portrait too many. */
export async function enrolPortrait(
  ctx: Context,
  { appId }: Pick<Owner, 'appId'>,
  { idType, idNumber }: PortraitOf,
  { image, check }: SentPortrait,
  by: Author,
): Promise<{ portrait: PortraitRow; isNew: boolean }> {
  const { type, shown } = await readPicture(image);
  await check?.(image);
  const { cipher } = ctx;
  const id = newId();
  const subjects = portraitSubjects(cipher, idType, idNumber);
  const [subject] = subjects;
  const maskedNumber = idNumber.slice(-SHOWN_DIGITS).padStart(idNumber.length, '*');
  const { seal } = await cipher.sealer({ appId });
  const [sealedImage, sealedShown] = [image, shown].map((picture) => seal(picture.toString('base64'), PORTRAIT, id));
  return ctx.sql.begin(async (tx) => {
    // Of two concurrent enrolments, both must not take the last free place, nor both find nothing to replace.
    await tx`select 1 from apps where id = ${appId} for no key update`;
    const replaced = await tx`
      delete from sandbox_portraits where app_id = ${appId} and id_type = ${idType} and subject = any(${byteaArray(subjects)}::bytea[])`;
    const [{ others } = { others: 0 }] = await tx<{ others: number }[]>`
      select count(*)::int as others from sandbox_portraits where app_id = ${appId}`;
    if (others >= PORTRAITS_MAX)
      throw new ApiError(
        'conflict',
        `An app has at most ${PORTRAITS_MAX.toLocaleString('en')} portraits: delete one before you enrol another`,
      );
    const [row] = await tx<Omit<PortraitRow, 'maskedNumber'>[]>`
      insert into sandbox_portraits (id, app_id, id_type, subject, masked, type, bytes, image, shown)
      values (${id}, ${appId}, ${idType}, ${subject}, ${seal(maskedNumber, MASKED, id)}, ${type}, ${image.length}, ${sealedImage!}, ${sealedShown!})
      returning id, id_type, type, bytes, enrolled_at`;
    // Cached API keys still say that the app has no portraits.
    if (others === 0) await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
    await record(tx, by, { appId, live: false, action: 'portrait.enrol', object: null, subject });
    return { portrait: { ...row!, maskedNumber }, isNew: replaced.count === 0 };
  });
}

/** Null: the app has no portrait for the number. */
export async function findPortrait(
  ctx: Context,
  { appId }: Pick<Owner, 'appId'>,
  { idType, idNumber }: PortraitOf,
): Promise<PortraitRow | null> {
  const [row] = await ctx.sql<StoredRow[]>`
    select id, id_type, masked, type, bytes, enrolled_at from sandbox_portraits
    where app_id = ${appId} and id_type = ${idType} 
      and subject = any(${byteaArray(portraitSubjects(ctx.cipher, idType, idNumber))}::bytea[])`;
  return row ? (await opened(ctx, [row]))[0]! : null;
}

/** False: there was none. */
export async function removePortrait(
  ctx: Context,
  { appId }: Pick<Owner, 'appId'>,
  { idType, idNumber }: PortraitOf,
  by: Author,
): Promise<boolean> {
  const subjects = portraitSubjects(ctx.cipher, idType, idNumber);
  return ctx.sql.begin(async (tx) => {
    const removed = await tx`
      delete from sandbox_portraits where app_id = ${appId} and id_type = ${idType} and subject = any(${byteaArray(subjects)}::bytea[])`;
    if (removed.count === 0) return false;
    await record(tx, by, { appId, live: false, action: 'portrait.remove', object: null, subject: subjects[0] });
    return true;
  });
}

/** The app's portraits, newest first. Null: the cursor does not belong to this list. */
export async function listPortraits(
  ctx: Context,
  { appId }: Pick<Owner, 'appId'>,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<{ portraits: PortraitRow[]; nextCursor: string | null } | null> {
  const pages = pagesOf(ctx.cipher, `sandbox_portraits ${appId}`);
  const before = pages.begin(cursor);
  if (before === undefined) return null;
  const { sql } = ctx;
  const rows = await sql<StoredRow[]>`
    select id, id_type, masked, type, bytes, enrolled_at from sandbox_portraits
    where app_id = ${appId} ${narrowed(sql, [before !== null && sql`id < ${before}`])} order by id desc limit ${limit + 1}`;
  const { page, nextCursor } = pages.page(rows, limit, ({ id }) => id);
  return { portraits: await opened(ctx, page), nextCursor };
}

type StoredRow = Omit<PortraitRow, 'maskedNumber'> & { masked: Buffer };

async function opened({ cipher }: Context, rows: readonly StoredRow[]): Promise<PortraitRow[]> {
  const { open } = await cipher.opener(rows.map(({ masked }) => masked));
  return rows.map(({ masked, ...row }) => ({ ...row, maskedNumber: open(masked, MASKED, row.id) }));
}
