/** What a check says: one line. It never carries a secret: addresses are shown without user and password, errors by their codes. */

export interface Finding {
  subject: string;
  /** `note`: worth knowing, and no fault. */
  state: 'ok' | 'note' | 'broken';
  says: string;
}

type Say = (says: string) => Finding;

export const about = (subject: string): Record<Finding['state'], Say> => ({
  ok: (says) => ({ subject, state: 'ok', says }),
  note: (says) => ({ subject, state: 'note', says }),
  broken: (says) => ({ subject, state: 'broken', says }),
});

/** Where something is, without who may enter. */
export function withoutSecrets(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** ECONNREFUSED, 28P01, WRONGPASS …; a message could quote what it was given. */
export function codeOf(error: unknown): string {
  const { code, name, message = '' } = error as { code?: unknown; name?: string; message?: string };
  if (typeof code === 'string') return code;
  // Redis puts its code in front.
  return /^[A-Z]{4,}(?= )/.exec(message)?.[0] ?? name ?? 'Error';
}
