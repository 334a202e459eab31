/** Refusals. `ApiError` is the only way that a client is told no; anything else thrown is a bug or infrastructure and answers 500. */

/** Every code a client can meet, its HTTP status and what it means. `docs/errors.md` is checked against this table by a test. */
export const errorCodes = {
  invalid_request: { status: 400, meaning: 'A parameter, header or body member is missing or malformed; `details` names each.' },
  invalid_upload: { status: 400, meaning: 'The uploaded file cannot be read as rows; `details` names the row and the rule.' },
  invalid_image: { status: 400, meaning: 'The picture cannot be read: it must be a whole JPEG, PNG or WebP image.' },
  unauthenticated: { status: 401, meaning: 'The key or the AppId is missing, wrong or revoked.' },
  insufficient_funds: { status: 402, meaning: 'The wallet does not cover the price. Nothing was looked up.' },
  spending_cap_exceeded: {
    status: 403,
    meaning: 'It would exceed a cap on spending; `cap`, `limit_amount` and `left_amount` say which and by how much. Nothing was looked up.',
  },
  forbidden: { status: 403, meaning: 'The key is not allowed to do this.' },
  app_suspended: { status: 403, meaning: 'The app is suspended: its operator can resume it. Nothing was looked up.' },
  link_expired: { status: 403, meaning: 'The signed link has expired; a new one can be made.' },
  link_invalid: { status: 403, meaning: 'The signed link was altered, or what it led to is gone.' },
  record_not_found: { status: 404, meaning: 'The registry has no such subject. Costs nothing.' },
  portrait_not_enrolled: {
    status: 404,
    meaning: 'The sandbox has no portrait of this number: enrol one by `PUT /api/v1/sandbox/portraits/{id_type}/{id_number}`.',
  },
  portrait_not_on_record: {
    status: 404,
    meaning: 'The registry has the subject, and no portrait of it that a selfie could be compared with. Costs nothing.',
  },
  resource_not_found: { status: 404, meaning: 'No such path, job, batch or app (or it belongs to another app).' },
  method_not_allowed: { status: 405, meaning: 'The path exists, the method does not; `Allow` lists those that do.' },
  conflict: { status: 409, meaning: 'The resource is in a state that does not allow this.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with this `Idempotency-Key` is under way; see `Retry-After`.' },
  image_too_large: { status: 413, meaning: 'The picture has more than 10 MB, or more pixels than are decoded.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  unsupported_media_type: { status: 415, meaning: 'The Content-Type is not one that this path takes.' },
  idempotency_mismatch: { status: 422, meaning: 'This `Idempotency-Key` was used for another request.' },
  subject_mismatch: { status: 422, meaning: 'What was sent about the subject contradicts its record. Costs nothing.' },
  no_face_detected: { status: 422, meaning: 'No face was found in the picture that is named. Costs nothing, here as below.' },
  multiple_faces: { status: 422, meaning: 'More than one face was found in the selfie.' },
  face_too_small: { status: 422, meaning: 'The face has too few pixels.' },
  face_too_close: { status: 422, meaning: 'The face is cut off by the edge of the picture.' },
  image_blurry: { status: 422, meaning: 'The picture is blurred.' },
  image_too_dark: { status: 422, meaning: 'The picture, or the face in it, is too dark.' },
  no_consent: { status: 422, meaning: 'The provider says that the subject has not agreed, or has locked the record. Costs nothing.' },
  provider_failed: {
    status: 424,
    meaning:
      'The provider was asked and failed; `provider_reference` is its own number of the question, where it gave one. Costs nothing; try again.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'The key made more requests in this minute than it may, or too many sign-ins failed from this address; see `Retry-After`. Nothing was looked up.',
  },
  too_many_misses: {
    status: 429,
    meaning:
      'Too many questions about this subject, or of this app, found nobody or contradicted the record; `limit` says which, see `Retry-After`. Nothing was looked up.',
  },
  internal: { status: 500, meaning: 'Our fault. Costs nothing; quote the request id.' },
  lists_not_loaded: {
    status: 503,
    meaning:
      'A watch list that live screenings need is not loaded, or too old; nothing was screened, since it could not say "clear". Costs nothing.',
  },
  overloaded: {
    status: 503,
    meaning: 'Too many uploads or downloads are under way, of this app or at all, or a disk is full; see `Retry-After`. Costs nothing.',
  },
  provider_not_configured: { status: 503, meaning: 'No provider is configured for this check and this kind of key.' },
  provider_pending: {
    status: 503,
    meaning: 'The provider took the question and answers later; see `Retry-After`, or submit a job, which waits for it. Costs nothing.',
  },
  unavailable: {
    status: 503,
    meaning:
      'Our database cannot be reached at the moment; see `Retry-After`. Nothing was charged; send it again, with the same `Idempotency-Key` where it has one.',
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

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** Further members of the answer, such as the quote that was not covered. */
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

/** The stable rule of what a schema refused: the declaration's own, or else the validator's, without the words of its inside. */
export const ruleOf = ({ code, params }: { code: string; params?: Record<string, unknown> | undefined }): string =>
  typeof params?.rule === 'string' ? params.rule : code === 'custom' || code === 'invalid_union' ? 'invalid_value' : code;
