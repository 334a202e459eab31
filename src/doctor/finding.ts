/** The result of a check: one line. It never contains a secret: addresses appear without user and password, errors as codes. */

export interface Finding {
  subject: string;
  /** `note`: worth knowing, but not a fault. */
  state: 'ok' | 'note' | 'broken';
  says: string;
}

type Say = (says: string) => Finding;

export const about = (subject: string): Record<Finding['state'], Say> => ({
  ok: (says) => ({ subject, state: 'ok', says }),
  note: (says) => ({ subject, state: 'note', says }),
  broken: (says) => ({ subject, state: 'broken', says }),
});

/** The address without credentials. */
export function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** ECONNREFUSED, 28P01, WRONGPASS …; an error's message could quote its input. */
export function codeOf(error: unknown): string {
  const { code, name, message = '' } = error as { code?: unknown; name?: string; message?: string };
  if (typeof code === 'string') return code;
  // Redis puts its code first.
  return /^[A-Z]{4,}(?= )/.exec(message)?.[0] ?? name ?? 'Error';
}
