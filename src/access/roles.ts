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

export const scopesOf = (role: Role): ReadonlySet<Scope> => scopesByRole[role];
