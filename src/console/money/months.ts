/** Months as the books count them, in UTC. */

const MONTHS = 24;

const title = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });

/** `2026-11`, newest first. */
export function recentMonths(): string[] {
  const now = new Date();
  return Array.from({ length: MONTHS }, (_, back) => monthOf(now.getUTCFullYear(), now.getUTCMonth() - back));
}

/** `2026-11` → `November 2026` */
export const monthName = (month: string): string => title.format(new Date(month));

/** `2026-11` → from `2026-11-01` up to but not including `2026-12-01` */
export const periodOf = (month: string): { since: string; until: string } => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { since: `${month}-01`, until: `${monthOf(year, number)}-01` };
};

/** `month` counts from 0 and may be negative or above 11. */
const monthOf = (year: number, month: number): string => new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
