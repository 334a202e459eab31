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
    const { error, code, details, meta, ...extra } = body as {
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
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
    this.extra = extra;
  }
}

/** No answer came: the service or the network is away. Whether a request that changes something was carried out is unknown. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The service cannot be reached', { cause });
    this.name = 'Unreachable';
  }
}
