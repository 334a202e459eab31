/**
 * Reads enrolled portraits, for a face check and for the records that test keys look up. They replace the drawn portraits after the cache, so that no cached
 * record ever holds one: only the app that enrolled a portrait sees it, and always the present one.
 */
import type { RecordKind } from '../../checks/provider.ts';
import type { IdType } from '../../contract/portraits.ts';
import type { Context } from '../../foundation/context.ts';
import type { Opener } from '../../foundation/crypto.ts';
import { ApiError } from '../../foundation/errors.ts';
import { group } from '../../foundation/group.ts';
import type { Indexer } from '../../foundation/index-keys.ts';
import { byteaArray, recordset } from '../../foundation/recordset.ts';

/** The member of each record that holds the portrait. */
const portraitMembers: Partial<Record<RecordKind, string>> = { nin: 'photo', bvn: 'image' };

/** The purpose under which both pictures of a row are sealed. */
export const PORTRAIT = 'sandbox_portrait';

export interface Portraits {
  /** The record's members with the app's own portrait; null: it has none. Grouped: one query for a chunk's look-ups. */
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
        where (app_id, id_type, subject) in ${recordset(ctx.sql, asked, {
          app_id: ['uuid', (one) => one.appId],
          id_type: ['text', (one) => one.idType],
          subject: ['bytea', (one) => Buffer.from(one.subject, 'base64')],
        })}`;
      const known = new Map(rows.map((row) => [keyOf(row), row]));
      const opener = await ctx.cipher.opener(rows.map(({ shown }) => shown));
      return asked.map((one) => {
        const row = known.get(keyOf(one));
        return row ? openShown(ctx, opener, row) : null;
      });
    },
    { itemsMax: 500, flushesMax: 2 },
  );
  return {
    async membersOf(appId, kind, identifier) {
      const member = portraitMembers[kind];
      if (member === undefined) return null;
      // Once enrolled again, a number is found by the current key only.
      const found = await Promise.all(
        portraitSubjects(ctx.cipher, kind as IdType, identifier).map((subject) =>
          readGroup({ appId, idType: kind, subject: subject.toString('base64') }),
        ),
      );
      const shown = found.find((one) => one !== null) ?? null;
      return shown === null ? null : { [member]: shown };
    },
  };
}

/** Null if it does not decrypt: a record with its drawn portrait is better than no record. */
function openShown({ log }: Context, { open }: Opener, { id, shown }: { id: string; shown: Buffer }): string | null {
  try {
    return open(shown, PORTRAIT, id);
  } catch (error) {
    log.error({ portrait: id, err: error }, 'could not decrypt an enrolled portrait');
    return null;
  }
}

const keyOf = ({ appId, idType, subject }: Shown): string => `${appId} ${idType} ${subject}`;

/** The portrait as it was sent. Null: the app has none (`portraitNotEnrolled`). */
export async function readPortrait(
  { sql, cipher }: Context,
  { appId }: { appId: string },
  idType: IdType,
  idNumber: string,
): Promise<{ image: Buffer } | null> {
  const [row] = await sql<{ id: string; image: Buffer }[]>`
    select id, image from sandbox_portraits
    where app_id = ${appId} and id_type = ${idType} 
      and subject = any(${byteaArray(portraitSubjects(cipher, idType, idNumber))}::bytea[])`;
  if (!row) return null;
  const { open } = await cipher.opener([row.image]);
  return { image: Buffer.from(open(row.image, PORTRAIT, row.id), 'base64') };
}

export const portraitSubject = (cipher: Indexer, idType: IdType, idNumber: string): Buffer => portraitSubjects(cipher, idType, idNumber)[0];

/** By every index key, the current one first. */
export const portraitSubjects = (cipher: Indexer, idType: IdType, idNumber: string): [Buffer, ...Buffer[]] =>
  cipher.indexes(PORTRAIT, idType, idNumber);

export const portraitNotEnrolled = (idType: IdType): ApiError =>
  new ApiError(
    'portrait_not_enrolled',
    `No portrait is enrolled for this ${idType.toUpperCase()}: PUT a picture to /api/v1/sandbox/portraits/${idType}/{id_number} with a test key`,
  );
