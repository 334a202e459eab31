/** A real OpenID Connect provider on loopback, a browser that signs in to it, and a way to falsify its ID tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Changes the claims of the next ID tokens before they are signed. */
  falsify: ((claims: JWTPayload) => JWTPayload) | null;
  /** Signs them with a key that the provider does not have, under the name of its own. */
  forge: boolean;
  /** Follows a sign-in from its first address as `login`; returns where the provider sends the browser back. */
  signIn(url: string, login: string): Promise<URL>;
  close(): Promise<void>;
}

/** `login` is the subject and the address: `ada@bank.test`; one that begins with `unverified` has an address that nobody has checked. */
export async function startIdentityProvider(callback: string): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const [clientId, clientSecret] = ['confam', 'a secret of the test'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callback], grant_types: ['authorization_code'] }],
    jwks: { keys: [key as never] },
    cookies: { keys: ['cookies of the test'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: true } },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: sub, email_verified: !sub.startsWith('unverified') }),
    }),
  });
  const running: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    falsify: null,
    forge: false,
    signIn: (url, login) => signIn(url, login, callback),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  provider.use(async (ctx, next) => {
    await next();
    const body = ctx.body as { id_token?: string } | undefined;
    if (ctx.path !== '/token' || !body?.id_token || !running.falsify) return;
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1]!, 'base64url').toString('utf8')) as JWTPayload;
    const token = new SignJWT(running.falsify(claims)).setProtectedHeader({ alg: 'RS256', kid: 'one' });
    body.id_token = await token.sign(running.forge ? foreign.privateKey : privateKey);
  });
  server.on('request', provider.callback());
  return running;
}

async function signIn(start: string, login: string, callback: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  let body: URLSearchParams | null = null;
  for (let steps = 0; steps < 12; steps++) {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    body = null;
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url);
      if (url.toString().startsWith(callback)) return url;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (!prompt) throw new Error(`the identity provider answered ${response.status}: ${page.slice(0, 300)}`);
    body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
  }
  throw new Error('the identity provider did not send the browser back');
}
