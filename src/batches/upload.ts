/** An upload before its rows are read: what is refused by then, what it costs at worst, and how its columns were understood. */
import type { z } from 'zod';
import type { Owner, Price } from '../access/owner.ts';
import type { Check } from '../checks/check.ts';
import type { BatchOptions, reading } from '../contract/batches.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import type { RowSource } from '../rows/row.ts';
import type { BatchFormat } from '../schema/batches.ts';
import { refuseReceiver } from '../webhooks/receiver-url.ts';
import { allowedChecks, type Submitting } from './accepting.ts';
import { resolveMapping, takenColumns, unreadColumn, unreadColumns } from './columns.ts';
import type { Tally } from './intake.ts';
import type { Mapping } from './row-reader.ts';
import type { RowThread } from './row-thread.ts';

export interface Upload {
  format: BatchFormat;
  source: RowSource;
  options: BatchOptions;
  /** Resolves once the last byte of the body has arrived; nothing waits for the client after that. Throws what is wrong with the body. */
  whole(): Promise<void>;
  /** Reads the rows in place of `source.rows`, once the upload is whole. Null: the upload is small and is read here. */
  thread(): RowThread | null;
}

/** An upload whose checks, columns and callback address are valid. */
export interface Checked extends Upload {
  checks: Check[];
  mapping: Mapping;
  prices: Map<string, Price>;
  /** Ids of the watch lists that its rows may name. Null: any. */
  watchLists: readonly string[] | null;
}

/** Refuses what can be refused before the rows are read. Throws `ApiError`. */
export function checkUpload(ctx: Submitting, owner: Owner, upload: Upload): Checked {
  const { options, source } = upload;
  if (options.callback_url !== undefined) refuseReceiver(ctx, options.callback_url, 'callback_url');
  const checks = allowedChecks(ctx, owner, { ids: options.checks, path: 'checks', consent: options.consent });
  const prices = new Map(checks.map(({ id, priceKobo, cachedPriceKobo }) => [id, { priceKobo, cachedPriceKobo }]));
  const watchLists = ctx.router.watchLists(owner.live);
  return { ...upload, checks, mapping: resolveMapping(checks, source, options.mapping), prices, watchLists };
}

/** The worst case: no answer comes from the cache. */
export const quoteOf = ({ jobs }: Tally, prices: Map<string, Price>): number =>
  [...jobs].reduce((sum, [check, count]) => sum + count * prices.get(check)!.priceKobo, 0);

/** How the upload's columns and dates were read. */
export type UploadReading = z.infer<z.ZodObject<typeof reading>>;

/** `tally`: over all its rows. */
export const readingOf = (
  { checks, mapping, options, source }: Checked,
  { ambiguousDates, encoding, hiddenRows }: Tally,
): UploadReading => ({
  mapping: takenColumns(mapping, source),
  date_format: options.date_format,
  ambiguous_dates: ambiguousDates,
  ...warned(unreadColumns(checks, source, mapping).map(unreadColumn)),
  ...(source.columns !== null && {
    file: {
      sheet: source.about.sheet,
      header_row: source.about.headerRow,
      left_out: source.about.leftOut,
      encoding,
      hidden_rows: hiddenRows,
    },
  }),
});

const warned = (warnings: NonNullable<UploadReading['warnings']>): Pick<UploadReading, 'warnings'> =>
  warnings.length > 0 ? { warnings } : {};

/** `on_invalid=reject`: one invalid row refuses the whole upload. */
export function refuseInvalid(options: BatchOptions, { invalid, rows, errors }: Tally): void {
  if (options.on_invalid === 'reject' && invalid > 0) {
    throw new ApiError(
      'invalid_request',
      `${invalid} of ${rows} rows ${invalid === 1 ? 'is' : 'are'} invalid; nothing was accepted (on_invalid=reject)`,
      {
        details: errors,
      },
    );
  }
}

/** Throws `ApiError` if it is in the past. */
export async function deadline(sql: Sql | Tx, expiresAt: string | undefined): Promise<string | null> {
  if (expiresAt === undefined) return null;
  const [row] = await sql<{ isAhead: boolean }[]>`select ${expiresAt}::text::timestamptz > now() as "isAhead"`;
  if (!row!.isAhead)
    throw new ApiError('invalid_request', 'expires_at is in the past', {
      details: [{ path: 'expires_at', message: 'must be in the future', rule: 'past' }],
    });
  return expiresAt;
}
