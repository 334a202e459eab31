/** Why personal data is read, for the audit. */
import type { Purpose } from '../contract/audit.ts';

export type { Purpose };

export interface Stated {
  purpose?: Purpose;
}

export const statedIn = ({ purpose }: Stated): Record<string, string> => (purpose === undefined ? {} : { 'Audit-Purpose': purpose });
