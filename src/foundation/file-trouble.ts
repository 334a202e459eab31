/** Says in a sentence what is wrong with a file or folder that the operator can set right. */

/** Null for another error. `fallback`: what to name if the error does not say where it happened. */
export function fileTrouble(error: unknown, fallback?: string): string | null {
  const { code = '', path = fallback, message } = error as NodeJS.ErrnoException;
  if (path === undefined) return null;
  if (code === 'EACCES' || code === 'EPERM') return `No permission for ${path} (${message}). ${permissionAdvice()}`;
  return /^(ENOSPC|EDQUOT|EROFS)$/.test(code) ? `${path} cannot be written: ${message}.` : null;
}

const permissionAdvice = (): string =>
  process.getuid?.() === 0
    ? 'Confam runs as root but may not act for another user here; start it as an ordinary user.'
    : 'Start Confam as the OS user that it belongs to (or as root, if root made it), let its mode allow that user to write, or choose another CONFAM_DATA_DIR.';
