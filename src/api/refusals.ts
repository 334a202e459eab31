/** The one place where an error becomes a refusal. */
import { HTTPException } from 'hono/http-exception';
import { sentence } from '../checks/read-input.ts';
import { KeyFault } from '../foundation/crypto.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import { UploadError } from '../rows/row.ts';

/** ENOSPC and EDQUOT come from the file system, 53100 (disk_full) from Postgres. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']);
const FULL_DISK_RETRY_SECONDS = 60;
/** Lost connections come back within moments; a restart of Postgres takes a few seconds. */
const UNAVAILABLE_RETRY_SECONDS = 2;
/** An operator must put the key back. */
const KEY_RETRY_SECONDS = 60;

/** `report` is called with errors that are our own fault. */
export function refusalOf(error: unknown, report: (bug: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UploadError) {
    const path = error.field ?? (error.row === null ? 'body' : `row ${error.row}`);
    return new ApiError(error.code, sentence([{ field: null, message: error.message }]), {
      details: [{ path, message: error.message, rule: error.rule, ...(error.row === null ? {} : { row: error.row }) }],
    });
  }
  if (error instanceof HTTPException && error.status < 500) return new ApiError('invalid_request', 'The request is malformed');
  report(error);
  if (FULL_DISK.has((error as { code?: unknown } | null)?.code)) {
    return new ApiError('overloaded', 'The server’s disk is full; nothing was stored', { headers: retryAfter(FULL_DISK_RETRY_SECONDS) });
  }
  if (error instanceof KeyFault) {
    const seconds = error.isPassing ? UNAVAILABLE_RETRY_SECONDS : KEY_RETRY_SECONDS;
    return new ApiError('key_unavailable', error.message, { headers: retryAfter(seconds) });
  }
  if (isDatabaseFault(error)) {
    return new ApiError('unavailable', 'The service is briefly unavailable; nothing was charged', {
      headers: retryAfter(UNAVAILABLE_RETRY_SECONDS),
    });
  }
  return new ApiError('internal', 'Something went wrong on our side; quote the request id');
}
