/** `confam jobs list|show`: single checks that were submitted to be answered later. */
import type { Command } from 'commander';
import type { Job } from '../../client/client.ts';
import { connect, type ListOptions, listed, listing, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import type { Output } from '../terminal/output.ts';
import { jobColumns } from '../terminal/tables.ts';
import { minute, naira } from '../terminal/text.ts';
import { flatten } from './flatten.ts';

interface Filters extends ListOptions {
  status?: string[];
  outcome?: string;
  check?: string;
  reference?: string;
  since?: string;
}

export function addJobsCommands(jobs: Command): void {
  listing(jobs.command('list').alias('ls'))
    .description('single jobs, newest first; those of a batch are in its results')
    .option('--status <list>', 'queued, leased, completed, failed, canceled', listed)
    .option('--outcome <outcome>', 'found or not_found')
    .option('--check <id>', 'only this check')
    .option('--reference <text>', 'only those with this reference')
    .option('--since <time>', 'from this time on (ISO 8601)')
    .action(async ({ status, outcome, check, reference, since, ...options }: Filters) => {
      const { client, out } = connect(options);
      const query = { status, outcome, check, reference, since, limit: pageSize(options) };
      out.list(await take(client.jobs.all(query), options.limit), jobColumns, 'There is no job.');
    });
  remote(jobs.command('show').argument('<id>', 'job_…'))
    .description('a job with its result')
    .action(async (id: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const job = await client.jobs.read(id);
      out.answer(job, () => showJob(out, job));
    });
  jobs.addHelpText('after', '\nExamples:\n  $ confam jobs list --status failed --limit 10\n  $ confam jobs show job_… --json | jq .result');
}

function showJob(out: Output, job: Job): void {
  out.facts([
    ['job', job.id],
    ['check', job.check],
    ['status', job.status],
    ['outcome', job.outcome && `${job.outcome}${job.flagged ? ', flagged' : ''}`],
    ['hits cleared by now', job.cleared && (job.cleared.all ? 'all' : `${clearedIn(job.cleared)}`)],
    ['error', job.error && `${job.error.message} (${job.error.code})`],
    ['cost', `${naira(job.billed_amount)}${job.cached ? ', from the cache' : ''}`],
    ['batch', job.batch && `${job.batch}, row ${job.row}`],
    ['reference', job.reference],
    ['created', minute(job.created_at)],
    ['ended', minute(job.completed_at)],
    ['next attempt', minute(job.next_attempt_at)],
  ]);
  if (job.result === null) return;
  out.line();
  out.facts(flatten(job.result));
}

/** How many hits are cleared, of a company and of its parties together. */
const clearedIn = ({ hits, parties = [] }: NonNullable<Job['cleared']>): number =>
  [hits, ...parties.map((party) => party.hits)].reduce((sum, { length }) => sum + length, 0);
