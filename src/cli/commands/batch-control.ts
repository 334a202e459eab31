/** `confam batch start|pause|resume|cancel|retry`. */
import type { Command } from 'commander';
import type { BatchDetail } from '../../client/client.ts';
import { connect, type RemoteOptions, remote } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { confirm, isAttended } from '../terminal/prompt.ts';
import { showBatch } from './batch-summary.ts';

const VERBS = {
  pause: 'stop taking up jobs; those that run finish',
  resume: 'go on with a paused batch',
  cancel: 'end a batch; jobs that have not begun cost nothing',
  retry: 'try the failed jobs of a batch again',
} as const;

type Verb = keyof typeof VERBS;

export function addBatchControl(batch: Command): void {
  remote(batch.command('start').argument('<id>', 'bat_…'))
    .description('start a batch that was submitted with `--start manual`')
    .action(async (id: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const started = await client.batches.start(id);
      if (started.object === 'approval')
        throw new CommandError(
          'declined',
          `A second person must approve the start first (${started.id}).`,
          `Follow it: confam batch watch ${id}`,
        );
      out.answer(started, () => showBatch(out, started as BatchDetail));
    });
  for (const [verb, description] of Object.entries(VERBS) as [Verb, string][]) {
    const command = remote(batch.command(verb).argument('<id>', 'bat_…')).description(description);
    if (verb === 'cancel') command.option('-y, --yes', 'do not ask');
    command.action(async (id: string, options: RemoteOptions & { yes?: boolean }) => {
      const { client, out } = connect(options);
      if (verb === 'cancel' && !options.yes && isAttended() && !(await confirm(`Cancel ${id}? It cannot be resumed.`)))
        throw new CommandError('declined', 'Nothing was changed.');
      const changed = await client.batches.control(id, verb);
      out.answer(changed, () => showBatch(out, changed));
    });
  }
}
