/** A thread of `memory.ts`: indexes the lists. To reach a given number of names it repeats them with another letter appended to every word. */
import { IndexBuilder } from '../../src/engines/aml/match/build.ts';
import type { ScreeningIndex } from '../../src/engines/aml/match/index.ts';
import type { Listing } from '../../src/engines/aml/screening.ts';
import { readListings } from './lists.ts';

export interface Built {
  index: ScreeningIndex;
  buildWallMs: number;
  buildCpuMs: number;
}

/** Entries added between two readings of the clock. */
const SLICE_ENTRIES = 2_000;
/** Each round appends another letter to each word of three or more letters, which makes different words of the same kind. */
const ENDINGS = ['', ...'eiouklmnr'];

/** `names`: null for the lists as they are. */
export default async function build(names: number | null): Promise<Built> {
  const builder = new IndexBuilder();
  let [wallMs, cpuMs, added] = [0, 0, 0];
  const clocked = <Result>(work: () => Result): Result => {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const result = work();
    const { user, system } = process.cpuUsage(cpu);
    wallMs += performance.now() - began;
    cpuMs += (user + system) / 1000;
    return result;
  };
  for (const [turn, ending] of ENDINGS.entries()) {
    if (turn > 0 && (names === null || added >= names)) break;
    let slice: Listing[] = [];
    const addSlice = () => {
      clocked(() => {
        for (const listing of slice) builder.add(listing);
      });
      slice = [];
    };
    for await (const listing of readListings('all')) {
      if (names !== null && added >= names) break;
      added += listing.entry.names.length;
      slice.push(turn === 0 ? listing : renamed(listing, ending));
      if (slice.length === SLICE_ENTRIES) addSlice();
    }
    addSlice();
  }
  const index = clocked(() => builder.finish());
  return { index, buildWallMs: wallMs, buildCpuMs: cpuMs };
}

function renamed(listing: Listing, ending: string): Listing {
  const names = listing.entry.names.map((name) => ({ ...name, text: name.text.replace(/[a-z]{3,}/gi, (word) => word + ending) }));
  return { ...listing, list: `${listing.list}_${ending}`, entry: { ...listing.entry, names } };
}
