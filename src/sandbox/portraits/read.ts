/**
 * Enrolled portraits as they are read: for a face check, and in the records that test keys look up. They take the place of the drawn ones
 * after the cache, so that no cached record ever holds one: what is enrolled now is what is shown, to the app that enrolled it alone.
 */
import type { RecordKind } from '../../checks/provider.ts';
import type { IdType } from '../../contract/portraits.ts';
import type { Context } from '../../foundation/context.ts';
import type { Cipher } from '../../foundation/crypto.ts';
import { ApiError } from '../../foundation/errors.ts';
import { group } from '../../foundation/group.ts';

/** The member of each record that is the portrait. */
const portraitMembers: Partial<Record<RecordKind, string>> = { nin: 'photo', bvn: 'image' };

/** What both pictures of a row are sealed as. */
export const PORTRAIT = 'sandbox_portrait';

export interface Portraits {
  /** The members of the app's record that show its own portrait; null: it has enrolled none. Grouped: one query for a chunk's look-ups. */
  membersOf(appId: string, kind: RecordKind, identifier: string): Promise<Record<string, string> | null>;
}

interface Shown {
  appId: string;
  idType: string;
  /** Base64. */
  subject: string;
}

export function openPortraits(ctx: Context): Portraits {
  const readGroup = group<Shown, string | null>(
    async (asked) => {
      const rows = await ctx.sql<(Shown & { id: string; shown: Buffer })[]>`
        select id, app_id, id_type, encode(subject, 'base64') as subject, shown from sandbox_portraits
        where (app_id, id_type, subject) in (
          select a, t, decode(s, 'base64') from unnest(${asked.map((one) => one.appId)}::uuid[], ${asked.map((one) => one.idType)}::text[],
            ${asked.map((one) => one.subject)}::text[]) as asked(a, t, s))`;
      const known = new Map(rows.map((row) => [keyOf(row), row]));
      return asked.map((one) => {
        const row = known.get(keyOf(one));
        return row ? openShown(ctx, row) : null;
      });
    },
    { itemsMax: 500, flushesMax: 2 },
  );
  return {
    async membersOf(appId, kind, identifier) {
      const member = portraitMembers[kind];
      if (member === undefined) return null;
      const subject = portraitSubject(ctx.cipher, kind as IdType, identifier).toString('base64');
      const shown = await readGroup({ appId, idType: kind, subject });
      return shown === null ? null : { [member]: shown };
    },
  };
}

/** Null where it does not open: a record is answered with its drawn portrait rather than not at all. */
function openShown({ cipher, log }: Context, { id, shown }: { id: string; shown: Buffer }): string | null {
  try {
    return cipher.open(shown, PORTRAIT, id);
  } catch (error) {
    log.error({ portrait: id, err: error }, 'portrait does not open');
    return null;
  }
}

const keyOf = ({ appId, idType, subject }: Shown): string => `${appId} ${idType} ${subject}`;

/** As it was sent. Null: the app has enrolled none (`portraitNotEnrolled`). */
export async function readPortrait(
  { sql, cipher }: Context,
  { appId }: { appId: string },
  idType: IdType,
  idNumber: string,
): Promise<{ image: Buffer } | null> {
  const [row] = await sql<{ id: string; image: Buffer }[]>`
    select id, image from sandbox_portraits
    where app_id = ${appId} and id_type = ${idType} and subject = ${portraitSubject(cipher, idType, idNumber)}`;
  return row ? { image: Buffer.from(cipher.open(row.image, PORTRAIT, row.id), 'base64') } : null;
}

export const portraitSubject = (cipher: Cipher, idType: IdType, idNumber: string): Buffer => cipher.index(PORTRAIT, idType, idNumber);

export const portraitNotEnrolled = (idType: IdType): ApiError =>
  new ApiError(
    'portrait_not_enrolled',
    `No portrait is enrolled for this ${idType.toUpperCase()}: PUT a picture to /api/v1/sandbox/portraits/${idType}/{id_number} with a test key`,
  );
