/** The email engine for test keys: the same as for live keys, but its internet consists of servers in this process, on loopback. */
import { openEmailEngine } from '../../engines/email/assess.ts';
import { openDns } from '../../engines/email/dns.ts';
import type { EmailEngine, MailboxProbe } from '../../engines/email/email.ts';
import type { Lists } from '../../engines/email/lists.ts';
import { openMailboxProbe } from '../../engines/email/mailbox.ts';
import { openDnsServer } from './dns-server.ts';
import { openMailHosts } from './mail-hosts.ts';
import { breachesOf, isAskedMailbox, ordinaryZone, registrationOf, sandboxZones } from './zones.ts';

const LOOPBACK = '127.0.0.1';
const DNS = { timeoutMs: 1_000, tries: 2, concurrency: 256, cacheMax: 10_000 } as const;
const PROBE = { helo: 'sandbox.test', from: 'probe@sandbox.test', timeoutMs: 5_000, paceMs: 0 } as const;
const NOT_ASKED = { deliverable: null, acceptAll: null, reason: 'off' } as const;

export async function openEmailSandbox(lists: Lists): Promise<EmailEngine> {
  const nameServer = await openDnsServer(sandboxZones, { otherwise: ordinaryZone });
  const hosts = await openMailHosts();
  const asked = openMailboxProbe({ ...PROBE, ports: [hosts.port], allowPrivate: true, lookup: async () => [LOOPBACK] });
  const probe: MailboxProbe = {
    ask: async (address, mx, signal) => (isAskedMailbox(address.mailbox) ? asked.ask(address, mx, signal) : NOT_ASKED),
    close: () => asked.close(),
  };
  const engine = openEmailEngine({
    dns: openDns({ ...DNS, servers: [`${LOOPBACK}:${nameServer.port}`], allowPrivate: true }),
    lists,
    probe,
    registrations: { find: async (domain) => registrationOf(domain) },
    // It stands in for the source that the answer names.
    breaches: [{ name: 'haveibeenpwned', find: async ({ mailbox }) => breachesOf(mailbox) }],
  });
  return {
    assess: engine.assess,
    async close() {
      await engine.close();
      await Promise.all([nameServer.close(), hosts.close()]);
    },
  };
}
