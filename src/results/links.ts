/**
 * Signed links: a batch's file for people without a key. The token contains batch, file, expiry and the link's id, and is signed with its own key. A link works
 * until it expires or is revoked, and only while its maker could make it: the key with its scope, or the person with a role that allows it. While the app is
 * suspended it does not work.
 */

import { type Author, record } from '../access/audit/append.ts';
import type { AppMode } from '../access/owner.ts';
import { mayUse, roles } from '../access/roles.ts';
import { openRow, type Unopened } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import { OUTCOMES, type Outcome, RESULT_FORMATS, type ResultFormat } from '../contract/results.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import type { AppSettings } from '../schema/apps.ts';

export interface LinkedFile {
  kind: 'results' | 'errors';
  /** Null: CSV for results, the form of the upload for errors. */
  format: ResultFormat | null;
  outcomes: readonly Outcome[] | null;
}

/** Who makes a link: it ends when its maker does. */
export interface LinkMaker {
  /** Null: a person, whose links end when they leave the app or are disabled. */
  keyId: string | null;
  by: Author;
  /** Whether exports needed an approval when the maker was let through. */
  underApproval: boolean;
}

/** A link as its app sees it. */
export interface StoredLink {
  id: string;
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
}

/**
 * Stores the link and returns the token for its URL. Throws `conflict` if exports have come to need an approval since the maker was let through without one: turning that
 * on ends the links that it sees (`changeSettings`), and would miss this one.
 */
export async function signLink(
  { sql, cipher }: Context,
  batch: BatchRow,
  { file, seconds, maker: { keyId, by, underApproval } }: { file: LinkedFile; seconds: number; maker: LinkMaker },
): Promise<{ id: string; token: string; expiresAt: string }> {
  const id = newId();
  const [row] = await sql.begin(async (tx) => {
    const [app] = await tx<{ settings: AppSettings }[]>`select settings from apps where id = ${batch.appId} for share`;
    if (app!.settings.approveExport && !underApproval)
      throw new ApiError('conflict', 'From now on this app requires an approval for exports; ask again');
    const stored = await tx<{ expiresAt: string; expires: number }[]>`
    insert into links (id, app_id, live, batch_id, key_id, person_id, expires_at)
    values (${id}, ${batch.appId}, ${batch.live}, ${batch.id}, ${keyId}, ${parseId('per', by.actor.id)},
      date_trunc('second', now() + ${seconds} * interval '1 second'))
    returning expires_at, extract(epoch from expires_at)::int as expires`;
    const { appId, live } = batch;
    const detail = { link: showId('lnk', id), kind: file.kind, format: file.format, seconds };
    await record(tx, by, { appId, live, action: 'link.create', object: showId('bat', batch.id), detail });
    return stored;
  });
  const { expires, expiresAt } = row!;
  const text = [showId('bat', batch.id), file.kind, file.format ?? '', file.outcomes?.join('+') ?? '', expires, showId('lnk', id)].join(
    ',',
  );
  return { id, token: tokenOf(text, cipher.sign(LINK, text)), expiresAt };
}

/** The links to a batch's files, newest first. `isActive`: true for links that still work, false for those that do not. `before`: only older links. */
export async function readLinks(
  { sql }: Context,
  batchId: string,
  { isActive, before, limit }: { isActive: boolean | null; before: string | null; limit: number },
): Promise<StoredLink[]> {
  return [
    ...(await sql<StoredLink[]>`
      select a.id, a.created_at, a.expires_at, a.revoked_at from links a
      where a.batch_id = ${batchId} ${narrowed(sql, [
        isActive !== null && sql`(a.expires_at > now() and exists (${standing(sql, sql`a.id`)})) = ${isActive}`,
        before !== null && sql`a.id < ${before}`,
      ])}
      order by a.id desc limit ${limit}`),
  ];
}

/** False if the app has no such link of this mode, or it was revoked before. */
export async function revokeLink({ sql }: Context, id: string, { appId, live }: AppMode, by: Author): Promise<boolean> {
  return sql.begin(async (tx) => {
    const revoked = await tx`
      update links set revoked_at = now() where id = ${id} and app_id = ${appId} and live = ${live} and revoked_at is null`;
    if (revoked.count === 0) return false;
    await record(tx, by, { appId, live, action: 'link.revoke', object: showId('lnk', id) });
    return true;
  });
}

