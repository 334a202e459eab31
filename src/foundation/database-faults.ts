/**
 * Distinguishes faults of the database, of the connection to it, or of the key service, from faults of a statement. Such a fault says nothing about the job or request that met
 * it: the job returns to its queue, the request is answered 503, and both may be retried.
 */

import { KeyFault } from './crypto.ts';

/** The server's certificate is not trusted here, or ours is not there (codes of Node.js and OpenSSL). */
export const isCertificateFault = (error: unknown): boolean =>
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_)/.test((error as { code?: string }).code ?? '');

/** The connection ended before the answer came, or could not be made: whether the statement was carried out is unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', severity = '' } = error as Error & { code?: string; severity?: string };
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  // The driver attaches the query to socket errors, which distinguishes them from errors of other sockets.
  return code.startsWith('CONNECT') || ('query' in error && (/^(E[A-Z_]+)$/.test(code) || isCertificateFault(error)));
}

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/** The database is a standby, or was set to read-only. */
export const isReadOnly = (error: unknown): boolean => (error as { code?: string }).code === READ_ONLY;

/** There is no connection, or none that can write. Looks inside the errors that drizzle wraps around the driver's. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Error && (isConnectionLost(error) || isReadOnly(error) || isDatabaseAway(error.cause));

/** SQLSTATE classes, by their first two characters: lost connection, insufficient resources, operator intervention or time-out, system error. */
const CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);
/** Further SQLSTATEs: read-only, serialization failure, deadlock, lock time-out, idle transaction, transaction time-out. */
const STATES: ReadonlySet<string> = new Set([READ_ONLY, '40001', '40P01', '55P03', '25P03', '25P04']);

/**
 * A migration has changed the table of a prepared statement. Outside a transaction the driver prepares it again and nobody notices. A transaction has failed, and
 * the next one finds the statement prepared.
 */
function isPlanStale(error: Error): boolean {
  const { code, routine } = error as Error & { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** Looks inside the errors that drizzle wraps around the driver's. */
export function isDatabaseFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', name, cause } = error as Error & { code?: string };
  const isState = name === 'PostgresError' && (CLASSES.has(code.slice(0, 2)) || STATES.has(code));
  return (
    isState || isPlanStale(error) || isConnectionLost(error) || (error instanceof KeyFault && error.isPassing) || isDatabaseFault(cause)
  );
}

/** Postgres ended the session because its transaction was idle for too long (`BOUNDS` in `context.ts`). It rolled the transaction back, so nothing was carried out. */
export const wasLeftIdle = (error: unknown): boolean => (error as { code?: string }).code === '25P03';

/** It waited or worked for too long; an immediate retry would take as long again. */
const isTimeout = (error: unknown): boolean => ['55P03', '57014'].includes((error as { code?: string }).code ?? '');

/** The same statement may succeed a moment later. */
export const isPassingFault = (error: unknown): boolean => isDatabaseFault(error) && !isTimeout(error);

/** The database is well and rejects this statement. */
export const isRefusedStatement = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PostgresError' && !isDatabaseFault(error);
