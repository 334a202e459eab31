/** What the terms of a key permit, and whether one key's terms are within another's: a key never makes a key that may do more than itself. */
import ipaddr from 'ipaddr.js';
import type { KeyLimits, KeyTerms } from '../contract/keys.ts';
import type { Scope } from '../contract/scopes.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Owner } from './owner.ts';
import { scopesOf } from './roles.ts';

type Address = ReturnType<typeof ipaddr.process>;

/** Whether `address` is in one of the networks. An unknown address is in none. */
const isWithin = (address: Address | null, networks: readonly string[]): boolean =>
  address !== null &&
  networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });

export const mayComeFrom = ({ addresses }: Pick<KeyTerms, 'addresses'>, address: Address | null): boolean =>
  addresses === null || isWithin(address, addresses);

export const hasScope = ({ scopes }: Pick<KeyTerms, 'scopes'>, scope: Scope): boolean => scopes === null || scopes.includes(scope);

/** Whether the key or the person that the request came from has the scope. */
export const ownerHasScope = ({ role, terms }: Pick<Owner, 'role' | 'terms'>, scope: Scope): boolean =>
  role ? scopesOf(role).has(scope) : terms === undefined || hasScope(terms, scope);

/** Throws `forbidden` unless the key may be used from `address`. */
export function refuseAddress(terms: KeyTerms, address: Address | null): void {
  if (mayComeFrom(terms, address)) return;
  throw new ApiError('forbidden', 'This key may not be used from this address');
}

/** Throws `forbidden` unless the key has the scope. */
export function refuseScope(terms: KeyTerms | undefined, scope: Scope): void {
  if (!terms || hasScope(terms, scope)) return;
  throw new ApiError('forbidden', `This key lacks the scope ${scope}`, {
    details: [{ path: 'Authorization', message: scope, rule: 'scope' }],
  });
}

/** Throws `forbidden` unless the key may run the check. This also holds for batches that another key submitted and that this key starts, resumes or retries. */
export function refuseCheck(terms: KeyTerms | undefined, check: string): void {
  if (!terms?.checks || terms.checks.includes(check)) return;
  throw new ApiError('forbidden', `This key may not run ${check}`, { details: [{ path: 'check', message: check, rule: 'check' }] });
}

/** The names of the terms in which `wanted` exceeds `own`. */
export function excesses(own: KeyLimits, wanted: KeyLimits): (keyof KeyLimits)[] {
  const areWithin = (all: readonly string[] | null, some: readonly string[] | null) =>
    all === null || some?.every((one) => all.includes(one));
  const isWithinLimit = (most: number | null, some: number | null) => most === null || (some !== null && some <= most);
  const time = (at: string | null) => (at === null ? null : Date.parse(at));
  const fits: Record<keyof KeyLimits, boolean | undefined> = {
    scopes: areWithin(own.scopes, wanted.scopes),
    checks: areWithin(own.checks, wanted.checks),
    addresses: own.addresses === null || wanted.addresses?.every((one) => isNetworkWithin(one, own.addresses!)),
    expiresAt: isWithinLimit(time(own.expiresAt), time(wanted.expiresAt)),
    dailyCapKobo: isWithinLimit(own.dailyCapKobo, wanted.dailyCapKobo),
  };
  return (Object.keys(fits) as (keyof KeyLimits)[]).filter((name) => !fits[name]);
}

function isNetworkWithin(network: string, networks: readonly string[]): boolean {
  const [base, bits] = ipaddr.parseCIDR(network);
  return networks.some((other) => ipaddr.parseCIDR(other)[1] <= bits && isWithin(base as Address, [other]));
}
