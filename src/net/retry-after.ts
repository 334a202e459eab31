/** The Retry-After header (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now. Null if it is missing or unreadable. */
export function parseRetryAfter(header: string | string[] | undefined): number | null {
  const text = String(header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /\d GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
