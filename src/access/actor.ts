/** Who does something: authentication, approval and the audit all use this one word. */

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
