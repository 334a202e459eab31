/** Says in a sentence what is wrong with a database that cannot be reached, entered or used. */
import { isCertificateFault, isDatabaseFault } from '../foundation/database-faults.ts';

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

/** The database is there, and does not let us in, or we do not trust it. */
export const isRejected = (error: unknown): boolean => /^(28P01|28000|3D000)$/.test(codeOf(error)) || isCertificateFault(error);

/** Null for an error that is not the database's. */
export function databaseTrouble(error: unknown): string | null {
  const code = codeOf(error);
  if (isCertificateFault(error)) return `DATABASE_URL: the database's certificate is not trusted, or ours is not (${code})`;
  if (isRejected(error)) return `DATABASE_URL: the database rejects the user, password or name (${code})`;
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|ETIMEDOUT|EAI_AGAIN)$/.test(code))
    return `DATABASE_URL: the database cannot be reached (${code})`;
  return isDatabaseFault(error) ? `DATABASE_URL: the database is not available (${code})` : null;
}
