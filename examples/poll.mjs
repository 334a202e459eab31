// Submits a job, waits for it, and tells the outcomes apart.
// node poll.mjs 70123456789
import { createClient, Refused, StillRunning } from 'confam/client';

const client = createClient({ baseUrl: process.env.CONFAM_URL, key: process.env.CONFAM_KEY, app: process.env.CONFAM_APP });
const [nin] = process.argv.slice(2);

try {
  const job = await client.jobs.create({ check: 'nin_basic', input: { nin }, reference: 'signup-7' });
  const ended = await client.jobs.wait(job, { timeoutMs: 60_000 });
  if (ended.status === 'failed') console.log(`failed: ${ended.error.message}`);
  else if (ended.outcome === 'found') console.log(`found: ${ended.result.firstname} ${ended.result.surname}, ₦${ended.billed_amount}`);
  else console.log('not found: nothing was charged');
} catch (error) {
  // The job goes on: its id is all that is needed to ask again.
  if (error instanceof StillRunning) console.log(`${error.id} is still ${error.status}`);
  else if (error instanceof Refused) console.log(`refused (${error.code}, ${error.requestId}): ${error.message}`);
  else throw error;
}
