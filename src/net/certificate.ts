/** Reads the TLS certificate and key from the files named in the settings. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Config } from '../foundation/config.ts';
import { readCertificates, readKeyOf } from '../foundation/pem.ts';

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
  const certificates = readCertificates({ setting: 'CONFAM_TLS_CERT', path: CONFAM_TLS_CERT });
  const { chain } = certificates;
  const [parsed] = chain;
  return {
    cert: certificates.pem,
    key: readKeyOf(certificates, 'CONFAM_TLS_CERT', { setting: 'CONFAM_TLS_KEY', path: CONFAM_TLS_KEY }),
    endsAt: new Date(parsed.validTo),
    covers: (host) => (isIP(host) > 0 ? parsed.checkIP(host) : parsed.checkHost(host)) !== undefined,
    isPublic: () => isPublic(chain),
  };
}

/** Whether each certificate was issued by the next one, and the last one by a public authority. */
export function isPublic(chain: readonly X509Certificate[]): boolean {
  const issued = (one: X509Certificate, by: X509Certificate) => one.checkIssued(by) && one.verify(by.publicKey);
  const last = chain.at(-1)!;
  if (chain.some((one, at) => at > 0 && !issued(chain[at - 1]!, one))) return false;
  return rootCertificates.some((root) => issued(last, new X509Certificate(root)));
}
