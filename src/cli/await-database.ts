/** A process that starts while its database restarts, or comes up beside it, waits for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { databaseTrouble, isRejected } from './database-trouble.ts';

const WAIT_MS = 10_000;
const EVERY_MS = 250;

/** Asks again while the database is away; says so once. Throws the last error if it stays away, and any other error at once. */
export async function awaitDatabase(ask: () => Promise<void>): Promise<void> {
  let isAnnounced = false;
  for (const began = performance.now(); ; await sleep(EVERY_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isDatabaseFault(error) || isRejected(error) || performance.now() - began > WAIT_MS) throw error;
      if (!isAnnounced) console.error(`${databaseTrouble(error)}; waiting up to ${WAIT_MS / 1_000} s`);
      isAnnounced = true;
    }
  }
}
