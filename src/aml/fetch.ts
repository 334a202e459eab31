/**
 * Fetches a list from its publisher. All URLs of a list form one publication: it is taken whole or not at all, and not at all if nothing changed. Fetched bytes
 * lie in unnamed temporary files until stored. Nothing here knows what a list means.
 */
import type { FileHandle } from 'node:fs/promises';
import { Agent, type Dispatcher, errors, request } from 'undici';
import type { ListFile } from '../engines/aml/list.ts';
import { type Bytes, gunzip } from '../rows/decode.ts';
import { UploadError } from '../rows/row.ts';
import { openSpool, writeAll } from '../rows/spool.ts';
import type { FetchedFile } from '../schema/aml.ts';
import { isAddress, type ListDefinition } from './definitions.ts';
import { FILE_BYTES_MAX, spooledFile } from './files.ts';
import { ListRefusal } from './refusal.ts';

export interface FetchLimits {
  bytesMax: number;
  connectMs: number;
  /** Until the headers arrive, and between two chunks of the body. */
  idleMs: number;
  /** For one file. */
  fileMs: number;
}

export const FETCH_LIMITS: FetchLimits = { bytesMax: FILE_BYTES_MAX, connectMs: 10_000, idleMs: 60_000, fileMs: 30 * 60_000 };

const REDIRECTS_MAX = 3;
const AGENT = 'confam';

export type Publication =
  | { kind: 'unchanged' }
  | {
      kind: 'fetched';
      files: ListFile[];
      fetched: FetchedFile[];
      /** Deletes the temporary files. */
      release(): Promise<void>;
    };

/** `known`: what was fetched last time. Throws `ListRefusal`, or the reason `stop` was aborted with. */
export async function fetchPublication(
  { addresses, bytesMin }: Pick<ListDefinition, 'addresses' | 'bytesMin'>,
  known: readonly FetchedFile[],
  limits: FetchLimits,
  stop: AbortSignal = new AbortController().signal,
): Promise<Publication> {
  const fetchOne = (url: string, before: FetchedFile | null) => fetchFile(agent, url, before, limits, stop);
  const agent = new Agent({
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
    keepAliveTimeout: 1_000,
  });
  try {
    const before = addresses.map((url) => known.find((file) => file.url === url));
    if (before.every((file) => file?.etag || file?.lastModified)) {
      const answers = await fetchAll(fetchOne, addresses, before as FetchedFile[]);
      if (answers.every((answer) => answer === null)) return { kind: 'unchanged' };
      if (answers.every((answer) => answer !== null)) return await publication(answers, bytesMin);
      // Some changed: fetch all again, because they may refer to each other.
      await release(answers);
    }
    return await publication((await fetchAll(fetchOne, addresses, null)) as Fetched[], bytesMin);
  } finally {
    await agent.destroy();
  }
}

/** A URL without its query, which may hold a token. */
export const showAddress = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

interface Fetched {
  file: FetchedFile;
  spool: FileHandle;
  bytes: number;
}

const release = async (answers: readonly (Fetched | null)[]): Promise<void> =>
  void (await Promise.all(answers.map((answer) => answer?.spool.close())));

async function publication(answers: Fetched[], bytesMin: number): Promise<Publication> {
  const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
  if (bytes < bytesMin) {
    await release(answers);
    throw new ListRefusal('too_small', `The publisher sent ${bytes} bytes, fewer than this list has ever had (${bytesMin})`);
  }
  return {
    kind: 'fetched',
    files: answers.map(({ file, spool }) => spooledFile(nameOf(file.url), spool)),
    fetched: answers.map(({ file }) => file),
    release: () => release(answers),
  };
}

const nameOf = (url: string): string => new URL(url).pathname.split('/').at(-1) || 'list';

/** One after the other, to spare the publisher's server. Null: not modified since `before`. */
async function fetchAll(
  fetchOne: (url: string, before: FetchedFile | null) => Promise<Fetched | null>,
  addresses: readonly string[],
  before: readonly FetchedFile[] | null,
): Promise<(Fetched | null)[]> {
  const answers: (Fetched | null)[] = [];
  try {
    for (const [i, url] of addresses.entries()) answers.push(await fetchOne(url, before?.[i] ?? null));
    return answers;
  } catch (error) {
    await release(answers);
    throw error;
  }
}

