/**
 * What is wrong with the database itself, or with the way to it, told from what is wrong with a statement. Such a fault says nothing of the
 * job or request that met it: the job goes back to its queue, the request is answered 503, and both may be tried again.
 */

/** Nobody knows whether the statement was carried out: the connection ended before its answer came, or there was none. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', severity = '' } = error as Error & { code?: string; severity?: string };
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  // The driver hangs the query on what the socket says, so that another socket's error is not taken for the database's.
  return code.startsWith('CONNECT') || ('query' in error && /^(E[A-Z_]+)$/.test(code));
}

/** By the first two characters of an SQLSTATE: lost connection, too few resources, an operator's hand or a time-out, an error of the system. */
const CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);
/** Read-only after a failover; deadlock and serialisation; a lock that was not had in time; a transaction that was idle or took too long. */
const STATES: ReadonlySet<string> = new Set(['25006', '40001', '40P01', '55P03', '25P03', '25P04']);

/** Looks behind the errors that drizzle wraps around those of the driver. */
export function isDatabaseFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', name, cause } = error as Error & { code?: string };
  const isState = name === 'PostgresError' && (CLASSES.has(code.slice(0, 2)) || STATES.has(code));
  return isState || isConnectionLost(error) || isDatabaseFault(cause);
}

/** It waited or worked for too long: asking again at once would wait as long again. */
const isTimeout = (error: unknown): boolean => ['55P03', '57014'].includes((error as { code?: string }).code ?? '');

/** The same statement may go through a moment later. */
export const isPassingFault = (error: unknown): boolean => isDatabaseFault(error) && !isTimeout(error);

/** The database is well and will not have this statement. */
export const isRefusedStatement = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PostgresError' && !isDatabaseFault(error);
