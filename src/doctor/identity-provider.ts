/** Checks the identity provider that people may sign in through, by its discovery document. The client's secret is neither sent nor shown. */
import type * as oidc from 'openid-client';
import { discoverProvider, oidcSettings } from '../access/people/oidc.ts';
import type { Config } from '../foundation/config.ts';
import { about, codeOf, type Finding } from './finding.ts';

const LOOK_SECONDS = 5;
/** What a sign-in needs. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** Null without `CONFAM_OIDC_ISSUER`. */
export async function checkIdentityProvider(config: Config): Promise<Finding | null> {
  const settings = oidcSettings(config);
  if (!settings) return null;
  const finding = about('identity provider');
  const { issuer } = settings;
  const where = shown(issuer);
  let provider: oidc.Configuration;
  try {
    provider = await discoverProvider(settings, LOOK_SECONDS);
  } catch (error) {
    return finding.broken(`${where} ${fault(error)}; nobody can sign in through it`);
  }
  const metadata = provider.serverMetadata();
  const unusable = ENDPOINTS.filter((endpoint) => !isUsable(metadata[endpoint], issuer));
  if (unusable.length > 0)
    return finding.broken(
      `${where}: its discovery document has no usable ${unusable.join(' and no usable ')} (https); correct the provider, or CONFAM_OIDC_ISSUER`,
    );
  return issuer.protocol === 'http:'
    ? finding.note(`${where} answers, without TLS: for trials on this machine only`)
    : finding.ok(`${where} answers`);
}

/** What is wrong, and what to do. */
function fault(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const { issuer } = (cause as { body: { issuer: string } }).body;
    return `calls itself ${shown(new URL(issuer))}: if that is the right provider, set CONFAM_OIDC_ISSUER to it`;
  }
  if (code === 'OAUTH_TIMEOUT') return `does not answer within ${LOOK_SECONDS} s: check CONFAM_OIDC_ISSUER and the network`;
  const status = (cause as Partial<Response> | undefined)?.status;
  // Not `instanceof`: @hono/node-server replaces the global class.
  if (typeof status === 'number') return `answers ${status} instead of a discovery document: check CONFAM_OIDC_ISSUER`;
  // What `fetch` throws: its cause has the code.
  if (error instanceof TypeError && cause) return `cannot be reached (${codeOf(cause)}): check CONFAM_OIDC_ISSUER and the network`;
  return `does not answer with a discovery document (${codeOf(error)}): check CONFAM_OIDC_ISSUER`;
}

/** As a sign-in demands it: https, or http if the issuer has it too. */
const isUsable = (endpoint: string | undefined, issuer: URL): boolean =>
  endpoint !== undefined && URL.canParse(endpoint) && ['https:', issuer.protocol].includes(new URL(endpoint).protocol);

/** Without credentials, and without the slash that stands for an empty path. */
const shown = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/$/, '')}`;
