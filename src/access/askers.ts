/** Whether somebody who has asked for an approval may still ask for it, and whoever decides may still decide: nothing is carried out for people who have left, or for keys that have ended. */
import type { ApprovalAction, ApprovalRow } from '../contract/approvals.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { parseId } from '../foundation/ids.ts';
import { isMemberWith, type Needed } from './people/accounts.ts';

type Request = Pick<ApprovalRow, 'appId' | 'action' | 'target' | 'askedKind' | 'askedId'>;

/** What the route that asks for it needs of a role. Null: only administrators ask. */
function neededFor({ action, target }: Pick<Request, 'action' | 'target'>): Needed | null {
  if (action === 'export' && parseId('exp', target) !== null) return { scope: 'privacy', reveals: true };
  return NEEDED[action];
}

const NEEDED: Readonly<Record<ApprovalAction, Needed | null>> = {
  start_batch: { scope: 'batches:write', reveals: false },
  reveal: { scope: 'results:read', reveals: true },
  export: { scope: 'results:read', reveals: true },
  change_settings: { scope: 'people', reveals: false },
  top_up: null,
  change_prices: null,
  delete_app: null,
};

/** Commands, and the key from the configuration, may always ask. */
export async function mayStillAsk(sql: Sql | Tx, request: Request): Promise<boolean> {
  const { appId, askedKind, askedId } = request;
  const needed = neededFor(request);
  if (askedKind === 'person') {
    const personId = parseId('per', askedId);
    return needed === null ? isAdministrator(sql, personId) : isMemberWith(sql, appId, personId, needed);
  }
  const keyId = parseId('key', askedId);
  return keyId === null || isKeyWith(sql, keyId, needed);
}

/** Whether the person may decide what was asked for, now. */
export const mayDecide = (sql: Sql | Tx, request: Request, personId: string): Promise<boolean> =>
  neededFor(request) === null ? isAdministrator(sql, personId) : isMemberWith(sql, request.appId, personId, DECIDING);

const DECIDING: Needed = { scope: 'approve', reveals: false };

async function isAdministrator(sql: Sql | Tx, personId: string | null): Promise<boolean> {
  const [found] = await sql`select 1 from people where id = ${personId} and administrator and disabled_at is null`;
  return found !== undefined;
}

/** Also if the key has expired because it was rotated, and the one that took its place may. */
async function isKeyWith(sql: Sql | Tx, keyId: string, needed: Needed | null): Promise<boolean> {
  const scope = needed?.scope ?? null;
  const [found] = await sql`
    with recursive line as (
      select rotated_to, expires_at, scopes from api_keys where id = ${keyId} and revoked_at is null
      union all
      select k.rotated_to, k.expires_at, k.scopes from line join api_keys k on k.id = line.rotated_to where k.revoked_at is null)
    select 1 from line
    where coalesce(expires_at > now(), true) and (scopes is null or ${scope}::text is null or ${scope}::text = any(scopes)) limit 1`;
  return found !== undefined;
}
