/**
 * TLS to Postgres and Redis: which authority is trusted instead of the public ones, and which certificate this process shows. Addresses of Postgres name the files
 * as libpq does (`sslrootcert`, `sslcert`, `sslkey`); those of Redis are settings.
 */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import { type Config, ConfigError, TLS_FILES } from './config.ts';
import { type NamedFile, readCertificates, readKeyOf } from './pem.ts';

interface TlsFiles {
  ca?: NamedFile;
  cert?: NamedFile;
  key?: NamedFile;
}

/** What `tls.connect` takes besides a socket. */
export type StoreTls = Pick<ConnectionOptions, 'host' | 'secureContext'>;

/**
 * The address of a Postgres without its files, and what they say, if it asks for a verified server (`sslmode=verify-full`); another address as it is. Throws
 * `ConfigError` if a file cannot be read or a key does not match.
 */
export function splitTls(address: string): { address: string; ssl?: StoreTls } {
  const url = new URL(address);
  if (url.searchParams.get('sslmode') !== 'verify-full') return { address };
  const file = (parameter: string): NamedFile | undefined => {
    const path = url.searchParams.get(parameter);
    return path === null || path === 'system' ? undefined : { setting: `DATABASE_URL: ${parameter}`, path };
  };
  const ssl = openTls(url.hostname, { ca: file(TLS_FILES.ca), cert: file(TLS_FILES.cert), key: file(TLS_FILES.key) });
  for (const parameter of ['sslmode', ...Object.values(TLS_FILES)]) url.searchParams.delete(parameter);
  return { address: url.toString(), ssl };
}

/** Arguments for `postgres()`. Throws as `splitTls` does. */
export function reach<Options extends object>(databaseUrl: string, options: Options): [string, Options & { ssl?: StoreTls }] {
  const { address, ...tls } = splitTls(databaseUrl);
  return [address, { ...options, ...tls }];
}

/** Undefined without TLS. Throws as `splitTls` does. */
export function redisTls({ REDIS_URL, CONFAM_REDIS_CA, CONFAM_REDIS_CERT, CONFAM_REDIS_KEY }: Config): StoreTls | undefined {
  const { protocol, hostname } = new URL(REDIS_URL!);
  if (protocol !== 'rediss:') return undefined;
  const file = (setting: string, path: string | undefined) => (path === undefined ? undefined : { setting, path });
  return openTls(hostname, {
    ca: file('CONFAM_REDIS_CA', CONFAM_REDIS_CA),
    cert: file('CONFAM_REDIS_CERT', CONFAM_REDIS_CERT),
    key: file('CONFAM_REDIS_KEY', CONFAM_REDIS_KEY),
  });
}

/**
 * Each new connection reads the files again if they have changed. If the new ones cannot be used, for example because the key is not written yet, the old ones stay in use.
 * The drivers compare a host name with the certificate, but leave an IP address out, and Node.js would then compare `localhost`.
 */
function openTls(hostname: string, files: TlsFiles): StoreTls {
  const host = hostname.replace(/^\[|\]$/g, '');
  const named = Object.values(files).filter((file) => file !== undefined);
  let state = stateOf(named);
  let context = read(files);
  return {
    ...(isIP(host) > 0 && { host }),
    get secureContext() {
      const now = stateOf(named);
      if (now !== state) {
        try {
          context = read(files);
          state = now;
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
        }
      }
      return context;
    },
  };
}

const stateOf = (files: NamedFile[]): string => files.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join();

function read({ ca, cert, key }: TlsFiles): SecureContext {
  const own = cert && readCertificates(cert);
  return createSecureContext({
    ca: ca && readCertificates(ca).pem,
    cert: own?.pem,
    key: own && key && readKeyOf(own, cert!.setting, key),
  });
}
