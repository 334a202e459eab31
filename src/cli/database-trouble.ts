/** A sentence for a database that cannot be reached or entered; null for any other error. */
export function databaseTrouble(error: unknown): string | null {
  const { code } = error as { code?: string };
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|CONNECT_TIMEOUT|ETIMEDOUT|EAI_AGAIN)$/.test(code ?? ''))
    return `DATABASE_URL: the database cannot be reached (${code})`;
  if (/^(28P01|28000|3D000)$/.test(code ?? '')) return `DATABASE_URL: the database rejects the user, password or name (${code})`;
  return null;
}
