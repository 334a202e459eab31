/** Serves HTTPS on every port if a certificate is configured, and picks up renewals without a restart. */
import type { Server } from 'node:https';
import type { TlsOptions } from 'node:tls';
import { ConfigError } from '../foundation/config.ts';
import type { Log } from '../foundation/log.ts';
import { type Certificate, type CertificateFiles, readCertificate } from '../net/certificate.ts';

/**
 * Mozilla's intermediate configuration (version 5.7) without the DHE suites. Every suite has forward secrecy and authenticated encryption. The first three are for
 * TLS 1.3.
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
/** How often to check the files for a renewal. */
const RENEWAL_LOOK_MS = 60_000;

export interface Tls {
  options: TlsOptions;
  /** New connections to this server will use a renewed certificate, too. */
  follow(server: Server): void;
  close(): void;
}

/** Null means plain HTTP. Throws `ConfigError` as `readCertificate` does. If a renewal is unusable, logs it and keeps the old certificate. */
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
      // The new certificate may be written a moment before its key, so the next check may succeed.
      if (!(error instanceof ConfigError)) throw error;
      if (fault !== error.message) log.error({ err: error }, 'the renewed TLS certificate is unusable; keeping the old one');
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
