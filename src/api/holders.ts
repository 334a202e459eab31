/**
 * Requests that last: streams, and waits for a job or batch. Each ends within a second of its key, of its session, of the terms or the role that allowed it, or
 * of the signed link that it came by. They are looked up together at a short interval, and only while there are any.
 */
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { readUses } from '../access/keys.ts';
import { rolesOfSessions, sessionsOfAdministrators } from '../access/people/sessions.ts';
import { hasScope, mayComeFrom } from '../access/restrictions.ts';
import { mayUse } from '../access/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { endedLinks } from '../results/links.ts';
import { clientAddress } from './client-address.ts';
import type { Http, Variables } from './http.ts';

const LOOK_EVERY_MS = 700;

interface Holder {
  /** `scope`: what the key needs for as long as the request lasts. */
  key: { id: string; address: ReturnType<typeof clientAddress>; scope: Scope | undefined } | null;
  /** Null: no link, or one of a release that stored none. */
  linkId: string | null;
  /** `appId`: `DEPLOYMENT` for what only administrators may read. */
  session: { sessionId: string; appId: string } | null;
  route: Variables['route'];
  end(): void;
}

export interface Holders {
  /**
   * `end` is called once, when the caller loses the right to the request. Call the returned function to leave. `scope`: which a key needs for it, if that is another
   * one than the route's.
   */
  add(c: Http, appId: string, end: () => void, scope?: Scope): () => void;
}

export function openHolders({ sql, log, config }: Pick<Service, 'sql' | 'log' | 'config'>): Holders {
  const holders = new Set<Holder>();
  let timer: NodeJS.Timeout | undefined;

  async function endThose(): Promise<void> {
    const all = [...holders];
    const keyIds = new Set(all.flatMap(({ key }) => key?.id ?? []));
    const linkIds = new Set(all.flatMap(({ linkId }) => linkId ?? []));
    const sessions = all.flatMap(({ session }) => session ?? []);
    const uses = await readUses({ sql }, [...keyIds]);
    const endedLinkIds = linkIds.size === 0 ? linkIds : await endedLinks({ sql }, [...linkIds]);
    const roleOf = await rolesOfSessions({ sql, config }, sessions);
    const ofDeployment = sessions.flatMap(({ sessionId, appId }) => (appId === DEPLOYMENT ? sessionId : []));
    const ofAdministrators = await sessionsOfAdministrators({ sql }, ofDeployment);
    const mayGoOn = ({ id, address, scope }: NonNullable<Holder['key']>): boolean => {
      const use = uses.get(id);
      return use !== undefined && mayComeFrom(use, address) && (scope === undefined || hasScope(use, scope));
    };
    const isOver = ({ key, linkId, session, route }: Holder): boolean => {
      if (linkId !== null) return endedLinkIds.has(linkId);
      if (!session) return key !== null && !mayGoOn(key);
      if (session.appId === DEPLOYMENT) return !ofAdministrators.has(session.sessionId);
      const role = roleOf(session);
      return role === undefined || !mayUse(role, route);
    };
    for (const holder of all) if (holders.has(holder) && isOver(holder)) holder.end();
  }

  return {
    add(c, appId, end, scope = c.get('route')?.scope) {
      const session = c.get('session');
      // An admin key has no app to act for. The one from the configuration is in no table, and ends with the process.
      const keyId = c.get('caller')?.keyId ?? parseId('key', c.get('signedIn')?.actor.id ?? '');
      const holder: Holder = {
        key: keyId === null ? null : { id: keyId, address: clientAddress(c, config.CONFAM_TRUSTED_PROXIES), scope },
        linkId: parseId('lnk', c.get('about')?.link ?? ''),
        session: session ? { sessionId: session.id, appId } : null,
        route: c.get('route'),
        end,
      };
      holders.add(holder);
      timer ??= setInterval(
        () =>
          endThose().catch((error: unknown) =>
            log.debug({ err: error }, 'keys, links and sessions of lasting requests were not looked up'),
          ),
        LOOK_EVERY_MS,
      );
      return () => {
        holders.delete(holder);
        if (holders.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** What `wait` resolves to. Throws `unauthenticated` if the caller loses the right to wait. */
export async function whileAllowed<Seen>(
  c: Http,
  holders: Holders,
  appId: string,
  wait: (signal: AbortSignal) => Promise<Seen>,
  scope?: Scope,
): Promise<Seen> {
  const over = new AbortController();
  const leave = holders.add(c, appId, () => over.abort(), scope);
  const seen = await wait(AbortSignal.any([c.req.raw.signal, over.signal])).finally(leave);
  if (over.signal.aborted) throw new ApiError('unauthenticated', 'The key or the session has ended, or no longer allows this');
  return seen;
}