async function fetchFile(
  agent: Agent,
  url: string,
  before: FetchedFile | null,
  limits: FetchLimits,
  stop: AbortSignal,
): Promise<Fetched | null> {
  const late = AbortSignal.timeout(limits.fileMs);
  try {
    const response = await ask(agent, url, before, AbortSignal.any([late, stop]));
    if (response.statusCode === 304 && before) {
      await response.body.dump();
      return null;
    }
    const refuse = (reason: string, what: string) => {
      response.body.destroy();
      return new ListRefusal(reason, `${showAddress(url)} ${what}`);
    };
    if (response.statusCode !== 200) throw refuse('http_status', `answered ${response.statusCode}`);
    const tooLarge = `has more than ${limits.bytesMax} bytes`;
    if (Number(headerOf(response, 'content-length') ?? 0) > limits.bytesMax) throw refuse('too_large', tooLarge);
    const encoding = headerOf(response, 'content-encoding')?.toLowerCase() ?? 'identity';
    if (!['identity', 'gzip', 'x-gzip', ''].includes(encoding))
      throw refuse('bad_encoding', 'is compressed in a way that was not requested');
    const body = encoding.endsWith('gzip') ? gunzip(response.body, limits.bytesMax) : (response.body as Bytes);
    const file = { url, etag: headerOf(response, 'etag') ?? null, lastModified: headerOf(response, 'last-modified') ?? null };
    return { file, ...(await keep(body, limits.bytesMax, () => refuse('too_large', tooLarge))) };
  } catch (error) {
    stop.throwIfAborted();
    throw error instanceof ListRefusal ? error : transportRefusal(error, url, late);
  }
}

/** Follows redirects, but only to where a list may be fetched from. The conditional headers go to the last URL too: it is the same file. */
async function ask(agent: Agent, url: string, before: FetchedFile | null, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const headers = {
    'user-agent': AGENT,
    'accept-encoding': 'gzip',
    ...(before?.etag && { 'if-none-match': before.etag }),
    ...(before?.lastModified && { 'if-modified-since': before.lastModified }),
  };
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const response = await request(at, { dispatcher: agent, method: 'GET', headers, signal });
    // A reader of the body sees the error anyway; a body thrown away unread must not raise it unhandled.
    response.body.on('error', () => {});
    if (![301, 302, 303, 307, 308].includes(response.statusCode)) return response;
    await response.body.dump();
    const location = headerOf(response, 'location');
    const next = location !== undefined && URL.canParse(location, at) ? new URL(location, at).toString() : null;
    if (next === null || !mayFollow(at, next))
      throw new ListRefusal('bad_redirect', `${showAddress(url)} leads to an address that is not https`);
    if (redirects === REDIRECTS_MAX)
      throw new ListRefusal('bad_redirect', `${showAddress(url)} redirects more than ${REDIRECTS_MAX} times`);
    at = next;
  }
}

/** https stays https: a publisher may not redirect to plain http, not even on this machine. */
const mayFollow = (from: string, to: string): boolean => isAddress(to) && (to.startsWith('https:') || from.startsWith('http:'));

async function keep(body: Bytes, bytesMax: number, tooLarge: () => ListRefusal): Promise<{ spool: FileHandle; bytes: number }> {
  const spool = await openSpool();
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge();
      await writeAll(spool, chunk);
    }
    return { spool, bytes };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Goes by error code, because messages may quote a URL with its token. */
function transportRefusal(error: unknown, url: string, late: AbortSignal): unknown {
  const code = String((error as { code?: unknown }).code ?? '');
  const at = showAddress(url);
  if (error instanceof UploadError) {
    if (error.rule === 'bad_gzip') return new ListRefusal('interrupted', `${at} ended early`);
    return new ListRefusal('too_large', `${at} expands too far`);
  }
  const isTimeout =
    late.aborted ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  if (isTimeout) return new ListRefusal('timeout', `${at} took too long`);
  if (/^(UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET|EPIPE)$/.test(code))
    return new ListRefusal('interrupted', `${at} ended early`);
  if (code === 'ENOSPC') return new ListRefusal('no_space', 'There is no space left for the fetched files');
  // This machine's temporary folder, not the publisher.
  if ((error as NodeJS.ErrnoException).path !== undefined) return error;
  // It has no code, and it quotes what was sent.
  if (error instanceof errors.HTTPParserError) return new ListRefusal('not_http', `${at} answered something that is not HTTP`);
  if (code !== '') return new ListRefusal('unreachable', `${at} cannot be reached (${code})`);
  return error;
}
