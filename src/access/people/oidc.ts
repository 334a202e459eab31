/**
 * Signing in through the operator's OpenID Connect provider: authorization code with PKCE, state and nonce, bound to the browser that began. Only people who
 * were invited get in, by an address that the provider has verified.
 */
import * as oidc from 'openid-client';
import type { Config } from '../../foundation/config.ts';
import type { Context } from '../../foundation/context.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { ApiError } from '../../foundation/errors.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { type Author, bySystem } from '../audit/append.ts';
import { findAccount } from './accounts.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { acceptInvitation, invitationHash, readInvitation } from './links.ts';
import { asPerson } from './record.ts';
import { resetSecondFactors, type SignedIn } from './sign-in.ts';
import { newToken } from './tokens.ts';

const TIMEOUT_SECONDS = 10;
/** An answer of the provider (a document, keys, tokens) has a few kilobytes; one that is longer than this is not read on. */
const ANSWER_BYTES_MAX = 1024 * 1024;
/** The provider's endpoints and keys are read again after this time. */
const REMEMBER_MS = 3_600_000;

export const OIDC_CALLBACK = '/api/v1/session/oidc/callback';

export interface Oidc {
  /**
   * Where to send the browser, and a secret for it to keep in a cookie until it comes back. `invitation`: the token of an invitation, which is accepted if the
   * invited person is the one who signs in. Throws `link_invalid`.
   */
  begin(invitation?: string): Promise<{ url: string; browser: string }>;
  /**
   * Who signed in. `query`: what the provider sent back. Null if anything is wrong with it: the sender may be anybody, so only the log has the `Refusal`. `failed` is
   * called with a known account that they did not get into.
   */
  finish(query: URLSearchParams, browser: string | null, failed?: (personId: string) => void, by?: Author): Promise<Finished | null>;
}

interface Finished extends SignedIn {
  /** Whether the invitation that they came with was accepted; null: they came with none. */
  hasAccepted: boolean | null;
}

/** Why a sign-in was refused, for the operator. */
type Refusal =
  /** The state is missing, unknown, used or too old. */
  | 'state_mismatch'
  /** Another browser began it. */
  | 'browser_mismatch'
  | 'provider_unreachable'
  /** The provider refused, in its answer to the browser or to us. */
  | 'provider_error'
  /** The answer or its ID token is not valid for this sign-in. */
  | 'invalid_answer'
  | 'email_missing'
  | 'email_not_verified'
  | 'no_account'
  | 'account_disabled'
  /** The account belongs to another subject at the provider. */
  | 'subject_mismatch';

/** The error codes of RFC 6749 (sections 4.1.2.1 and 5.2) and OpenID Connect Core (section 3.1.2.6). Only these are logged: any other value may be text that somebody made up. */
const PROVIDER_ERRORS: ReadonlySet<unknown> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

interface Begun {
  browser: string;
  nonce: string;
  verifier: string;
  /** `invitationHash`. */
  invitation?: string | undefined;
}

/** Null unless the operator has configured a provider. */
export function openOidc(ctx: Context): Oidc | null {
  const settings = oidcSettings(ctx.config);
  if (!settings) return null;
  const discover = discoverer(settings);
  const callback = `${settings.publicUrl}${OIDC_CALLBACK}`;

  return {
    async begin(token) {
      if (token !== undefined) await readInvitation(ctx, token);
      const invitation = token && invitationHash(token);
      const provider = await discover().catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'the identity provider was not reached');
        throw new ApiError('unavailable', 'The identity provider is not reachable; try again later', { headers: { 'Retry-After': '10' } });
      });
      const [state, browser, nonce, verifier] = [newToken(), newToken(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      await keepChallenge(ctx, 'oidc', state, { data: JSON.stringify({ browser, nonce, verifier, invitation } satisfies Begun) });
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: callback,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(settings.acrValues.length > 0 && { acr_values: settings.acrValues.join(' ') }),
      });
      return { url: url.toString(), browser };
    },

    async finish(query, browser, failed = () => {}, by = bySystem('setup')) {
      const refuse = (reason: Refusal, more: { code?: string; error?: string } = {}): null => {
        ctx.log.warn({ reason, ...more }, 'an OIDC sign-in was refused');
        return null;
      };
      const state = query.get('state');
      const begun = state && (await takeChallenge(ctx, 'oidc', state));
      if (!begun) return refuse('state_mismatch');
      const { nonce, verifier, invitation, browser: begunBy } = JSON.parse(begun.data!) as Begun;
      if (!browser || !sameSecret(browser, begunBy)) return refuse('browser_mismatch');
      const url = new URL(callback);
      url.search = query.toString();
      let claims: oidc.IDToken;
      try {
        const tokens = await oidc.authorizationCodeGrant(await discover(), url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        claims = tokens.claims()!;
      } catch (error) {
        return refuse(...told(error));
      }
      const person = await personOf(ctx, claims, by);
      if ('refused' in person) {
        if (person.personId) failed(person.personId);
        return refuse(person.refused);
      }
      const hasAccepted = invitation ? await acceptInvitation(ctx, invitation, person.personId, by) : null;
      return { ...person, hasAccepted, method: askedForTwo(claims, settings.acrValues) ? 'oidc+mfa' : 'oidc' };
    },
  };
}

