/** What the sweeper would delete, for `commands/retention.ts`. */
import { type Planned, planRetention } from '../lifecycle/retention.ts';
import { withDatabase } from './database.ts';

export const printPlan = ({ days, json }: { days: number; json?: boolean }): Promise<void> =>
  withDatabase(async (ctx) => {
    const planned = await planRetention(ctx, days);
    console.log(json ? JSON.stringify(planned, null, 2) : asText(planned));
  });

const asText = (planned: Planned[]): string =>
  planned.length === 0
    ? 'nothing is due'
    : planned
        .map(
          ({ kind, live, due, since }) =>
            `${kind.padEnd(13)} ${live === null ? 'both' : live ? 'live' : 'test'} ${String(due).padStart(9)}  since ${since}`,
        )
        .join('\n');
