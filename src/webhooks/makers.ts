/**
 * Who set an endpoint's encryption key, and whether its messages carry results: only while that key or person may read results unconditionally. A key that is
 * rotated hands its place on to its successor. A key set in an earlier release has no maker, and its endpoint gets results whatever happens.
 */
import type { Author } from '../access/audit/append.ts';
import type { Owner } from '../access/owner.ts';
import { refuseScope } from '../access/restrictions.ts';
import { seeUnderConditions } from '../access/reveals.ts';
import { mayUse, type Role } from '../access/roles.ts';
import type { Scope } from '../contract/scopes.ts';
import type { EndpointRow } from '../contract/webhooks.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { AppSettings } from '../schema/apps.ts';

type Made = Pick<EndpointRow, 'makerKeyId' | 'makerPersonId'>;

export const makerOf = ({ actor }: Author): Made => ({ makerKeyId: parseId('key', actor.id), makerPersonId: parseId('per', actor.id) });

export const NO_MAKER: Made = { makerKeyId: null, makerPersonId: null };

/** Throws `forbidden` unless the caller's key may read results. Every role that may use webhooks may. */
export function refuseWithoutResults({ terms }: Pick<Owner, 'terms'>): void {
  if (terms) refuseScope(terms, 'results:read');
}

/** Throws `forbidden` if whoever has just set the endpoint's encryption key may not have results sent. */
export async function refuseWithheld(tx: Tx, endpoint: EndpointRow): Promise<void> {
  const reason = (await withheldResults(tx, [endpoint])).get(endpoint.id);
  if (reason !== undefined) throw new ApiError('forbidden', reason);
}

/** A maker, as the database function `endpoint_makers` returns it. */
interface Maker {
  /** False: it has ended, or left the app. */
  isThere: boolean;
  /** The scopes of a key; null: all. */
  scopes: readonly Scope[] | null;
  /** The role of a person; null: the maker is a key. */
  role: Role | null;
}

/** For each endpoint that has an encryption key but is sent no results: its id → the reason. */
export async function withheldResults(
  sql: Sql | Tx,
  endpoints: readonly (Pick<EndpointRow, 'id' | 'encryptionKey'> & Made)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = endpoints.flatMap(({ id, encryptionKey, makerKeyId, makerPersonId }) =>
    encryptionKey !== null && (makerKeyId ?? makerPersonId) !== null ? [id] : [],
  );
  if (ids.length === 0) return new Map();
  const rows = await sql<(Maker & { id: string; isPerson: boolean; settings: AppSettings })[]>`
    select e.id, e.maker_person_id is not null as is_person, a.settings, m.endpoint_id is not null as is_there, m.scopes, m.role
    from webhook_endpoints e join apps a on a.id = e.app_id left join endpoint_makers(${ids}::uuid[]) m on m.endpoint_id = e.id
    where e.id = any(${ids}::uuid[])`;
  const allowed = new Set(rows.flatMap((row) => (mayRead(row) ? [row.id] : [])));
  return new Map(
    rows.flatMap(({ id, isPerson, settings }) => {
      const reason = conditionOf(settings, isPerson) ?? (allowed.has(id) ? null : MAY_NOT_READ);
      return reason === null ? [] : [[id, reason]];
    }),
  );
}

const MAY_NOT_READ = 'Whoever set the encryption key may not see results in clear';

const mayRead = ({ isThere, scopes, role }: Maker): boolean =>
  isThere && (role === null ? scopes === null || scopes.includes('results:read') : mayUse(role, { scope: 'results:read', reveals: true }));

/** Why no message may carry results: a message can neither wait for an approval nor state a reason. Null: it may. */
function conditionOf(settings: AppSettings, isPerson: boolean): string | null {
  if (settings.approveExport) return 'This app requires an approval for every export of results, so no endpoint receives them';
  if (isPerson && seeUnderConditions(settings))
    return 'People of this app see results only with a reason or an approval, so only a key may set an encryption key';
  return null;
}