/** What the log says about an error. Only codes: a message may quote what the provider sent. */
function told(error: unknown): [Refusal, { code: string; error?: string }] {
  const { code = (error as Error).name, cause } = error as { code?: string; cause?: { code?: string } };
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    return ['provider_error', { code, ...(PROVIDER_ERRORS.has(error.error) && { error: error.error }) }];
  // `fetch` throws a TypeError whose cause has the code.
  if (error instanceof TypeError && cause) return ['provider_unreachable', { code: cause.code ?? code }];
  return [code === 'OAUTH_TIMEOUT' ? 'provider_unreachable' : 'invalid_answer', { code }];
}

/** Whether the provider says that it has asked for more than one factor: `amr` has `mfa` (RFC 8176), or `acr` is a value that the operator has named. */
const askedForTwo = ({ amr, acr }: oidc.IDToken, acrValues: readonly string[]): boolean =>
  (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && acrValues.includes(acr));

/**
 * The person with this subject; the first time, the invited person with this address. Their earlier ways to sign in then stop working: nobody had checked
 * that the address was theirs.
 */
async function personOf(
  ctx: Context,
  { iss, sub, email, email_verified: isVerified }: oidc.IDToken,
  by: Author,
): Promise<{ personId: string; email: string } | { refused: Refusal; personId?: string }> {
  // The library lets it pass. It would be one account for everybody whom the provider does not name.
  if (sub === '') return { refused: 'invalid_answer' };
  const indexes = ctx.cipher.indexes('oidc', iss, sub);
  const [known] = await ctx.sql<{ id: string; email: Buffer; isDisabled: boolean }[]>`
    select id, email, disabled_at is not null as "isDisabled" from people where oidc_index = any(${byteaArray(indexes)}::bytea[])`;
  if (known?.isDisabled) return { refused: 'account_disabled', personId: known.id };
  if (known) return { personId: known.id, email: await ctx.cipher.open(known.email, 'person_email', known.id) };
  if (typeof email !== 'string') return { refused: 'email_missing' };
  if (isVerified !== true) return { refused: 'email_not_verified' };
  const account = await findAccount(ctx, email);
  if (!account) return { refused: 'no_account' };
  if (account.isDisabled) return { refused: 'account_disabled', personId: account.id };
  return ctx.sql.begin(async (tx) => {
    const linked = await tx`
      update people set oidc_index = ${indexes[0]}, password = null where id = ${account.id} and oidc_index is null and disabled_at is null`;
    if (linked.count === 0) return { refused: 'subject_mismatch' as const, personId: account.id };
    await resetSecondFactors(tx, account.id, asPerson(by, account.id));
    return { personId: account.id, email: account.email };
  });
}

interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  publicUrl: string;
  /** Values of `acr` that stand for more than one factor; asked for at each sign-in. */
  acrValues: readonly string[];
}

/** Null unless the operator has configured a provider. */
export function oidcSettings(config: Config): OidcSettings | null {
  const { CONFAM_OIDC_ISSUER: issuer, CONFAM_OIDC_CLIENT_ID: clientId, CONFAM_OIDC_CLIENT_SECRET: clientSecret } = config;
  if (!issuer || !clientId || !clientSecret || !config.CONFAM_PUBLIC_URL) return null;
  const publicUrl = config.CONFAM_PUBLIC_URL.replace(/\/$/, '');
  return { issuer: new URL(issuer), clientId, clientSecret, publicUrl, acrValues: config.CONFAM_OIDC_ACR_VALUES };
}

/** Fetches the provider's discovery document. Throws if the provider cannot be reached, or if the document is not one of this issuer. */
export const discoverProvider = (
  { issuer, clientId, clientSecret }: OidcSettings,
  timeoutSeconds: number = TIMEOUT_SECONDS,
): Promise<oidc.Configuration> =>
  oidc.discovery(issuer, clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    [oidc.customFetch]: async (url, options) => {
      const { status, statusText, headers, body } = await fetch(url, options as RequestInit);
      return new Response(body && atMost(body, ANSWER_BYTES_MAX), { status, statusText, headers });
    },
    execute: [
      // The library leaves the signature of an ID token to TLS unless it is asked to verify it.
      oidc.enableNonRepudiationChecks,
      // Configuration allows http on this machine only.
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
  });

/** Fails after so many bytes, and reads no more. */
function atMost(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return body.pipeThrough(
    new TransformStream({
      transform(part, stream) {
        left -= part.length;
        if (left < 0) throw new Error('the answer is too long');
        stream.enqueue(part);
      },
    }),
  );
}

function discoverer(settings: OidcSettings): () => Promise<oidc.Configuration> {
  let known: { provider: Promise<oidc.Configuration>; until: number } | null = null;
  return async () => {
    if (!known || known.until < performance.now()) {
      known = { provider: discoverProvider(settings), until: performance.now() + REMEMBER_MS };
    }
    try {
      return await known.provider;
    } catch (error) {
      known = null;
      throw error;
    }
  };
}
