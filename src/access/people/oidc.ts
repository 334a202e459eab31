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
import { asPerson } from './record.ts';
import { resetSecondFactors, type SignedIn } from './sign-in.ts';
import { newToken } from './tokens.ts';

const TIMEOUT_SECONDS = 10;
/** The provider's endpoints and keys are read again after this time. */
const REMEMBER_MS = 3_600_000;

export const OIDC_CALLBACK = '/api/v1/session/oidc/callback';

export interface Oidc {
  /** Where to send the browser, and the secret that it meanwhile keeps in a cookie. */
  begin(): Promise<{ url: string; browser: string }>;
  /** The person who signed in. `query`: what the provider sent back. Null if anything is wrong with it: the sender may be anybody. */
  finish(query: URLSearchParams, browser: string | null, by?: Author): Promise<SignedIn | null>;
}

interface Begun {
  browser: string;
  nonce: string;
  verifier: string;
}

/** Null unless the operator has configured a provider. */
export function openOidc(ctx: Context): Oidc | null {
  const settings = oidcSettings(ctx.config);
  if (!settings) return null;
  const discover = discoverer(settings);
  const callback = `${settings.publicUrl}${OIDC_CALLBACK}`;

  return {
    async begin() {
      const provider = await discover().catch((error: unknown) => {
        ctx.log.warn({ err: error }, 'the identity provider was not reached');
        throw new ApiError('unavailable', 'The identity provider is not reachable; try again later', { headers: { 'Retry-After': '10' } });
      });
      const [state, browser, nonce, verifier] = [newToken(), newToken(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      await keepChallenge(ctx, 'oidc', state, { data: JSON.stringify({ browser, nonce, verifier } satisfies Begun) });
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

    async finish(query, browser, by = bySystem('setup')) {
      const state = query.get('state');
      const begun = state && (await takeChallenge(ctx, 'oidc', state));
      if (!begun) return null;
      const { nonce, verifier, browser: begunBy } = JSON.parse(begun.data!) as Begun;
      if (!browser || !sameSecret(browser, begunBy)) return null;
      const url = new URL(callback);
      url.search = query.toString();
      const claims = await discover()
        .then((provider) =>
          oidc.authorizationCodeGrant(provider, url, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          }),
        )
        .then((tokens) => tokens.claims())
        .catch((error: unknown) => {
          // Its name and code only: a message may quote what the provider sent.
          ctx.log.warn({ code: (error as { code?: string }).code ?? (error as Error).name }, 'an OIDC sign-in was refused');
          return null;
        });
      if (!claims) return null;
      const email = claims.email_verified === true && typeof claims.email === 'string' ? claims.email : null;
      const person = await personOf(ctx, claims.iss, claims.sub, email, by);
      return person && { ...person, method: askedForTwo(claims, settings.acrValues) ? 'oidc+mfa' : 'oidc' };
    },
  };
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
  issuer: string,
  subject: string,
  email: string | null,
  by: Author,
): Promise<{ personId: string; email: string } | null> {
  const indexes = ctx.cipher.indexes('oidc', issuer, subject);
  const [known] = await ctx.sql<{ id: string; email: Buffer }[]>`
    select id, email from people where oidc_index = any(${byteaArray(indexes)}::bytea[]) and disabled_at is null`;
  if (known) return { personId: known.id, email: await ctx.cipher.open(known.email, 'person_email', known.id) };
  const account = email === null ? null : await findAccount(ctx, email);
  if (!account || account.isDisabled) return null;
  return ctx.sql.begin(async (tx) => {
    const linked = await tx`
      update people set oidc_index = ${indexes[0]}, password = null where id = ${account.id} and oidc_index is null and disabled_at is null`;
    if (linked.count === 0) return null;
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
    // Configuration allows http on this machine only.
    ...(issuer.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }),
  });

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
