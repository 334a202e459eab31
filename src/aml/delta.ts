/** The entries that a list version brought, ready to screen people against, in slices that never block the process for long. */
import type { Monitored } from '../checks/check.ts';
import { buildIndex } from '../engines/aml/match/build.ts';
import { openMatcher } from '../engines/aml/match/screen.ts';
import { readRequest, type ScreeningDefaults } from '../engines/aml/request.ts';
import type { Listing, Match } from '../engines/aml/screening.ts';
import type { Context } from '../foundation/context.ts';

/** Screens the person in a check's input, with the input's threshold and lists or else the app's defaults. */
export type Screen = (input: Monitored['input'], defaults: ScreeningDefaults) => Match[];

/** Each slice gets its own index: building one of 2,000 entries blocks the process for about 0.1 s. */
export async function openDelta(ctx: Context, slices: AsyncIterable<Listing[]> | Iterable<Listing[]>): Promise<Screen> {
  const giveWay = ctx.yielding.long();
  const matchers: ReturnType<typeof openMatcher>[] = [];
  for await (const listings of slices) {
    matchers.push(openMatcher(buildIndex(listings)));
    await giveWay();
  }
  return (input, defaults) => {
    const { subject, options } = readRequest(input, defaults);
    return matchers.flatMap((matcher) => matcher.screen(subject, options));
  };
}
