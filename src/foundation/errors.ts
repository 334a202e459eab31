/** Refusals. `ApiError` is the only way to tell a client no; anything else thrown is a bug or infrastructure and is answered with 500. */

/** Every code a client can meet, with its HTTP status and meaning. A test compares `docs/errors.md` with this table. */
export const errorCodes = {
  invalid_request: { status: 400, meaning: 'A parameter, header or body member is missing or malformed; `details` names each.' },
  invalid_upload: { status: 400, meaning: 'The uploaded file cannot be read as rows; `details` names the row and the rule.' },
  invalid_image: { status: 400, meaning: 'The picture cannot be read: it must be a complete JPEG, PNG or WebP image.' },
  unauthenticated: { status: 401, meaning: 'The key or the AppId is missing, wrong or revoked.' },
  second_factor_required: {
    status: 401,
    meaning: 'The password or the link is right, and a second factor is needed too; `factors` lists them.',
  },
  insufficient_funds: { status: 402, meaning: 'The wallet does not cover the price. Nothing was looked up.' },
  spending_cap_exceeded: {
    status: 403,
    meaning:
      'A spending cap would be exceeded; `cap`, `limit_amount` and `left_amount` say which and how much is left. Nothing was looked up.',
  },
  storage_quota_exceeded: {
    status: 403,
    meaning: 'The app may not store that much; `limit_bytes` and `left_bytes` say how much. Nothing is kept or charged.',
  },
  forbidden: { status: 403, meaning: 'The key is not allowed to do this.' },
  app_suspended: { status: 403, meaning: 'The app is suspended; the operator can resume it. Nothing was looked up.' },
  sign_in_again: { status: 403, meaning: 'The session is too old for changing how you sign in; sign in again first.' },
  second_factor_setup_required: {
    status: 403,
    meaning: 'A second factor is required, and you have none or did not use it; set it up, or sign in with it.',
  },
  link_expired: { status: 403, meaning: 'The signed link has expired; create a new one.' },
  link_invalid: {
    status: 403,
    meaning: 'The signed link was altered, or its file no longer exists; or the one-time link has been used or has expired.',
  },
  record_not_found: { status: 404, meaning: 'The registry has no such subject. Costs nothing.' },
  portrait_not_enrolled: {
    status: 404,
    meaning: 'The sandbox has no portrait for this number; enrol one with `PUT /api/v1/sandbox/portraits/{id_type}/{id_number}`.',
  },
  portrait_not_on_record: {
    status: 404,
    meaning: 'The registry has the subject but no portrait to compare a selfie with. Costs nothing.',
  },
  resource_not_found: { status: 404, meaning: 'No such path, job, batch or app (or it belongs to another app).' },
  method_not_allowed: { status: 405, meaning: 'The path does not support this method; `Allow` lists those that it does.' },
  conflict: { status: 409, meaning: 'The resource’s state does not allow this.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with this `Idempotency-Key` is in progress; see `Retry-After`.' },
  image_too_large: { status: 413, meaning: 'The picture is larger than 10 MB, or has more pixels than we decode.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  unsupported_media_type: { status: 415, meaning: 'This path does not accept the Content-Type or its `charset`: JSON is UTF-8.' },
  idempotency_mismatch: { status: 422, meaning: 'This `Idempotency-Key` was used for another request.' },
  subject_mismatch: { status: 422, meaning: 'The submitted details contradict the subject’s record. Costs nothing.' },
  no_face_detected: { status: 422, meaning: 'No face was found in the named picture. Costs nothing.' },
  multiple_faces: {
    status: 422,
    meaning: 'More than one face was found in the selfie, or two equal ones in the other picture. Costs nothing.',
  },
  face_too_small: { status: 422, meaning: 'The face has too few pixels. Costs nothing.' },
  face_too_close: { status: 422, meaning: 'The face is cut off by the edge of the picture. Costs nothing.' },
  face_turned_away: { status: 422, meaning: 'The face is turned too far to the side. Costs nothing.' },
  eyes_covered: { status: 422, meaning: 'The eyes are covered, as by sunglasses. Costs nothing.' },
  mouth_covered: { status: 422, meaning: 'The lower half of the face is covered, as by a mask. Costs nothing.' },
  image_blurry: { status: 422, meaning: 'The picture is blurred. Costs nothing.' },
  image_too_dark: { status: 422, meaning: 'The picture, or the face in it, is too dark. Costs nothing.' },
  no_consent: { status: 422, meaning: 'According to the provider, the subject has not consented or has locked the record. Costs nothing.' },
  consent_withdrawn: {
    status: 422,
    meaning: 'The consent under this reference was withdrawn. Nothing was looked up. Costs nothing.',
  },
  provider_failed: {
    status: 424,
    meaning: 'The provider was asked and failed; `provider_reference` is the vendor reference, if there is one. Costs nothing; try again.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'The key has made too many requests this minute, or too many sign-ins from this address have failed; see `Retry-After`. Nothing was looked up.',
  },
  too_many_misses: {
    status: 429,
    meaning:
      'Too many look-ups of this subject, or by this app, found nobody or contradicted the record; `limit` says which, see `Retry-After`. Nothing was looked up.',
  },
  too_many_in_progress: {
    status: 429,
    meaning:
      'The app already has its share of what one process does at a time: calls, requests, uploads, downloads, streams, waits, reports, bytes of bodies. The message says which; see `Retry-After`. Nothing was looked up.',
  },
  internal: { status: 500, meaning: 'An error on our side. Costs nothing; quote the request id.' },
  lists_not_loaded: {
    status: 503,
    meaning:
      'A watch list that the screening needs is not loaded, too old or still being indexed; see `Retry-After`. Nothing was screened, since a "clear" would not be reliable. Costs nothing.',
  },
  overloaded: {
    status: 503,
    meaning: 'All apps together have too much in progress, or a disk is full; see `Retry-After`. Costs nothing.',
  },
  provider_not_configured: { status: 503, meaning: 'No provider is configured for this check and this kind of key.' },
  provider_pending: {
    status: 503,
    meaning: 'The provider will answer later; see `Retry-After`, or submit a job, which waits for the answer. Costs nothing.',
  },
  key_unavailable: {
    status: 503,
    meaning:
      'What the request is about cannot be decrypted or encrypted: the message names the encryption key that is unknown, or says that the key service does not answer. Nothing was charged; only the operator can help.',
  },
  unavailable: {
    status: 503,
    meaning:
      'Our database is unreachable at the moment, or the thread that read the upload ended; see `Retry-After`. Nothing was charged; repeat the request, with the same `Idempotency-Key` if it had one.',
  },
  provider_unavailable: { status: 503, meaning: 'Every provider is paused or down; see `Retry-After`. Costs nothing.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetail {
  path: string;
  message: string;
  row?: number;
  rule?: string;
}

/** The detail for an option or input that is given more than once: either value may be the wrong one. */
export const repeatedOption = (path: string): ErrorDetail => ({ path, message: 'is given more than once', rule: 'repeated' });

/** The `Retry-After` header. */
export const retryAfter = (seconds: number): Record<string, string> => ({ 'Retry-After': String(seconds) });

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** Further members of the answer, such as the quote that the wallet did not cover. */
  readonly extra: Record<string, unknown>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string>; extra?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
  }
}

/** The client disconnected before its turn came, so nothing was done for it. */
export class ClientGone extends Error {}
