/** What a call of the client may throw. */
import type { ErrorCode, ErrorDetail } from '../foundation/errors.ts';

/** The service refused. `code` is one of docs/errors.md; `requestId` finds the request in the service's log. */
export class Refused extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly requestId: string | null;
  readonly details: ErrorDetail[];
  readonly retryAfterSeconds: number | null;
  /** Further members of the answer, such as `factors` or `quote_amount`. */
  readonly extra: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>, retryAfter: string | null) {
    const {
      status: _,
      error,
      code,
      details,
      meta,
      ...extra
    } = body as {
      status?: 'error';
      error?: string;
      code?: ErrorCode;
      details?: ErrorDetail[];
      meta?: { request_id?: string };
    };
    super(error ?? `The service answered ${status}`);
    this.name = 'Refused';
    this.status = status;
    this.code = code ?? 'internal';
    this.requestId = meta?.request_id ?? null;
    this.details = details ?? [];
    this.retryAfterSeconds = retryAfter === null ? null : secondsUntil(retryAfter);
    this.extra = extra;
  }
}

/** Retry-After (RFC 9110, 10.2.3) is a number of seconds, or a date where a proxy answers. */
function secondsUntil(retryAfter: string): number | null {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** No answer came: the service or the network is unavailable. Whether a request that changes something was carried out is unknown. */
export class Unreachable extends Error {
  constructor(cause: unknown, message = 'The service cannot be reached') {
    super(message, { cause });
    this.name = 'Unreachable';
  }
}

/** A wait has reached its time limit. The job or batch continues: wait again, or come back later. */
export class StillRunning extends Error {
  readonly id: string;
  readonly status: string;

  constructor(id: string, status: string) {
    super(`${id} is still ${status}`);
    this.name = 'StillRunning';
    this.id = id;
    this.status = status;
  }
}
