/** Passkeys (WebAuthn). One is enough to sign in with: it needs both the device and the person who unlocks it. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Context } from '../../foundation/context.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { newId, showId } from '../../foundation/ids.ts';
import { type Author, bySystem } from '../audit/append.ts';
import { CHALLENGE_SECONDS, keepChallenge, takeChallenge } from './challenges.ts';
import { recordOwn } from './record.ts';
import { dropIdleCodes } from './recovery-codes.ts';
import { factorAdded, lockForChange, type Proven } from './sessions.ts';

const PASSKEYS_MAX = 20;

/** Loaded when somebody first uses a passkey: its 280 files are a seventh of what a start would load. */
const webAuthn = () => import('@simplewebauthn/server');

/** Where passkeys work: the origin of the console, and its host name. */
export interface RelyingParty {
  origin: string;
  id: string;
}

export interface ListedPasskey {
  id: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

const idBytes = (id: string): Buffer => Buffer.from(id, 'base64url');

export async function beginPasskey(
  ctx: Context,
  party: RelyingParty,
  { id, email }: { id: string; email: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await ctx.sql<{ credentialId: Buffer; transports: string[] }[]>`
    select credential_id, transports from passkeys where person_id = ${id}`;
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Confam',
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(id.replaceAll('-', ''), 'hex')),
    userName: email,
    timeout: CHALLENGE_SECONDS * 1000,
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId.toString('base64url'), transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(ctx, 'passkey_registration', options.challenge, { personId: id });
  return options;
}

/** Null if the response does not answer a challenge to this person, or they have too many passkeys. */
export async function addPasskey(
  ctx: Context,
  party: RelyingParty,
  personId: string,
  { name, response }: { name: string; response: RegistrationResponseJSON },
  { by = bySystem('setup'), session = null }: { by?: Author; session?: string | null } = {},
): Promise<string | null> {
  const challenge = challengeIn(response);
  if (!challenge || !(await takeChallenge(ctx, 'passkey_registration', challenge, personId))) return null;
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
  const id = newId();
  const { seal } = await ctx.cipher.sealer(DEPLOYMENT);
  return ctx.sql.begin(async (tx) => {
    await lockForChange(tx, personId, session);
    const added = await tx`
      insert into passkeys (id, person_id, credential_id, public_key, counter, transports, name)
      select ${id}, ${personId}, ${idBytes(credentialId)}, ${Buffer.from(publicKey)}, ${counter}, ${response.response.transports ?? []},
        ${seal(name, 'passkey', id)}
      where (select count(*) from passkeys where person_id = ${personId}) < ${PASSKEYS_MAX}
      on conflict (credential_id) do nothing`;
    if (added.count === 0) return null;
    await recordOwn(tx, by, personId, { action: 'person.change', detail: { added: showId('pky', id) } });
    await factorAdded(tx, personId, by, session);
    return id;
  });
}

/** The same for everybody, so it does not reveal who has passkeys. The browser offers those that it has. */
export async function challengePasskey(ctx: Context, party: RelyingParty): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: 'required', timeout: CHALLENGE_SECONDS * 1000 });
  await keepChallenge(ctx, 'passkey', options.challenge);
  return options;
}

/** A passkey that somebody signs in with. */
interface UsedPasskey {
  id: string;
  personId: string;
  publicKey: Buffer;
  counter: number;
  isDisabled: boolean;
}

/**
 * The person whose passkey answered a challenge. Null if we do not know the passkey, its person is disabled, or the answer is wrong; `failed` is called with the
 * person of a passkey that we know.
 */
export async function usePasskey(
  ctx: Context,
  party: RelyingParty,
  response: AuthenticationResponseJSON,
  failed: (personId: string) => void = () => {},
): Promise<Pick<Proven, 'personId' | 'passkey'> | null> {
  const challenge = challengeIn(response);
  if (!challenge || !(await takeChallenge(ctx, 'passkey', challenge))) return null;
  const [passkey] = await ctx.sql<UsedPasskey[]>`
    select k.id, k.person_id, k.public_key, k.counter, p.disabled_at is not null as is_disabled
    from passkeys k join people p on p.id = k.person_id where k.credential_id = ${idBytes(response.id)}`;
  if (!passkey) return null;
  if (!passkey.isDisabled && (await hasSigned(ctx, party, challenge, passkey, response)))
    return { personId: passkey.personId, passkey: passkey.id };
  failed(passkey.personId);
  return null;
}

/** Whether the passkey has signed the challenge; its counter then moves on. */
async function hasSigned(
  { sql }: Context,
  party: RelyingParty,
  challenge: string,
  passkey: UsedPasskey,
  response: AuthenticationResponseJSON,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id: response.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
  }).catch(() => ({ verified: false, authenticationInfo: null }));
  if (!verified) return false;
  // A copy of an authenticator would count the same signatures again.
  const used = await sql`
    update passkeys set counter = ${authenticationInfo!.newCounter}, used_at = now()
    where id = ${passkey.id} and (counter < ${authenticationInfo!.newCounter} or (counter = 0 and ${authenticationInfo!.newCounter}::bigint = 0))`;
  return used.count > 0;
}

export async function listPasskeys({ sql, cipher }: Context, personId: string): Promise<ListedPasskey[]> {
  const rows = await sql<{ id: string; name: Buffer; createdAt: string; usedAt: string | null }[]>`
    select id, name, created_at, used_at from passkeys where person_id = ${personId} order by id`;
  const { open } = await cipher.opener(rows.map(({ name }) => name));
  return rows.map((row) => ({ ...row, name: open(row.name, 'passkey', row.id) }));
}

/** False if the person has no such passkey. */
export async function removePasskey(
  { sql }: Context,
  personId: string,
  id: string,
  by: Author = bySystem('setup'),
  session: string | null = null,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    await lockForChange(tx, personId, session);
    const removed = await tx`delete from passkeys where id = ${id} and person_id = ${personId}`;
    if (removed.count === 0) return false;
    await dropIdleCodes(tx, personId);
    await recordOwn(tx, by, personId, { action: 'person.change', detail: { removed: showId('pky', id) } });
    return true;
  });
}

/** The challenge that a response claims to answer; the library checks that it is signed. */
function challengeIn({ response }: { response: { clientDataJSON: string } }): string | null {
  try {
    const { challenge } = JSON.parse(idBytes(response.clientDataJSON).toString('utf8')) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}
