/** Sends generated requests and judges the answers. */
import { Agent } from 'undici';
import { type ErrorCode, errorCodes } from '../../src/foundation/errors.ts';
import type { Generated } from './requests.ts';

/** What may be answered with 503: that is how these conditions are documented. */
const MAY_BE_503: readonly ErrorCode[] = [
  'provider_not_configured',
  'provider_unavailable',
  'provider_pending',
  'lists_not_loaded',
  'overloaded',
  'unavailable',
];
/** They answer 503 in a form of their own when the database does not answer in time. */
const PROBES = ['isAlive', 'isReady'];
const HANG_MS = 10_000;
/** Of an answer that does not end by itself, such as events. */
const READ_BYTES_MAX = 200_000;

export interface Report {
  requests: number;
  statuses: Map<number, number>;
  /** Answers that say that the database did not answer in time, as on a machine that does too much else. */
  unavailable: number;
  /** Each kind of violation once, with the request that showed it and how often it was seen. */
  violations: Map<string, { example: string; count: number }>;
  slowestMs: number;
}

export async function run(url: string, count: number, concurrency: number, next: () => Generated): Promise<Report> {
  const agent = new Agent({
    connections: concurrency,
    pipelining: 1,
    headersTimeout: HANG_MS,
    bodyTimeout: HANG_MS,
    keepAliveTimeout: 30_000,
  });
  const report: Report = { requests: 0, statuses: new Map(), unavailable: 0, violations: new Map(), slowestMs: 0 };
  const violated = (what: string, request: Generated, answer: string) => {
    const name = `${what} (${request.operation})`;
    const known = report.violations.get(name) ?? { example: `${describeRequest(request)}\n    → ${answer.slice(0, 600)}`, count: 0 };
    report.violations.set(name, { ...known, count: known.count + 1 });
  };
  async function worker(): Promise<void> {
    while (report.requests < count) {
      report.requests++;
      const request = next();
      const began = performance.now();
      try {
        const answer = await send(agent, url, request);
        report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
        if (answer.text.includes('"code":"unavailable"')) report.unavailable++;
        for (const flaw of flawsOf(request, answer)) violated(flaw, request, `${answer.status} ${answer.text}`);
      } catch (error) {
        if (await readsDeleted(agent, url, request)) continue;
        const { code, name, message } = error as Error & { code?: string };
        violated(`no answer: ${code ?? name}`, request, message);
      }
      const ms = performance.now() - began;
      report.slowestMs = Math.max(report.slowestMs, ms);
      if (ms > HANG_MS) violated('slower than 10 s', request, `${Math.round(ms)} ms`);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker));
  await agent.close();
  return report;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

async function send(agent: Agent, origin: string, { method, path, headers, body }: Generated): Promise<Answer> {
  const answer = await agent.request({ origin, method: method as 'GET', path, headers, body });
  let text = '';
  let bytes = 0;
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
  for await (const part of answer.body) {
    bytes += (part as Buffer).length;
    if (bytes <= READ_BYTES_MAX) text += (part as Buffer).toString('utf8');
    // Leaving the loop ends the connection, as a browser that closes its page does.
    if (isStream) break;
  }
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** Whether it is a download of a batch that was deleted meanwhile, which is cut off (docs/privacy.md). */
async function readsDeleted(agent: Agent, origin: string, request: Generated): Promise<boolean> {
  const [batch] = /^\/api\/v1\/batches\/[^/]+(?=\/(results|errors)\b)/.exec(request.path) ?? [];
  if (!batch) return false;
  const { text } = await send(agent, origin, { ...request, method: 'GET', path: batch, body: null });
  return /"status":"(deleting|deleted)"/.test(text);
}

/** What must not be so. */
function* flawsOf({ method, operation }: Generated, { status, headers, text }: Answer): Generator<string> {
  if (!headers['x-request-id']) yield 'no X-Request-Id';
  if (status < 400 || (status === 503 && PROBES.includes(operation))) return;
  if (method === 'HEAD') {
    if (status >= 500) yield `${status} to HEAD`;
    return;
  }
  let body: { status?: unknown; error?: unknown; code?: string; meta?: { request_id?: unknown } };
  try {
    body = JSON.parse(text);
  } catch {
    yield `${status} is not JSON`;
    return;
  }
  const known = errorCodes[body.code as ErrorCode];
  if (status >= 500 && !(status === 503 && MAY_BE_503.includes(body.code as ErrorCode))) yield `${status} ${body.code}`;
  if (body.status !== 'error' || typeof body.error !== 'string' || body.error === '') yield `${status} without status and error`;
  if (!known || known.status !== status) yield `${status} with the code ${body.code}`;
  if (body.meta?.request_id !== headers['x-request-id']) yield `${status} without the request's id`;
  if (status === 503 && body.code !== 'provider_not_configured' && !headers['retry-after']) yield `503 ${body.code} without Retry-After`;
  if (status === 429 && !headers['retry-after']) yield `429 ${body.code} without Retry-After`;
}

const describeRequest = ({ method, path, headers, body, actor }: Generated): string => {
  const { Authorization: _, Cookie: __, 'X-CSRF-Token': ___, ...shown } = headers;
  return `${actor.name}: ${method} ${path.slice(0, 400)} ${JSON.stringify(shown)} ${body === null ? '' : body.toString('utf8').slice(0, 400)}`;
};
