// Screens a person against the watch lists and has them screened again whenever a list changes.
// node screen-and-monitor.mjs "Musa Ibrahim" 1970-01-02
import { createClient } from 'confam/client';

const client = createClient({ baseUrl: process.env.CONFAM_URL, key: process.env.CONFAM_KEY, app: process.env.CONFAM_APP });
const [name, date_of_birth] = process.argv.slice(2);

// A monitor needs a job, which is what later hits refer to.
const job = await client.jobs.create({ check: 'aml_screening', input: { name, date_of_birth, monitor: 'true' } });
const { result } = await client.jobs.wait(job);
console.log(`${result.risk_level} (${result.risk_score}), ${result.total_hits} hits`);
for (const hit of result.hits) console.log(`  ${hit.score} ${hit.list} ${hit.category}: ${hit.name}`);

for await (const monitor of client.aml.allMonitors({ job: job.id })) console.log(`monitored since ${monitor.created_at}: ${monitor.id}`);
