/** Challenges that a browser answers once, within minutes. */
import type { Context } from '../../foundation/context.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { hashToken } from './tokens.ts';

export type ChallengeKind = 'passkey_registration' | 'passkey' | 'oidc';

export const CHALLENGE_SECONDS = 5 * 60;

/** `challenge`: random text that comes back with the answer. `data` is encrypted. */
export async function keepChallenge(
  { sql, cipher }: Context,
  kind: ChallengeKind,
  challenge: string,
  { personId = null, data = null }: { personId?: string | null; data?: string | null } = {},
): Promise<void> {
  const hash = hashToken(challenge);
  const { seal } = await cipher.sealer(DEPLOYMENT);
  await sql`
    insert into sign_in_challenges (hash, kind, person_id, data, expires_at)
    values (${hash}, ${kind}, ${personId}, ${data && seal(data, 'challenge', hash.toString('hex'))},
      now() + make_interval(secs => ${CHALLENGE_SECONDS}))`;
}

/** Takes a challenge, so that it cannot be taken twice. Null if there is none of that kind for that person. */
export async function takeChallenge(
  { sql, cipher }: Context,
  kind: ChallengeKind,
  challenge: string,
  personId: string | null = null,
): Promise<{ data: string | null } | null> {
  const hash = hashToken(challenge);
  const [taken] = await sql<{ data: Buffer | null }[]>`
    delete from sign_in_challenges where hash = ${hash} and kind = ${kind} and person_id is not distinct from ${personId}::uuid and expires_at > now()
    returning data`;
  return taken ? { data: taken.data && (await cipher.open(taken.data, 'challenge', hash.toString('hex'))) } : null;
}

export async function dropExpiredChallenges({ sql }: Context): Promise<void> {
  await sql`delete from sign_in_challenges where expires_at < now()`;
}
