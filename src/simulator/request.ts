/** Reads a request to the simulated vendor: its path according to the catalogue, its credentials and its body. */
import type { IncomingMessage } from 'node:http';
import { checks } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { ApiError } from '../foundation/errors.ts';

const JOBS = '/api/v1/jobs';
/** Room for any input that the native adapter sends: it never asks for a check with images. */
const BODY_BYTES_MAX = 256 * 1024;
const calls = new Map<string, Check>(checks.map((check) => [`${check.route.method} ${check.route.path}`, check]));

export interface SimulatedRequest {
  request: IncomingMessage;
  method: string;
  path: string;
  query: string;
  /** The pattern of the path, by which requests are counted. */
  pattern: string;
  call: Check | undefined;
  /** Whether it submits a job. */
  isSubmission: boolean;
  /** The job whose answer it asks for. */
  job: string | null;
  /** The Idempotency-Key of a POST. */
  key: string | undefined;
  arrivedMs: number;
}

export function readRequest(request: IncomingMessage, arrivedMs: number): SimulatedRequest {
  const [method, url] = [request.method!, request.url!];
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const call = calls.get(`${method} ${path}`);
  const job = method === 'GET' && path.startsWith(`${JOBS}/`) ? path.slice(JOBS.length + 1) : null;
  const isSubmission = method === 'POST' && path === JOBS;
  const pattern = call || isSubmission ? path : job === null ? 'other' : `${JOBS}/{id}`;
  const key = method === 'POST' ? (request.headers['idempotency-key'] as string | undefined) : undefined;
  return { request, method, path, query: mark === -1 ? '' : url.slice(mark + 1), pattern, call, isSubmission, job, key, arrivedMs };
}

export function authenticate({ headers }: IncomingMessage, credentials: { key: string; app_id: string } | undefined): void {
  const { authorization: key, appid } = headers;
  if (credentials ? key === credentials.key && appid === credentials.app_id : key && appid) return;
  throw new ApiError('unauthenticated', 'Authorization and AppId are missing or wrong');
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (size > BODY_BYTES_MAX) throw new ApiError('payload_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Refused below, like any other body that is not an object.
  }
  throw new ApiError('invalid_request', 'The body must be a JSON object');
}

/** Milliseconds of `Prefer: wait=5` (RFC 7240 §4.3); 0 without one. */
export const preferredWaitMs = ({ headers }: IncomingMessage): number =>
  Number(/(?:^|[,;\s])wait=(\d{1,2})(?:$|[,;\s])/.exec(String(headers.prefer ?? ''))?.[1] ?? 0) * 1000;