/** The links that were revoked, or whose maker could not make them any more. A link that merely expires is not among them: a download that began in time continues. */
export async function endedLinks({ sql }: Pick<Context, 'sql'>, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select asked.id from unnest(${ids as string[]}::uuid[]) asked (id) where not exists (${standing(sql, sql`asked.id`)})`;
  return new Set(rows.map(({ id }) => id));
}

/** What making a link needs. */
const NEEDED = { scope: 'results:read', reveals: true } as const;
const makers = roles.filter((role) => mayUse(role, NEEDED));

/** The link with this id, unless it was revoked, or its key or person has ended or may not make such links any more. */
const standing = (sql: Sql, id: ReturnType<Sql>) => sql`
  select 1 from links l left join api_keys k on k.id = l.key_id
  where l.id = ${id} and l.revoked_at is null
    and (l.key_id is null or (k.revoked_at is null and coalesce(k.expires_at > now(), true) and coalesce(${NEEDED.scope} = any(k.scopes), true)))
    and (l.person_id is null or exists (
      select 1 from app_people m join people p on p.id = m.person_id
      where m.app_id = l.app_id and m.person_id = l.person_id and m.accepted_at is not null and p.disabled_at is null
        and m.role = any(${makers}::person_role[])))`;

export interface OpenedLink {
  link: string;
  appName: string;
  batch: BatchRow;
  file: LinkedFile;
  expiresAt: string;
}

/** The batch and file that `token` gives access to, and the link's id as shown. Throws `link_invalid` or `link_expired`. */
export async function openLink({ sql, cipher }: Context, token: string): Promise<OpenedLink> {
  const [encoded = '', signed = ''] = token.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  // Compares the whole token, which has only one valid spelling.
  const isOurs = cipher.signatures(LINK, text).some((signature) => sameSecret(token, tokenOf(text, signature)));
  if (!isOurs || signed === '') throw invalid();
  const [bat, kind, format, outcomes, expires, lnk] = text.split(',') as [string, LinkedFile['kind'], string, string, string, string?];
  const id = parseId('bat', bat);
  if (id === null) throw invalid();
  // Releases that did not store links made some without an id. Those end only by expiry.
  const linkId = lnk === undefined ? null : parseId('lnk', lnk);
  const [batch] = await sql<Unopened<BatchRow & { appName: string; expiry: string; isOpen: boolean; isRevoked: boolean }>[]>`
    select b.*, a.name as app_name, to_timestamp(${expires}::bigint) as expiry, to_timestamp(${expires}::bigint) > now() as is_open,
      ${linkId}::uuid is not null and not exists (${standing(sql, sql`${linkId}`)}) as is_revoked
    from batches b join apps a on a.id = b.app_id where b.id = ${id}`;
  if (!batch || batch.deletedAt !== null) throw invalid();
  if (!batch.isOpen) throw new ApiError('link_expired', 'The link has expired; ask whoever sent it for a new one');
  if (batch.isRevoked) throw new ApiError('link_expired', 'The link was revoked; ask whoever sent it for a new one');
  return {
    link: lnk ?? 'unnamed',
    appName: batch.appName,
    expiresAt: batch.expiry,
    batch: openRow<BatchRow>(await cipher.opener([batch.about]), 'bat', batch),
    file: {
      kind,
      format: RESULT_FORMATS.find((known) => known === format) ?? null,
      outcomes: outcomes === '' ? null : OUTCOMES.filter((known) => outcomes.split('+').includes(known)),
    },
  };
}

const LINK = 'link';
const tokenOf = (text: string, signature: Buffer): string =>
  `${Buffer.from(text).toString('base64url')}.${signature.toString('base64url')}`;
const invalid = (): ApiError => new ApiError('link_invalid', 'We did not issue this link, or the file behind it is gone');

/** They are listed for a month after they have expired. */
export const dropOldResultLinks = ({ sql }: Pick<Context, 'sql'>) => sql`delete from links where expires_at < now() - interval '30 days'`;
