/**
 * Have I Been Pwned, version 3 of its API (haveibeenpwned.com/API/v3): in which breaches an address was. Its rate is kept, and the pause that
 * it asks for is everybody's in this process. The address goes to it as it was sent; nothing of it is logged.
 */
import { z } from 'zod';
import { ProviderFailure } from '../checks/provider.ts';
import { openDeadline } from '../engines/email/deadline.ts';
import type { Breach, BreachSource } from '../engines/email/email.ts';
import { openPace } from '../engines/email/pace.ts';
import type { Log } from '../foundation/log.ts';
import { openVendorHttp, type VendorResponse } from '../providers/vendor-http.ts';

export interface HibpOptions {
  key: string;
  /** Default: the public service. */
  baseUrl?: string;
  /** Of the key's subscription: 10 of the smallest one. */
  requestsPerMinute: number;
  /** Of one question, with its wait for a turn. */
  timeoutMs: number;
  /** It answers 403 without one. */
  userAgent: string;
  log: Log;
}

const BASE_URL = 'https://haveibeenpwned.com/api/v3';
/** An address that is in everything has 1 MB of descriptions at most: some 1,000 breaches are known. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const CONCURRENT = 4;
/** 429 without Retry-After; and a key that is refused is not tried again at once. */
const PAUSE_MS = 60_000;
const REFUSED_KEY_MS = 600_000;
const PASSWORDS = /passwords$/i;
const LANE = 'hibp';

const breaches = z.array(
  z.object({
    Name: z.string().min(1).max(200),
    BreachDate: z.iso.date().nullable().catch(null),
    DataClasses: z.array(z.string()).nullable().catch(null),
  }),
);

export function openHibp({ key, baseUrl = BASE_URL, requestsPerMinute, timeoutMs, userAgent, log }: HibpOptions): BreachSource {
  const http = openVendorHttp({
    baseUrl,
    timeoutMs,
    connectTimeoutMs: timeoutMs,
    responseBytesMax: ANSWER_BYTES_MAX,
    inFlightMax: CONCURRENT,
  });
  const pace = openPace({ concurrent: CONCURRENT, intervalMs: 60_000 / requestsPerMinute, keysMax: 1 });
  let isReported = false;

  /** Null: not to be had. */
  function read({ status, body }: VendorResponse): Breach[] | null {
    if (status === 404) return [];
    if (status === 401) {
      pace.hold(LANE, REFUSED_KEY_MS);
      if (!isReported) log.error('Have I Been Pwned refuses its key (401): it answers nothing');
      isReported = true;
      return null;
    }
    const parsed = status === 200 ? breaches.safeParse(body) : null;
    if (!parsed?.success) return null;
    isReported = false;
    return parsed.data.map(({ Name, BreachDate, DataClasses }) => ({
      name: Name,
      date: BreachDate,
      hasPasswords: DataClasses?.some((name) => PASSWORDS.test(name)) ?? null,
    }));
  }

  async function askInTurn(account: string, signal: AbortSignal): Promise<Breach[] | null> {
    const release = await pace.turn(LANE, timeoutMs, signal);
    if (!release) return null;
    try {
      const path = `/breachedaccount/${encodeURIComponent(account)}`;
      const query = { truncateResponse: 'false' };
      const headers = { 'hibp-api-key': key, 'user-agent': userAgent };
      return read(await http.request({ method: 'GET', path, query, headers, signal }));
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      if (error.code === 'rate_limited') pace.hold(LANE, error.retryAfterMs ?? PAUSE_MS);
      return null;
    } finally {
      release();
    }
  }

  return {
    name: 'haveibeenpwned',
    async find({ local, domain }, caller) {
      const { signal, end } = openDeadline(caller, timeoutMs);
      try {
        return await askInTurn(`${local}@${domain}`, signal);
      } finally {
        end();
      }
    },
    close: () => http.close(),
  };
}
