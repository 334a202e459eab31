/**
 * Signed links: a batch's file for people without a key. The token contains batch, file and expiry and is signed with its own key, so nothing is
 * stored. A link works until it expires, except while the app is suspended.
 */

import { openRow, type Unopened } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import { OUTCOMES, type Outcome, RESULT_FORMATS, type ResultFormat } from '../contract/results.ts';
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';

export interface LinkedFile {
  kind: 'results' | 'errors';
  /** Null for errors, which have the form of the upload. */
  format: ResultFormat | null;
  outcomes: readonly Outcome[] | null;
}

/** The token for a URL, and its expiry by Postgres's clock. */
export async function signLink(
  ctx: Context,
  batch: BatchRow,
  file: LinkedFile,
  seconds: number,
): Promise<{ token: string; expiresAt: string }> {
  const [row] = await ctx.sql<{ expires: number }[]>`select ceil(extract(epoch from now()))::int + ${seconds}::int as expires`;
  const expires = row!.expires;
  const text = [showId('bat', batch.id), file.kind, file.format ?? '', file.outcomes?.join('+') ?? '', expires].join(',');
  return {
    token: `${Buffer.from(text).toString('base64url')}.${signature(ctx, text)}`,
    expiresAt: new Date(expires * 1000).toISOString(),
  };
}

/** The batch and file that `token` gives access to. Throws `link_invalid` or `link_expired`. */
export async function openLink(ctx: Context, token: string): Promise<{ batch: BatchRow; file: LinkedFile }> {
  const [encoded = '', signed = ''] = token.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  // Compares the whole token, which has only one valid spelling.
  if (!sameSecret(token, `${Buffer.from(text).toString('base64url')}.${signature(ctx, text)}`) || signed === '') throw invalid();
  const [bat, kind, format, outcomes, expires] = text.split(',') as [string, LinkedFile['kind'], string, string, string];
  const id = parseId('bat', bat);
  if (id === null) throw invalid();
  const [batch] = await ctx.sql<Unopened<BatchRow & { isOpen: boolean }>[]>`
    select b.*, to_timestamp(${expires}::bigint) > now() as is_open from batches b where b.id = ${id}`;
  if (!batch) throw invalid();
  if (!batch.isOpen) throw new ApiError('link_expired', 'The link has expired; ask whoever sent it for a new one');
  return {
    batch: openRow<BatchRow>(ctx.cipher, 'bat', batch),
    file: {
      kind,
      format: RESULT_FORMATS.find((known) => known === format) ?? null,
      outcomes: outcomes === '' ? null : OUTCOMES.filter((known) => outcomes.split('+').includes(known)),
    },
  };
}

const signature = (ctx: Context, text: string): string => ctx.cipher.sign('link', text).toString('base64url');
const invalid = (): ApiError => new ApiError('link_invalid', 'We did not issue this link, or the file behind it is gone');
