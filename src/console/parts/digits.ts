/** Numbers as people type and paste them. */

/** `701-2345 6789` → `70123456789`, as uploads read it. Text that is not only digits in groups stays as it is. */
export function withoutGroups(text: string): string {
  const bare = text.replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, '');
  return /^\d+$/.test(bare) ? bare : text;
}
