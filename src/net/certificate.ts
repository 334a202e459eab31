/** Reads the TLS certificate and key from the files named in the settings. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { type Config, ConfigError } from '../foundation/config.ts';

export type CertificateFiles = Pick<Config, 'CONFAM_TLS_CERT' | 'CONFAM_TLS_KEY'>;

export interface Certificate {
  /** PEM: the certificate, followed by its intermediates. */
  cert: string;
  /** PEM. */
  key: string;
  endsAt: Date;
  /** Whether it is valid for a host name or an IP address. */
  covers(host: string): boolean;
  /** Whether its chain ends at one of the public authorities that Node trusts. */
  isPublic(): boolean;
}

/** Null if no certificate is configured. Throws `ConfigError` if a file cannot be read or the key does not match; the message never quotes the files. */
export function readCertificate({ CONFAM_TLS_CERT, CONFAM_TLS_KEY }: CertificateFiles): Certificate | null {
  if (CONFAM_TLS_CERT === undefined || CONFAM_TLS_KEY === undefined) return null;
  const cert = textOf('CONFAM_TLS_CERT', CONFAM_TLS_CERT);
  const key = textOf('CONFAM_TLS_KEY', CONFAM_TLS_KEY);
  const chain = understood('CONFAM_TLS_CERT', 'a certificate in PEM', () => chainIn(cert));
  const [parsed] = chain;
  const secret = understood('CONFAM_TLS_KEY', 'a private key in PEM without a passphrase', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(secret)) throw new ConfigError('CONFAM_TLS_KEY: is not the key of the certificate in CONFAM_TLS_CERT');
  return {
    cert,
    key,
    endsAt: new Date(parsed.validTo),
    covers: (host) => (isIP(host) > 0 ? parsed.checkIP(host) : parsed.checkHost(host)) !== undefined,
    isPublic: () => isPublic(chain),
  };
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Throws if there is none. */
export function chainIn(pem: string): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pem.match(PEM) ?? [];
  return [new X509Certificate(first ?? ''), ...others.map((one) => new X509Certificate(one))];
}

/** Whether each certificate was issued by the next one, and the last one by a public authority. */
export function isPublic(chain: readonly X509Certificate[]): boolean {
  const issued = (one: X509Certificate, by: X509Certificate) => one.checkIssued(by) && one.verify(by.publicKey);
  const last = chain.at(-1)!;
  if (chain.some((one, at) => at > 0 && !issued(chain[at - 1]!, one))) return false;
  return rootCertificates.some((root) => issued(last, new X509Certificate(root)));
}

function textOf(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function understood<T>(setting: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ConfigError(`${setting}: the file does not hold ${what}`);
  }
}
