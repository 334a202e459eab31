/** Certificates and private keys in PEM files. What is wrong is said with the name of the setting; no message quotes a file. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { ConfigError, readText } from './config.ts';

export type Chain = [X509Certificate, ...X509Certificate[]];

/** A file, under the name by which the operator set it. */
export interface NamedFile {
  setting: string;
  path: string;
}

export interface Certificates {
  pem: string;
  chain: Chain;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Throws `ConfigError` if the file cannot be read or does not begin with a certificate. */
export function readCertificates(file: NamedFile): Certificates {
  const pem = readText(file.setting, file.path);
  return { pem, chain: understood(file, 'a certificate in PEM', () => chainIn(pem)) };
}

/** The PEM of the key of `certificates`. Throws `ConfigError` if the file cannot be read, holds no key, or holds another certificate's. */
export function readKeyOf(certificates: Certificates, certificateSetting: string, file: NamedFile): string {
  const pem = readText(file.setting, file.path);
  const key: KeyObject = understood(file, 'a private key in PEM without a passphrase', () => createPrivateKey(pem));
  if (!certificates.chain[0].checkPrivateKey(key))
    throw new ConfigError(`${file.setting}: is not the key of the certificate in ${certificateSetting}`);
  return pem;
}

/** Throws if there is none. */
export function chainIn(pem: string): Chain {
  const [first, ...others] = pem.match(CERTIFICATE) ?? [];
  return [new X509Certificate(first ?? ''), ...others.map((one) => new X509Certificate(one))];
}

function understood<T>({ setting }: NamedFile, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new ConfigError(`${setting}: the file does not hold ${what}`);
  }
}
