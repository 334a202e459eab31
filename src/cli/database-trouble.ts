/** Says in a sentence what is wrong with a database that cannot be reached, entered or used. */
import { namesOf } from '../foundation/config.ts';
import { isCertificateFault, isDatabaseFault } from '../foundation/database-faults.ts';
import { everyRole } from '../foundation/wall.ts';

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Postgres’s sentence about a missing privilege, which names the object; null for another error. Drizzle wraps the driver's errors. */
function deniedBy(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return codeOf(error) === INSUFFICIENT_PRIVILEGE ? error.message : deniedBy(error.cause);
}

/** What answers does not take the settings of a connection, as PgBouncer does not. */
const isPooler = (error: unknown): boolean => codeOf(error) === '08P01' && /startup parameter/.test((error as Error).message);

/** The database is there, and does not let us in, or we do not trust it. */
export const isRejected = (error: unknown): boolean =>
  /^(28P01|28000|3D000)$/.test(codeOf(error)) || isCertificateFault(error) || isPooler(error);

/** Null for an error that is not the database's. Names the setting, unless the database is the embedded one. */
export function databaseTrouble(error: unknown, environment: Record<string, string | undefined> = process.env): string | null {
  const code = codeOf(error);
  const database = namesOf('DATABASE_URL').some((name) => environment[name]) ? 'DATABASE_URL: the database' : 'the embedded database';
  if (isCertificateFault(error)) return `${database}'s certificate is not trusted, or ours is not (${code})`;
  if (isPooler(error)) return `${database} is behind a pooler, which refuses the settings of our connections: give Postgres's own address`;
  if (isRejected(error)) return `${database} rejects the user, password or name (${code})`;
  const denied = deniedBy(error);
  if (denied !== null)
    return `${database}'s user has no rights here (${denied}): run \`confam migrate\` with the owner in DATABASE_OWNER_URL, or as an administrator run: grant ${everyRole} to <the user of DATABASE_URL>`;
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|ETIMEDOUT|EAI_AGAIN)$/.test(code))
    return `${database} cannot be reached (${code})`;
  if (code === '53300') return `${database} has no connection left for us (${code}): raise max_connections, or start fewer parts`;
  return isDatabaseFault(error) ? `${database} is not available (${code})` : null;
}
