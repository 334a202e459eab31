/**
 * Signed links: a file of a batch for people who have no key. The token says all (batch, file, until when) and is signed with a key of its
 * own, so that nothing is stored; it holds until it expires, and not while the app is suspended.
 */

import type { BatchRow } from '../contract/batches.ts';
import { OUTCOMES, type Outcome } from '../contract/results.ts';
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { RESULT_FORMATS, type ResultFormat } from './results.ts';

export interface LinkedFile {
  kind: 'results' | 'errors';
  /** Null: errors have that of the upload. */
  format: ResultFormat | null;
  outcomes: readonly Outcome[] | null;
}

/** A token for a URL, and when it expires, by Postgres's clock. */
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

/** The batch and the file that `token` opens. Throws `link_invalid` or `link_expired`. */
export async function openLink(ctx: Context, token: string): Promise<{ batch: BatchRow; file: LinkedFile }> {
  const [encoded = '', signed = ''] = token.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  // The whole token is compared: there is one way to write it.
  if (!sameSecret(token, `${Buffer.from(text).toString('base64url')}.${signature(ctx, text)}`) || signed === '') throw invalid();
  const [bat, kind, format, outcomes, expires] = text.split(',') as [string, LinkedFile['kind'], string, string, string];
  const id = parseId('bat', bat);
  if (id === null) throw invalid();
  const [batch] = await ctx.sql<(BatchRow & { isOpen: boolean })[]>`
    select b.*, to_timestamp(${expires}::bigint) > now() as is_open from batches b where b.id = ${id}`;
  if (!batch) throw invalid();
  if (!batch.isOpen) throw new ApiError('link_expired', 'The link has expired; ask whoever sent it for a new one');
  return {
    batch,
    file: {
      kind,
      format: RESULT_FORMATS.find((known) => known === format) ?? null,
      outcomes: outcomes === '' ? null : OUTCOMES.filter((known) => outcomes.split('+').includes(known)),
    },
  };
}

const signature = (ctx: Context, text: string): string => ctx.cipher.sign('link', text).toString('base64url');
const invalid = (): ApiError => new ApiError('link_invalid', 'The link is not one that we gave out, or what it led to is gone');
