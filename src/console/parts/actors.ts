/** The people and keys of the app, for pages whose entries have only their ids. Empty for roles that may not list them. */
import { useMemo } from 'preact/hooks';
import type { AuditEntry } from '../../client/audit.ts';
import type { Key } from '../../client/keys.ts';
import { keyName, shortId } from '../format.ts';
import { client, may, session } from '../state.ts';
import { useResource } from './resource.tsx';

export interface Actor {
  id: string;
  name: string;
  /** Null: a key. */
  email: string | null;
}

export function useActors(): readonly Actor[] {
  const people = useResource('actors: people', async (signal) => (may('people') ? (await client.people.list(signal)).data : []));
  const keys = useResource('actors: keys', async (signal) => (may('keys') ? await keysOfApp(signal) : []));
  return useMemo(
    () => [
      ...(people.data ?? []).map(({ id, name, email }) => ({ id, name: name ?? email, email })),
      ...(keys.data ?? []).map(({ id, name }) => ({ id, name: keyName({ id, name }), email: null })),
    ],
    [people.data, keys.data],
  );
}

/** Of an app with more, the oldest go without their names. */
const KEYS_MAX = 1_000;

async function keysOfApp(signal: AbortSignal): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const key of client.keys.all({ limit: 100 }, signal)) if (keys.push(key) === KEYS_MAX) break;
  return keys;
}

export type Names = ReadonlyMap<string, string>;

/** By id, of those who have a name. */
export const namesOf = (actors: readonly Actor[]): Names =>
  new Map(actors.flatMap(({ id, name }) => (name === shortId(id) ? [] : [[id, name]])));

const KINDS: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  key: 'Key',
  person: 'Person',
  operator: 'Administrator',
  link: 'Link',
  anonymous: 'Unknown',
  system: 'Confam',
};

/** Who did something, in words. */
export function actorWords({ kind, id }: AuditEntry['actor'], names: Names): string {
  if (kind === 'system' || kind === 'anonymous') return KINDS[kind];
  if (id === session.value?.person.id) return 'You';
  const named = names.get(id) ?? shortId(id);
  return kind === 'person' && names.has(id) ? named : `${KINDS[kind]} ${named}`;
}

/** As it is offered to choose; two people may have one name. */
export const labelOf = ({ name, email }: Actor): string => (email === null ? `Key ${name}` : name === email ? email : `${name} (${email})`);

/** The ids that what was entered may mean: an id, or a name or address, whole or in part. */
export function idsOf(entered: string, actors: readonly Actor[]): string[] {
  if (/^[a-z]+_\w+$/.test(entered)) return [entered];
  const sought = entered.toLowerCase();
  const textsOf = (actor: Actor) => [labelOf(actor), actor.name, actor.email ?? ''].map((text) => text.toLowerCase());
  const whole = actors.filter((actor) => textsOf(actor).includes(sought));
  const found = whole.length > 0 ? whole : actors.filter((actor) => textsOf(actor).some((text) => text.includes(sought)));
  return found.map(({ id }) => id);
}
