/** Passwords: what counts as one, and argon2id. Hashes are encrypted besides, so a copy of the database alone does not allow guessing. */
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import type { Context } from '../../foundation/context.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { ApiError } from '../../foundation/errors.ts';
import { isBreached, isCommon } from './easy-passwords.ts';

/** OWASP's recommendation for argon2id, which is the library's default: 19 MiB, 2 passes, 1 lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes computed at a time. Each takes 19 MiB and one of libuv's four threads for about 20 ms. */
const HASHES_MAX = 2;
const WAITING_MAX = 100;

/** A hash at the same cost of a password that nobody knows. Checked for people without a password, so that their answers take as long. */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$wgFtxeypbRj+Tt+jUDUcYA$DYOPLyJMJSUOjWYJCiydP6m3XDxuo4z+3Wj2vN/CzJQ';

export interface Passwords {
  /** Why people should choose another password, or null. */
  flaw(password: string, email: string): Promise<string | null>;
  /** Ciphertext for `people.password`. */
  seal(personId: string, password: string): Promise<Buffer>;
  /** Takes the same time whether or not there is a password. */
  matches(personId: string, stored: Uint8Array | null, password: string): Promise<boolean>;
}

export function openPasswords({ cipher, config }: Pick<Context, 'cipher' | 'config'>): Passwords {
  const limit = pLimit(HASHES_MAX);
  const bounded = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= WAITING_MAX)
      throw new ApiError('overloaded', 'Too many sign-ins are in progress; try again later', { headers: { 'Retry-After': '5' } });
    return limit(work);
  };
  return {
    flaw: (password, email) => flawOf(password, email, config.CONFAM_BREACHED_PASSWORDS),
    seal: async (personId, password) => {
      const hashed = await bounded(() => hash(normal(password), COST));
      return (await cipher.sealer(DEPLOYMENT)).seal(hashed, 'password', personId);
    },
    async matches(personId, stored, password) {
      const hashed = stored ? await cipher.open(stored, 'password', personId) : NOBODYS;
      const isRight = await bounded(() => verify(hashed, normal(password)));
      return stored !== null && isRight;
    },
  };
}

/** The same characters, however the keyboard composed them (NIST SP 800-63B). */
const normal = (password: string): string => password.normalize('NFKC');

/** Nearly every password contains a shorter one. */
const LOCAL_PART_MIN = 4;

function containsAddress(folded: string, email: string): boolean {
  const address = normal(email).toLowerCase();
  const local = address.slice(0, address.lastIndexOf('@'));
  return folded.includes(address) || (local.length >= LOCAL_PART_MIN && folded.includes(local));
}

async function flawOf(password: string, email: string, breached: string | undefined): Promise<string | null> {
  const folded = normal(password).toLowerCase();
  if (containsAddress(folded, email) || folded.includes('confam')) return 'must not contain your address or our name';
  if (new Set(folded).size < 5) return 'must have at least five different characters';
  if (isCommon(normal(password))) return 'is one of the most common passwords, or one with digits or signs added; choose another';
  if (breached !== undefined && ((await isBreached(breached, password)) || (await isBreached(breached, normal(password)))))
    return 'appeared in a breach of another service; choose another';
  return null;
}
