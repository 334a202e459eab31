/** Says in a sentence what is wrong with a database that cannot be reached, entered or used. */
import { namesOf } from '../foundation/config.ts';
import { isCertificateFault, isDatabaseFault, isReadOnly } from '../foundation/database-faults.ts';
import { everyRole } from '../foundation/wall.ts';

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

const INSUFFICIENT_PRIVILEGE = '42501';
const DISK_FULL = '53100';
const NO_DATABASE = '3D000';
/** Of `ops/patch-postgres.mjs`. */
const NO_TLS = 'ERR_TLS_NOT_OFFERED';

/** Drizzle wraps the driver's errors. */
const unwrap = (error: unknown): unknown => (error instanceof Error && codeOf(error) === '' && error.cause ? unwrap(error.cause) : error);

/** Postgres's message if a privilege is missing, which names the object; null for any other error. */
const deniedBy = (error: unknown): string | null => (codeOf(error) === INSUFFICIENT_PRIVILEGE ? (error as Error).message : null);

/** In places where Postgres does not expect a full disk, it reports an internal error (XX000). */
const isDiskFull = (error: unknown): boolean =>
  codeOf(error) === DISK_FULL || (codeOf(error) !== '' && /No space left on device/.test((error as Error).message));

/** The other end refuses the settings of a connection, as PgBouncer does. */
const isPooler = (error: unknown): boolean => codeOf(error) === '08P01' && /startup parameter/.test((error as Error).message);

/** The database is there, but it does not let us in, or we do not trust it. */
export const isRejected = (error: unknown): boolean =>
  /^(28P01|28000|3D000)$/.test(codeOf(error)) || deniedBy(error) !== null || isCertificateFault(error) || isPooler(error);

/** Null if the error is not the database's. The sentence names the setting, unless the database is the embedded one. */
export function databaseTrouble(thrown: unknown, environment: Record<string, string | undefined> = process.env): string | null {
  const error = unwrap(thrown);
  const code = codeOf(error);
  const { setting = 'DATABASE_URL' } = thrown as { setting?: string };
  const database = namesOf(setting).some((name) => environment[name]) ? `${setting}: the database` : 'the embedded database';
  if (code === NO_TLS)
    return `${database} offers no TLS (${code}), for which sslmode asks: turn it on there (ssl = on), or leave sslmode out on a network that you trust`;
  if (isCertificateFault(error)) return `${database}'s certificate is not trusted, or ours is not (${code})`;
  if (isPooler(error)) return `${database} is behind a pooler, which refuses the settings of our connections: give Postgres's own address`;
  const denied = deniedBy(error);
  if (denied !== null && / for database /.test(denied))
    return `${database} does not let its user in (${denied}): as its owner run: grant connect, temporary on database <its name> to <the user of DATABASE_URL>`;
  if (denied !== null)
    return `${database}'s user has no rights here (${denied}): run \`confam migrate\` with the owner in DATABASE_OWNER_URL, or as an administrator run: grant ${everyRole} to <the user of DATABASE_URL>`;
  if (code === NO_DATABASE)
    return `${database} is not there: its server has none of that name (${code}); create it, or correct the address`;
  if (isRejected(error)) return `${database} rejects the user or the password (${code})`;
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|ETIMEDOUT|EAI_AGAIN)$/.test(code))
    return `${database} cannot be reached (${code})`;
  if (code === '53300') return `${database} has no connection left for us (${code}): raise max_connections, or start fewer parts`;
  if (isReadOnly(error)) return `${database} can only be read, as a standby can (${code}): give the address of the one that can be written`;
  if (isDiskFull(error)) return `${database} has no room left on its disk (${code}): make room`;
  return isDatabaseFault(error) ? `${database} is not available (${code})` : null;
}
