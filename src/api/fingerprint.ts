/**
 * What makes two requests the same: method, path, query (in any order), Content-Type, Content-Encoding, Consent and the bytes of the body, hashed as they are read. A
 * multipart client draws a new boundary for every attempt, so the boundary does not count. The stored hashes are keyed: a plain hash of a request about an
 * 11-digit number would reveal the number to anyone who tries all of them.
 */
import { createHash } from 'node:crypto';

/** SHA-256 of the body as received, without multipart boundaries, and its length in bytes. */
export interface BodyDigest {
  digest: Buffer;
  size: number;
}

/** Follows the body: its reader passes the bytes on as they come. */
export interface BodyHash {
  readonly begun: boolean;
  /** Bytes so far. */
  readonly size: number;
  begin(): void;
  update(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
  /** Resolves at the end of the body; rejects if it breaks off. */
  whole: Promise<BodyDigest>;
}

export function openBodyHash(contentType: string): BodyHash {
  const hash = createHash('sha256');
  let deferred: { resolve: (body: BodyDigest) => void; reject: (error: unknown) => void };
  const whole = new Promise<BodyDigest>((resolve, reject) => {
    deferred = { resolve, reject };
  });
  // The body's reader reports a body that breaks off; here only a waiting caller needs to know.
  whole.catch(() => {});
  let begun = false;
  let size = 0;
  const add = (bytes: Uint8Array) => {
    size += bytes.byteLength;
    hash.update(bytes);
  };
  const boundary = boundaryOf(contentType);
  const filter = boundary === null ? { update: add, end: () => {} } : without(Buffer.from(boundary, 'latin1'), add);
  return {
    get begun() {
      return begun;
    },
    get size() {
      return size;
    },
    begin() {
      begun = true;
    },
    update: filter.update,
    end() {
      filter.end();
      deferred.resolve({ digest: hash.digest(), size });
    },
    fail: (error) => deferred.reject(error),
    whole,
  };
}

/** Passes bytes on to `add` without any occurrence of `pattern`, even one that is split over two chunks. */
function without(pattern: Buffer, add: (bytes: Uint8Array) => void) {
  let held = Buffer.alloc(0);
  return {
    update(chunk: Uint8Array) {
      const bytes = Buffer.concat([held, chunk]);
      let from = 0;
      for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, from)) {
        add(bytes.subarray(from, at));
        from = at + pattern.length;
      }
      const until = Math.max(from, bytes.length - pattern.length + 1);
      add(bytes.subarray(from, until));
      held = bytes.subarray(until);
    },
    end: () => add(held),
  };
}

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i;

function boundaryOf(contentType: string): string | null {
  const match = /^\s*multipart\//i.test(contentType) ? BOUNDARY.exec(contentType) : null;
  return match ? (match[1] ?? match[2]!) : null;
}

const HASH_BYTES = 32;

const SIZE_BYTES = 6;
const PLAIN_BYTES = 2 * HASH_BYTES + SIZE_BYTES;
/** An earlier release wrote 1, and did not compare the header Consent. Its fingerprints may turn up for a day after an upgrade. */
const KEYED = Buffer.from([2]);
const KEYED_WITHOUT_CONSENT = 1;

/** Makes 32 bytes of a text that only we can make, and that differ for each Idempotency-Key. */
export type Sign = (text: string) => Buffer;

/** Layout: 2 · keyed hash of everything but the body (32 bytes) · keyed hash of the body's digest (32) · its size (6, big endian). */
export function fingerprint(sign: Sign, request: Request, { digest, size }: BodyDigest): Buffer {
  const sizeBytes = Buffer.alloc(SIZE_BYTES);
  sizeBytes.writeUIntBE(size, 0, SIZE_BYTES);
  return Buffer.concat([KEYED, sign(`head:${hex(headHash(request))}`), sign(`body:${hex(digest)}`), sizeBytes]);
}

interface ExpectedBody {
  size: number;
  isSame(digest: Buffer): boolean;
}

/** What the stored fingerprint requires of the body, before the body is read. Null: the rest of `request` already differs. */
export function expectedBody(signs: (text: string) => Buffer[], request: Request, stored: Buffer): ExpectedBody | null {
  // An earlier release stored them unkeyed, without the first byte. They may turn up for a day after an upgrade.
  const isPlain = stored.length === PLAIN_BYTES;
  const parts = isPlain ? stored : stored.subarray(KEYED.length);
  const hasConsent = !isPlain && stored[0] !== KEYED_WITHOUT_CONSENT;
  const isShown = (part: 'head' | 'body', digest: Buffer, at: number): boolean =>
    (isPlain ? [digest] : signs(`${part}:${hex(digest)}`)).some((signed) => signed.equals(parts.subarray(at, at + HASH_BYTES)));
  if (!isShown('head', headHash(request, hasConsent), 0)) return null;
  const size = parts.readUIntBE(2 * HASH_BYTES, SIZE_BYTES);
  const declared = request.headers.get('content-length');
  const isCounted = declared !== null && boundaryOf(request.headers.get('content-type') ?? '') === null;
  if (isCounted && Number(declared) !== size) return null;
  return { size, isSame: (digest) => isShown('body', digest, HASH_BYTES) };
}

const hex = (bytes: Buffer): string => bytes.toString('hex');

/** `hasConsent`: the header Consent says what the member of that name says, and so is compared like a body. */
function headHash({ method, url, headers }: Request, hasConsent = true): Buffer {
  const { pathname, search } = new URL(url);
  const type = (headers.get('content-type') ?? '').replace(BOUNDARY, '');
  const consent = hasConsent ? headers.get('consent') : null;
  const parts = [
    method,
    pathname,
    search.slice(1).split('&').sort(),
    type,
    headers.get('content-encoding') ?? '',
    ...(consent ? [consent] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
