/** Starting a batch, which may need a second person. */
import type { BatchDetail } from '../../client/client.ts';
import { useResource } from '../parts/resource.tsx';
import { say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

/** `approvalAbove`: the amount in naira above which a start needs a second person, if this one does. */
export function useStartRule({ quote_amount }: Pick<BatchDetail, 'quote_amount'>): { approvalAbove: number | null; isKnown: boolean } {
  const { data, error } = useResource('settings', (signal) => client.settings.read(signal));
  const limitKobo = data?.approvals.batch_start_above_kobo ?? null;
  const isAbove = limitKobo !== null && Math.round(quote_amount * 100) > limitKobo;
  return { approvalAbove: isAbove ? limitKobo / 100 : null, isKnown: data !== null || error !== null };
}

/** Starts it, or asks a second person to; returns the batch as it is then. */
export async function startBatch(id: string): Promise<BatchDetail> {
  const started = await client.batches.start(id);
  if (started.object === 'batch') {
    say('The batch has started.');
    return started;
  }
  say('A second person must approve the start. It starts automatically once they have.');
  return client.batches.read(id);
}
