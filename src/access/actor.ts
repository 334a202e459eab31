/** Who does something: the one word that authentication, approval and the audit have for it. */

/**
 * `operator`: whoever holds an admin key or runs a command; `link`: whoever holds a signed link; `anonymous`: whoever tries to sign in; `system`: this service
 * by itself.
 */
export type ActorKind = 'key' | 'person' | 'operator' | 'link' | 'anonymous' | 'system';

export interface Actor {
  kind: ActorKind;
  /** As shown to people, and never personal data: `key_…`, the id of an account, `cli`, the name of a task. */
  id: string;
}
