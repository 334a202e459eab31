/**
 * Have I Been Pwned, API version 3 (haveibeenpwned.com/API/v3): the breaches an address was in. We keep to its rate, and a pause it asks for applies to the whole
 * process. The address is sent as given; nothing of it is logged.
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
  /** The rate of the key's subscription; the smallest allows 10. */
  requestsPerMinute: number;
  /** For one question, including its wait for a slot. */
  timeoutMs: number;
  /** The API answers 403 without one. */
  userAgent: string;
  log: Log;
}

const BASE_URL = 'https://haveibeenpwned.com/api/v3';
/** About 1,000 breaches are known: an address in all of them gets at most 1 MB of descriptions. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const CONCURRENT = 4;
/** The pauses after a 429 without Retry-After, and after the API refused the key. */
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

  /** Null if there is no usable answer. */
  function read({ status, body }: VendorResponse): Breach[] | null {
    if (status === 404) return [];
    if (status === 401) {
      pace.hold(LANE, REFUSED_KEY_MS);
      if (!isReported) log.error('Have I Been Pwned refuses its key (401): it tells of no breaches until the key is replaced');
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
    isOutside: true,
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
