/** Numbers in parsed JSON that may no longer be the ones that were sent: a double holds whole numbers exactly up to 2^53 - 1 (RFC 8259, section 6). */

/** Whether a JSON value has a number that may have lost digits: once parsed, 1e20 cannot be told from 100000000000000000001. The caller has bounded its depth. */
export function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
}
