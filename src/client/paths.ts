/** Paths of the API with ids in them. */

/** `base` with further parts, each encoded, so that what stands for an id, such as a part of a console's address, cannot lead to another path. */
export const at = (base: string, ...parts: string[]): string => [base, ...parts.map(encodeURIComponent)].join('/');

/** What no id can be: nothing, and the dots that a URL takes for folders, which encoding leaves as they are. Null: the path has none. */
export const unfitPart = (path: string): string | null =>
  path.split('/').find((part, place) => place > 0 && /^\.{0,2}$/.test(part)) ?? null;
