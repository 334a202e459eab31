/** `confam reviews list|show|comment|approve|reject|escalate`: results that a person must judge. */
import type { Command } from 'commander';
import type { Decision, Review, ReviewDetail } from '../../client/reviews.ts';
import { connect, type ListOptions, listed, listing, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import type { Output } from '../terminal/output.ts';
import { reviewColumns } from '../terminal/tables.ts';
import { minute } from '../terminal/text.ts';
import { flatten } from './flatten.ts';

const VERBS: Readonly<Record<Decision, string>> = {
  approve: 'decide that it is in order',
  reject: 'decide that it is not',
  escalate: 'leave it to somebody with more authority',
};

export function addReviewsCommands(reviews: Command): void {
  listing(reviews.command('list').alias('ls'))
    .description('review cases, newest first')
    .option('--state <list>', 'open, seconding, escalated, decided …', listed)
    .option('--kind <kind>', 'why they were opened')
    .option('--assignee <id>', '`me`, `none`, or an id')
    .action(async ({ state, kind, assignee, ...options }: ListOptions & { state?: string[]; kind?: string; assignee?: string }) => {
      const { client, out } = connect(options);
      const found = client.transport.items<Review>('api/v1/reviews', { state, kind, assignee, limit: pageSize(options) });
      out.list(await take(found, options.limit), reviewColumns, 'There is no review case.');
    });
  remote(reviews.command('show').argument('<id>', 'rev_…'))
    .description('a case with its notes')
    .action(async (id: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const review = await client.reviews.read(id);
      out.answer(review, () => showReview(out, review));
    });
  remote(reviews.command('comment').argument('<id>', 'rev_…').argument('<text>'))
    .description('write a note on a case')
    .action(async (id: string, text: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const review = await client.reviews.comment(id, text);
      out.answer(review, () => out.line(`Noted on ${id}.`));
    });
  for (const [decision, description] of Object.entries(VERBS) as [Decision, string][]) {
    remote(reviews.command(decision).argument('<id>', 'rev_…'))
      .description(description)
      .requiredOption('--reason <text>', 'kept with the decision')
      .action(async (id: string, { reason, ...options }: RemoteOptions & { reason: string }) => {
        const { client, out } = connect(options);
        const review = await client.reviews.decide(id, { decision, reason });
        out.answer(review, () => out.line(`${id} is ${review.state}.`));
      });
  }
}

function showReview(out: Output, review: ReviewDetail): void {
  out.facts([
    ['case', review.id],
    ['kind', review.kind],
    ['state', review.state],
    ['check', review.check],
    ['job', review.job],
    ['assignee', review.assignee],
    ['proposal', review.proposal && `${review.proposal} by ${review.proposed_by}`],
    ['decision', review.decision && `${review.decision} by ${review.decided_by}`],
    ['opened', minute(review.opened_at)],
    ...flatten(review.summary),
  ]);
  for (const { actor, decision, text, at } of review.notes) {
    out.line();
    out.line(`${out.paint('soft', `${minute(at)}  ${actor}${decision ? `  ${decision}` : ''}`)}`);
    out.facts([['', text]]);
  }
}
