/** All mail hosts of the sandbox: one SMTP server on loopback that answers each recipient by its script (`zones.ts`) and accepts no message. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { readAddress } from '../../engines/email/address.ts';
import { AddressRefusal } from '../../engines/email/email.ts';
import { type Reception, receptionOf } from './zones.ts';

export interface MailHosts {
  port: number;
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 1_000;
/** With enhanced codes (RFC 3463), which the server passes on unchanged. */
const REFUSALS: Record<Exclude<Reception, 'accepts'>, { code: number; text: string }> = {
  rejects: { code: 550, text: '5.1.1 No such user here' },
  full: { code: 552, text: '5.2.2 The mailbox is full' },
  greylists: { code: 451, text: '4.7.1 Greylisted, come again later' },
};

export async function openMailHosts(): Promise<MailHosts> {
  const server = new SMTPServer({
    name: 'mail.sandbox.test',
    banner: 'Confam sandbox',
    authOptional: true,
    disabledCommands: ['AUTH'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onRcptTo({ address }, _session, done) {
      const reception = receptionAt(address);
      if (reception === 'accepts') return done();
      const { code, text } = REFUSALS[reception];
      done(Object.assign(new Error(text), { responseCode: code }));
    },
  });
  // Clients that hang up midway do not matter here.
  server.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** Other programs on this machine may find the port and send anything. */
function receptionAt(recipient: string): Reception {
  try {
    return receptionOf(readAddress(recipient).mailbox);
  } catch (error) {
    if (error instanceof AddressRefusal) return 'rejects';
    throw error;
  }
}
