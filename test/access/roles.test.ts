import { expect, test } from 'vitest';
import { roles, scopesOf } from '../../src/access/roles.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';

const may = (scope: Scope) => roles.filter((role) => scopesOf(role).has(scope));

test('each role may do what the roles before it may, and more', () => {
  for (const [at, role] of roles.entries()) {
    const before = at === 0 ? [] : [...scopesOf(roles[at - 1]!)];
    expect(scopesOf(role).size).toBeGreaterThan(before.length);
    for (const scope of before) expect(scopesOf(role)).toContain(scope);
  }
});

test('an owner may do everything', () => {
  expect([...scopesOf('owner')].sort()).toEqual(Object.keys(scopes).sort());
});

test('a viewer sees nothing unmasked and changes nothing', () => {
  expect([...scopesOf('viewer')].sort()).toEqual(['results:read', 'wallet:read']);
});

test('who approves, and who decides about access, is told apart', () => {
  expect(may('approve')).toEqual(['approver', 'owner']);
  for (const scope of ['keys', 'people', 'privacy', 'audit:read'] as const) expect(may(scope)).toEqual(['owner']);
});
