/** Says in a sentence what is wrong with a database that cannot be reached, entered or used. */
import { namesOf } from '../foundation/config.ts';
import { isCertificateFault, isDatabaseFault } from '../foundation/database-faults.ts';

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

/** The database is there, and does not let us in, or we do not trust it. */
export const isRejected = (error: unknown): boolean => /^(28P01|28000|3D000)$/.test(codeOf(error)) || isCertificateFault(error);

/** Null for an error that is not the database's. Names the setting, unless the database is the embedded one. */
export function databaseTrouble(error: unknown, environment: Record<string, string | undefined> = process.env): string | null {
  const code = codeOf(error);
  const database = namesOf('DATABASE_URL').some((name) => environment[name]) ? 'DATABASE_URL: the database' : 'the embedded database';
  if (isCertificateFault(error)) return `${database}'s certificate is not trusted, or ours is not (${code})`;
  if (isRejected(error)) return `${database} rejects the user, password or name (${code})`;
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|ETIMEDOUT|EAI_AGAIN)$/.test(code))
    return `${database} cannot be reached (${code})`;
  return isDatabaseFault(error) ? `${database} is not available (${code})` : null;
}
