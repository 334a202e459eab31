/**
 * Facts about apps that every process knows without a query. A change is announced at once (`KEYS_CHANNEL`), and the facts are read again at a short interval
 * in case an announcement was lost.
 */
import type { Context } from '../foundation/context.ts';
import { KEYS_CHANNEL } from './keys.ts';

/** A change takes effect everywhere within a second, announced or not. */
const READ_AGAIN_MS = 700;

/** Calls `learn` with what `read` returns: before it resolves, and whenever that may have changed. Returns a function that ends it. */
export async function openAnnounced<Facts>(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  what: string,
  read: () => Promise<Facts>,
  learn: (facts: Facts) => void,
): Promise<() => Promise<void>> {
  /** Numbers the reads: if two overlap, the later one wins. */
  let begun = 0;
  let taken = 0;
  const readNow = async (): Promise<void> => {
    const mine = ++begun;
    const facts = await read();
    if (mine < taken) return;
    taken = mine;
    learn(facts);
  };
  const readAgain = () => void readNow().catch((error: unknown) => log.debug({ err: error }, `${what} were not read`));
  await readNow();
  const listener = sql.listen(KEYS_CHANNEL, readAgain);
  // The interval covers for a listener that failed, and the driver keeps trying.
  listener.catch((error: unknown) => log.warn({ err: error }, `${what} are not announced to this process`));
  const timer = setInterval(readAgain, READ_AGAIN_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await (await listener.catch(() => null))?.unlisten();
  };
}
