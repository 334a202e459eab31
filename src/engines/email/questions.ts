/**
 * One question to DNS. Questions rotate over the resolvers, a failed one goes to the next resolver, and concurrency is limited. "No such name", "no
 * such records" and "no answer" are kept apart, because only the first two say something about a domain. The protocol bounds an answer: 64 KiB, over
 * TCP.
 */
import { getServers, Resolver } from 'node:dns/promises';
import pLimit from 'p-limit';

export type Answer<T> =
  | { kind: 'records'; records: T[] }
  /** The name exists. */
  | { kind: 'no_records' }
  | { kind: 'no_name' }
  /** No resolver gave a readable answer in time. */
  | { kind: 'unknown' };

export interface AddressRecord {
  address: string;
  ttlMs: number;
}

export interface Questions {
  mx(name: string): Promise<Answer<{ exchange: string; priority: number }>>;
  /** The strings of each record are joined. */
  txt(name: string): Promise<Answer<string>>;
  a(name: string): Promise<Answer<AddressRecord>>;
  aaaa(name: string): Promise<Answer<AddressRecord>>;
  /** Aborts questions in progress; they end as `unknown`. */
  close(): void;
}

export interface QuestionsOptions {
  /** `192.0.2.53`, `[2001:db8::53]:5353`. Default: the machine's resolvers. */
  servers?: readonly string[];
  /** For one attempt. c-ares lengthens it for a resolver that has been slow, to 5 s at most. */
  timeoutMs: number;
  /** Attempts over all resolvers. */
  tries: number;
  /** Concurrent questions. Further ones wait. */
  concurrency: number;
}

interface Server {
  resolver: Resolver;
  failuresInRow: number;
  /** In terms of performance.now(). */
  restsUntil: number;
}

/** After this many silences in a row a resolver is asked last for a while; otherwise every question to it would cost a time-out. */
const FAILURES_BEFORE_REST = 3;
const REST_MS = 10_000;

export function openQuestions({ servers = getServers(), timeoutMs, tries, concurrency }: QuestionsOptions): Questions {
  const pool: Server[] = servers.map((server) => openServer(server, timeoutMs));
  if (pool.length === 0) throw new Error('DNS needs at least one server');
  const limit = pLimit(concurrency);
  let turn = 0;
  let closed = false;

  const ask = <T>(question: (resolver: Resolver) => Promise<T[]>): Promise<Answer<T>> => limit(() => tryInTurn(question));

  async function tryInTurn<T>(question: (resolver: Resolver) => Promise<T[]>): Promise<Answer<T>> {
    const order = orderOf(pool, turn++);
    for (let attempt = 0; attempt < tries && !closed; attempt++) {
      const server = order[attempt % order.length]!;
      try {
        const records = await question(server.resolver);
        server.failuresInRow = 0;
        return records.length > 0 ? { kind: 'records', records } : { kind: 'no_records' };
      } catch (error) {
        const code = (error as { code?: string }).code ?? '';
        const kind = TELLING_CODES.get(code);
        if (kind) {
          server.failuresInRow = 0;
          return { kind };
        }
        if (SILENT_CODES.has(code) && ++server.failuresInRow >= FAILURES_BEFORE_REST) server.restsUntil = performance.now() + REST_MS;
      }
    }
    return { kind: 'unknown' };
  }

  return {
    mx: (name) => ask((resolver) => resolver.resolveMx(name)),
    txt: (name) => ask(async (resolver) => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    a: (name) => ask(async (resolver) => (await resolver.resolve4(name, { ttl: true })).map(addressRecord)),
    aaaa: (name) => ask(async (resolver) => (await resolver.resolve6(name, { ttl: true })).map(addressRecord)),
    close() {
      closed = true;
      for (const { resolver } of pool) resolver.cancel();
    },
  };
}

/** Codes of c-ares (nodejs.org/api/dns.html#error-codes). A name that cannot be asked for does not exist either. */
const TELLING_CODES = new Map<string, 'no_records' | 'no_name'>([
  ['ENODATA', 'no_records'],
  ['ENOTFOUND', 'no_name'],
  ['EBADNAME', 'no_name'],
]);
const SILENT_CODES = new Set(['ETIMEOUT', 'ECONNREFUSED']);

function openServer(address: string, timeoutMs: number): Server {
  // One resolver object a server: c-ares would always ask them in the same order, and would stop after SERVFAIL.
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([address]);
  return { resolver, failuresInRow: 0, restsUntil: 0 };
}

/** Starts with another server each time; resting ones come last. */
function orderOf(pool: readonly Server[], turn: number): Server[] {
  const now = performance.now();
  const first = turn % pool.length;
  const turned = [...pool.slice(first), ...pool.slice(0, first)];
  return turned.sort((one, other) => Number(one.restsUntil > now) - Number(other.restsUntil > now));
}

const addressRecord = ({ address, ttl }: { address: string; ttl: number }): AddressRecord => ({ address, ttlMs: ttl * 1000 });
