/** `confam wallet verify`: for the operator, over the books of every app. */
import { type LedgerReport, verifyLedger } from '../money/verify.ts';
import { withDatabase } from './database.ts';
import { counted } from './terminal/text.ts';

export const verifyBooks = (options: { json?: boolean }): Promise<void> =>
  withDatabase(async (ctx) => {
    const report = await verifyLedger(ctx);
    console.log(options.json ? JSON.stringify(report, null, 2) : asText(report));
    if (report.differences.length > 0) process.exitCode = 1;
  });

const asText = ({ wallets, captures, jobs, differences }: LedgerReport): string =>
  [
    ...differences.map(({ what, drift }) => `${what}: differs by ${drift} kobo`),
    `${counted(wallets, 'wallet')}, ${counted(captures, 'charge')} and ${counted(jobs, 'job')} compared: ${differences.length === 0 ? 'everything agrees' : `${differences.length} differ`}`,
  ].join('\n');
