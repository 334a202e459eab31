/** A value that is made when it is first asked for, such as an engine that most processes never need. */

export interface Once<T> {
  /** Makes it on the first call; after a failure, again on the next. */
  (): Promise<T>;
  /** The value that was made or is being made, so that it can be closed; null if there is none. */
  made(): Promise<T | null>;
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let making: Promise<T> | null = null;
  const get = () => {
    making ??= make().catch((error) => {
      making = null;
      throw error;
    });
    return making;
  };
  return Object.assign(get, { made: async () => (await making?.catch(() => null)) ?? null });
}
