/** The engine of live keys: asks the configured name servers, registries, mail hosts and breach sources. */

import { openEmailEngine } from '../engines/email/assess.ts';
import { corpusFolder, corpusKeys, openCorpus } from '../engines/email/breaches/corpus.ts';
import { openDns } from '../engines/email/dns.ts';
import type { BreachSource, EmailEngine, MailboxProbe } from '../engines/email/email.ts';
import type { Lists } from '../engines/email/lists.ts';
import { openMailboxProbe } from '../engines/email/mailbox.ts';
import { openRegistrations } from '../engines/email/registration.ts';
import type { Context } from '../foundation/context.ts';
import { openHibp } from './hibp.ts';

/** Concurrency is what a public resolver accepts from one client. Two tries, and what follows them, fit the engine's deadline. */
const DNS = { timeoutMs: 1_500, tries: 2, concurrency: 256, cacheMax: 20_000 } as const;
/** At most one dialogue with a host per second, as a busy sender's server would. */
const PROBE = { timeoutMs: 12_000, paceMs: 1_000 } as const;
const REGISTRATIONS = { timeoutMs: 5_000, cacheMax: 20_000 } as const;
const HIBP_TIMEOUT_MS = 5_000;
const USER_AGENT = 'confam (self-hosted identity verification)';

export type EmailsContext = Pick<Context, 'config' | 'log' | 'cipher'>;

export async function openLiveEngine(ctx: EmailsContext, lists: Lists): Promise<EmailEngine> {
  const { config, log } = ctx;
  const registrations = config.CONFAM_EMAIL_RDAP ? openRegistrations(REGISTRATIONS) : null;
  const engine = openEmailEngine({
    dns: openDns({ ...DNS, servers: config.CONFAM_DNS_SERVERS }),
    lists,
    probe: openProbe(ctx),
    registrations,
    breaches: await openBreaches(ctx),
    // Its message may contain the address, so it is not logged.
    onFailure: (asked, error) => log.warn({ asked, error: error instanceof Error ? error.name : typeof error }, 'no answer for email'),
  });
  return {
    assess: engine.assess,
    async close() {
      await engine.close();
      await registrations?.close();
    },
  };
}

/** Null: mail hosts are not asked. */
function openProbe({ config }: EmailsContext): MailboxProbe | null {
  const { CONFAM_EMAIL_SMTP: isOn, CONFAM_EMAIL_SMTP_HELO: helo, CONFAM_EMAIL_SMTP_FROM: from } = config;
  return isOn && helo && from ? openMailboxProbe({ ...PROBE, helo, from }) : null;
}

async function openBreaches({ config, cipher, log }: EmailsContext): Promise<BreachSource[]> {
  const { CONFAM_HIBP_KEY: key, CONFAM_HIBP_REQUESTS_PER_MINUTE: requestsPerMinute } = config;
  const hibp = key ? openHibp({ key, requestsPerMinute, timeoutMs: HIBP_TIMEOUT_MS, userAgent: USER_AGENT, log }) : null;
  const corpus = await openCorpus(corpusFolder(config.CONFAM_DATA_DIR), { keys: corpusKeys(cipher), log });
  return hibp ? [hibp, corpus] : [corpus];
}
