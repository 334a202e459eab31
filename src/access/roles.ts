/** The roles that people have in an app. Each includes those before it. */

import { type Scope, scopes } from '../contract/scopes.ts';
import { personRole } from '../schema/people.ts';

export const roles = personRole.enumValues;

export type Role = (typeof roles)[number];

const viewer: readonly Scope[] = ['results:read', 'wallet:read'];
const operator: readonly Scope[] = [...viewer, 'verify', 'batches:write', 'reveal', 'reviews', 'webhooks'];
const approver: readonly Scope[] = [...operator, 'approve'];

const scopesByRole: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  viewer: new Set(viewer),
  operator: new Set(operator),
  approver: new Set(approver),
  owner: new Set(Object.keys(scopes) as Scope[]),
};

/** What a route asks of a role. One without a scope is not for people. */
export const mayUse = (role: Role, route: { scope?: Scope | undefined; reveals: boolean } | undefined): boolean =>
  route?.scope !== undefined && scopesOf(role).has(route.scope) && (!route.reveals || scopesOf(role).has('reveal'));

export const scopesOf = (role: Role): ReadonlySet<Scope> => scopesByRole[role];
