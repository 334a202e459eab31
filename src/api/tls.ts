/** HTTPS at every port of a process, if the settings name a certificate. A renewed one is taken up while the process runs. */
import type { Server } from 'node:https';
import type { TlsOptions } from 'node:tls';
import { ConfigError } from '../foundation/config.ts';
import type { Log } from '../foundation/log.ts';
import { type Certificate, type CertificateFiles, readCertificate } from '../net/certificate.ts';

/**
 * The intermediate configuration of Mozilla's guidelines (version 5.7) without finite-field Diffie-Hellman: forward secrecy and authenticated encryption only. The
 * first three are those of TLS 1.3.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const HANDSHAKE_MS = 15_000;
/** How often the files are read again. */
const RENEWAL_LOOK_MS = 60_000;

export interface Tls {
  options: TlsOptions;
  /** From now on a renewed certificate holds for new connections of this server, too. */
  follow(server: Server): void;
  close(): void;
}

/** Null: plain HTTP. Throws `ConfigError` as `readCertificate` does. A certificate that is renewed wrongly is logged, and the one before it stays. */
export function openTls(files: CertificateFiles, log: Log, lookMs = RENEWAL_LOOK_MS): Tls | null {
  const first = readCertificate(files);
  if (!first) return null;
  let current = first;
  let fault: string | null = null;
  const servers: Server[] = [];

  const look = () => {
    try {
      const read = readCertificate(files)!;
      fault = null;
      if (read.cert === current.cert && read.key === current.key) return;
      current = read;
      for (const server of servers) server.setSecureContext(optionsOf(read));
      log.info({ until: read.endsAt }, 'new TLS certificate');
    } catch (error) {
      // A new certificate may be there a moment before its key: the next look decides.
      if (!(error instanceof ConfigError)) throw error;
      if (fault !== error.message) log.error({ err: error }, 'the renewed TLS certificate cannot be used; the one before it stays');
      fault = error.message;
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    options: { ...optionsOf(first), handshakeTimeout: HANDSHAKE_MS },
    follow: (server) => {
      servers.push(server);
    },
    close: () => clearInterval(timer),
  };
}

const optionsOf = ({ cert, key }: Certificate): TlsOptions => ({
  cert,
  key,
  ciphers: CIPHERS,
  honorCipherOrder: true,
  minVersion: 'TLSv1.2',
});
