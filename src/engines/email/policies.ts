/** What a domain publishes about who may send in its name: SPF (RFC 7208) and DMARC (RFC 7489), read from its TXT records. */

export type Spf = 'strict' | 'soft' | 'open' | 'none';
export type Dmarc = 'reject' | 'quarantine' | 'none';

/** A longer record is a mistake or an attack (RFC 7208, 3.4 recommends 450 octets). */
const RECORD_CHARACTERS_MAX = 4_096;

/**
 * How the policy treats mail that no mechanism allows: this alone decides whether a domain can be spoofed. Without `all`, a `redirect` names the
 * domain whose record counts.
 */
export function readSpf(texts: readonly string[]): { spf: Spf } | { redirect: string } {
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  // Several records are an error, and an error gives no protection (4.5).
  if (records.length !== 1) return { spf: 'none' };
  const terms = records[0]!.slice(0, RECORD_CHARACTERS_MAX).toLowerCase().split(' ');
  const all = terms.find((term) => /^[-~+?]?all$/.test(term));
  if (all) return { spf: all === '-all' ? 'strict' : all === '~all' ? 'soft' : 'open' };
  const redirect = terms.find((term) => term.startsWith('redirect='))?.slice('redirect='.length);
  // Macros build the name from the sender's address, so there is no single record to read (section 7).
  if (redirect && !redirect.includes('%')) return { redirect };
  return { spf: 'open' };
}

/** Null: no policy. `isInherited`: the record belongs to the organizational domain, which may set another policy for sub-domains. */
export function readDmarc(texts: readonly string[], { isInherited }: { isInherited: boolean }): Dmarc | null {
  const records = texts.filter((text) => /^v=DMARC1\s*(?:;|$)/.test(text));
  // Several count as none (6.6.3).
  if (records.length !== 1) return null;
  const tags = new Map<string, string>();
  for (const pair of records[0]!.slice(0, RECORD_CHARACTERS_MAX).split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0)
      tags.set(
        pair.slice(0, equals).trim().toLowerCase(),
        pair
          .slice(equals + 1)
          .trim()
          .toLowerCase(),
      );
  }
  const policy = (isInherited ? tags.get('sp') : undefined) ?? tags.get('p');
  if (policy === 'reject' || policy === 'quarantine' || policy === 'none') return policy;
  // An unreadable policy counts as `none` if reports are requested; otherwise the record is ignored (6.6.3).
  return tags.has('rua') ? 'none' : null;
}
