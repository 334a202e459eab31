/** Requests by API key: whose key it is, and what its terms permit. */
import { openKeyUses } from '../access/key-uses.ts';
import { CONFIGURED_KEY } from '../access/keys.ts';
import { refuseAddress, refuseScope } from '../access/restrictions.ts';
import type { Context } from '../foundation/context.ts';
import { hashApiKey, parseApiKey } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { NIL_ID, parseId, showId } from '../foundation/ids.ts';
import { clientAddress } from './client-address.ts';
import type { Http, Variables } from './http.ts';
import type { KeyHolder, KnownKeys } from './known-keys.ts';
import { openSignIns } from './sign-ins.ts';

export interface KeyGuard {
  /** The holder of the request's key; null if it has none that is valid. Failures count against the address of the request. */
  signIn(c: Http): Promise<KeyHolder | null>;
  /** Throws unless the request's AppId is that of its key. */
  refuseOtherApps(c: Http, holder: KeyHolder): void;
  /** Throws if the key's terms do not permit this route or address; otherwise the key counts as used. */
  refuseBeyondTerms(c: Http, holder: KeyHolder): void;
  /** The holder, looked up again later in the same request. Throws if the key or its terms no longer allow it. */
  stillSignedIn(c: Http): Promise<KeyHolder>;
  close(): Promise<void>;
}

export function openKeyGuard(ctx: Context, known: Pick<KnownKeys, 'holderOf'>): KeyGuard {
  const signIns = openSignIns(ctx);
  const uses = openKeyUses(ctx);

  function refuseBeyondTerms(c: Http, { keyId, terms }: KeyHolder): void {
    if (terms.addresses) refuseAddress(terms, clientAddress(c, ctx.config.CONFAM_TRUSTED_PROXIES));
    const scope = c.get('route')?.scope;
    if (scope) refuseScope(terms, scope);
    uses.used(keyId);
  }

  return {
    async signIn(c) {
      if (!c.req.header('authorization')) return null;
      const key = sentKey(c);
      const hash = hashOf(key);
      signIns.admit(c, hash);
      const holder = await known.holderOf(key, hash);
      if (holder) {
        signIns.succeeded(hash);
        c.set('signedIn', signedIn(holder));
      } else signIns.failed(c, 'wrong_key');
      return holder;
    },
    refuseOtherApps(c, { appId }) {
      const sent = c.req.header('appid');
      if (!sent) throw new ApiError('unauthenticated', 'The AppId header is missing: send the id of the app (app_…) as its value');
      if (parseId('app', sent.trim()) === appId) return;
      signIns.failed(c, 'wrong_app');
      const isKey = parseApiKey(sent.trim()) !== null;
      throw new ApiError(
        'unauthenticated',
        isKey ? 'The AppId header holds an API key: send the id of the app (app_…) there' : 'The AppId does not belong to this API key',
      );
    },
    refuseBeyondTerms,
    async stillSignedIn(c) {
      const key = sentKey(c);
      const holder = await known.holderOf(key, hashOf(key));
      if (!holder) throw new ApiError('unauthenticated', 'The API key has expired or was revoked while the body was on its way');
      refuseBeyondTerms(c, holder);
      return holder;
    },
    close: uses.close,
  };
}

export const sentKey = (c: Http): string => (c.req.header('authorization') ?? '').replace(/^Bearer\s+/i, '').trim();

const hashOf = (key: string): string => hashApiKey(key).toString('hex');

function signedIn({ kind, keyId, appId, live, terms }: KeyHolder): Variables['signedIn'] {
  const id = keyId === NIL_ID ? CONFIGURED_KEY : showId('key', keyId);
  return kind === 'admin'
    ? { actor: { kind: 'operator', id }, appId: null, live: null, terms }
    : { actor: { kind: 'key', id }, appId, live, terms };
}
