/** How far a batch is, by outcome: a bar with its key. The same numbers stand beside it as text. */
import type { Batch } from '../../client/client.ts';
import { count, foundWord } from '../format.ts';

type Counts = Batch['counts'];

const OUTCOMES = [
  ['found', 'found', 'Found'],
  ['not_found', 'not-found', 'Not found'],
  ['failed', 'failed', 'Failed'],
  ['canceled', 'canceled', 'Canceled'],
] as const;

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : (part / whole) * 100}%`;

export const OutcomeBar = ({ counts, isThin = false }: { counts: Counts; isThin?: boolean }) => (
  <div class={isThin ? 'bar thin' : 'bar'} aria-hidden="true">
    {OUTCOMES.map(([name, style]) => (
      <i key={name} class={style} style={{ width: share(counts[name], counts.jobs) }} />
    ))}
  </div>
);

export const OutcomeKey = ({ batch: { checks, counts } }: { batch: Pick<Batch, 'checks' | 'counts'> }) => (
  <ul class="key">
    {OUTCOMES.map(([name, style, word]) => (
      <li key={name}>
        <i class={style} aria-hidden="true" />
        {name === 'found' ? foundWord(checks) : word} <strong>{count(counts[name])}</strong>
      </li>
    ))}
    <li>
      <i aria-hidden="true" />
      Open <strong>{count(counts.queued + counts.leased)}</strong>
    </li>
  </ul>
);
