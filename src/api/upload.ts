/** Bounds how many uploads are read at the same time: each holds a transaction. */

/** Runs at most `max` uploads at a time; further ones wait, and their clients with them. */
export function limitUploads(max: number): <T>(upload: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (upload) => {
    if (running < max) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await upload();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
