/**
 * Requests that last: streams, and waits for a job or batch. Each ends within a second of its key, of its session, of the role that allowed it, or of the
 * signed link that it came by. They are looked up together at a short interval, and only while there are any.
 */
import { endedKeys } from '../access/keys.ts';
import { rolesOfSessions } from '../access/people/sessions.ts';
import { mayUse } from '../access/roles.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { endedLinks } from '../results/links.ts';
import type { Http, Variables } from './http.ts';

const LOOK_EVERY_MS = 700;

interface Holder {
  keyId: string | undefined;
  /** Null: no link, or one of a release that stored none. */
  linkId: string | null;
  session: { sessionId: string; appId: string } | null;
  route: Variables['route'];
  end(): void;
}

export interface Holders {
  /** `end` is called once, when the caller loses the right to the request. Call the returned function to leave. */
  add(c: Http, appId: string, end: () => void): () => void;
}

export function openHolders({ sql, log }: Pick<Service, 'sql' | 'log'>): Holders {
  const holders = new Set<Holder>();
  let timer: NodeJS.Timeout | undefined;

  async function endThose(): Promise<void> {
    const all = [...holders];
    const keyIds = new Set(all.flatMap(({ keyId }) => keyId ?? []));
    const linkIds = new Set(all.flatMap(({ linkId }) => linkId ?? []));
    const sessions = all.flatMap(({ session }) => session ?? []);
    const endedKeyIds = keyIds.size === 0 ? keyIds : await endedKeys({ sql }, [...keyIds]);
    const endedLinkIds = linkIds.size === 0 ? linkIds : await endedLinks({ sql }, [...linkIds]);
    const roleOf = await rolesOfSessions({ sql }, sessions);
    const isOver = ({ keyId, linkId, session, route }: Holder): boolean => {
      if (linkId !== null) return endedLinkIds.has(linkId);
      if (!session) return keyId !== undefined && endedKeyIds.has(keyId);
      const role = roleOf(session);
      return role === undefined || !mayUse(role, route);
    };
    for (const holder of all) if (holders.has(holder) && isOver(holder)) holder.end();
  }

  return {
    add(c, appId, end) {
      const session = c.get('session');
      const holder: Holder = {
        keyId: c.get('caller')?.keyId,
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
): Promise<Seen> {
  const over = new AbortController();
  const leave = holders.add(c, appId, () => over.abort());
  const seen = await wait(AbortSignal.any([c.req.raw.signal, over.signal])).finally(leave);
  if (over.signal.aborted) throw new ApiError('unauthenticated', 'The key or the session has ended, or the role no longer allows this');
  return seen;
}
