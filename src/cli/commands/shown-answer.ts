/** What a server answered to a forwarded webhook, for people. */
import type { Output } from '../terminal/output.ts';
import type { Forwarded } from './forward.ts';

export const shownAnswer = (out: Output, { status, error, ms }: Forwarded): string =>
  out.paint(status !== null && status < 300 ? 'good' : 'bad', `→ ${status ?? error} (${ms} ms)`);
