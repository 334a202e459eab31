/** Looks up which hits are cleared, for many screenings in one query. */

import type { ScreeningHit } from '../checks/screening.ts';
import type { CreatedBy } from '../contract/created-by.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { type Group, group } from '../foundation/group.ts';
import { showId } from '../foundation/ids.ts';
import { byteaArray, recordset } from '../foundation/recordset.ts';
import { openNote } from './clearing.ts';
import { digestIndexes, sourceIndexes } from './listings.ts';

export interface ClearanceRequest {
  appId: string;
  live: boolean;
  /** HMACs, as in `jobs`, by every index key. */
  subjects: readonly Buffer[];
  matches: readonly { list: string; sourceId: string; digest: string }[];
}

/** As hits show it. */
type Cleared = NonNullable<ScreeningHit['cleared']>;

/** Returns, for each match of a person, whether it is currently cleared. */
export const openClearances = (ctx: Context): Group<ClearanceRequest, (Cleared | null)[]> =>
  group((people) => readClearances(ctx, people), { itemsMax: 500, flushesMax: 2 });

interface ClearedRow {
  person: number;
  match: number;
  id: string;
  note: Buffer;
  createdAt: string;
  expiresAt: string | null;
}

/** One array per person, one flag per match; of several clearances the newest. Without matches there is no query. */
export async function readClearances(
  ctx: Context,
  people: readonly ClearanceRequest[],
  sql: Sql | Tx = ctx.sql,
): Promise<(Cleared | null)[][]> {
  const answers = people.map(({ matches }) => matches.map((): Cleared | null => null));
  const asked = people.flatMap((person, i) =>
    person.matches.flatMap((match, j) => {
      const sources = byteaArray(sourceIndexes(ctx.cipher, person, match.sourceId));
      const digests = byteaArray(digestIndexes(ctx.cipher, person, match));
      return person.subjects.map((subject) => ({ ...match, person, i, j, subject, sources, digests }));
    }),
  );
  if (asked.length === 0) return answers;
  const rows = await sql<ClearedRow[]>`
    select asked.person, asked.match, c.id, c.note, c.created_at, c.expires_at
    from ${recordset(sql, asked, {
      person: ['int', (a) => a.i],
      match: ['int', (a) => a.j],
      app_id: ['uuid', (a) => a.person.appId],
      live: ['bool', (a) => a.person.live],
      subject: ['bytea', (a) => a.subject],
      list: ['text', (a) => a.list],
      source_id: ['text', (a) => a.sourceId],
      digest: ['text', (a) => a.digest],
      source_indexes: ['text', (a) => a.sources],
      keyed_digests: ['text', (a) => a.digests],
    })} asked
    join aml_clearances c on c.app_id = asked.app_id and c.live = asked.live and c.subject = asked.subject
      and c.list = asked.list
      and (c.source_index = any(asked.source_indexes::bytea[]) and c.digest = any(asked.keyed_digests::bytea[])
        or c.source_id = asked.source_id and c.digest = decode(asked.digest, 'hex'))
    where c.revoked_at is null and (c.expires_at is null or c.expires_at > now())
    order by c.id`;
  const opener = await ctx.cipher.opener(rows.map(({ note }) => note));
  for (const row of rows) answers[row.person]![row.match] = show(ctx, opener, row);
  return answers;
}

/** Null if it does not open: the reason for the clearance is then lost, so the hit counts. */
function show({ log }: Context, opener: Opener, row: ClearedRow): Cleared | null {
  try {
    const { reason, clearedBy, createdBy = null } = openNote(opener, row);
    return {
      clearance: showId('clr', row.id),
      cleared_by: clearedBy,
      recorded_by: createdBy?.kind === 'key' ? tellKey(createdBy) : null,
      reason,
      at: showInstant(row.createdAt),
      expires_at: showInstantOrNull(row.expiresAt),
    };
  } catch (error) {
    log.error({ clearance: showId('clr', row.id), err: error }, 'clearance does not open');
    return null;
  }
}

/** `Core banking (key_…)`, or the id of a key without a name. */
const tellKey = ({ id, name }: NonNullable<CreatedBy>): string => (name === null ? id : `${name} (${id})`);
