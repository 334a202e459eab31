/** Who does something: authentication, approval and the audit all use this one word. */

/**
 * `operator`: the holder of an admin key, or the user of a command; `link`: the holder of a signed link; `anonymous`: somebody trying to sign in; `system`: this service
 * by itself.
 */
export type ActorKind = 'key' | 'person' | 'operator' | 'link' | 'anonymous' | 'system';

export interface Actor {
  kind: ActorKind;
  /** As shown to people, and never personal data: `key_…`, the id of an account, `cli`, the name of a task. */
  id: string;
}
