/** The sandbox lists as listings, read on first use: what test keys are screened against, and the entries that appear later. */

import type { Listing } from '../engines/aml/screening.ts';
import { readLaterSandboxList, readSandboxLists, type SandboxList } from '../sandbox/watch-lists.ts';
import type { ScreenedList } from './answer.ts';
import { canonicalJson, digestOf } from './incoming.ts';

export interface SandboxLists {
  /** As screenings name them. */
  screened(): Promise<ScreenedList[]>;
  inForce(): Promise<Listing[]>;
  /** What the next version of a list adds and changes. */
  later(): Promise<Listing[]>;
}

export function openSandboxLists(): SandboxLists {
  let lists: Promise<SandboxList[]> | null = null;
  let inForce: Promise<Listing[]> | null = null;
  let later: Promise<Listing[]> | null = null;
  const readLists = () => {
    lists ??= readSandboxLists();
    return lists;
  };
  const readInForce = () => {
    inForce ??= readLists().then((read) => read.flatMap(listingsOf));
    return inForce;
  };
  const readLater = async () => {
    const known = new Set((await readInForce()).map(keyOf));
    return listingsOf(await readLaterSandboxList()).filter((listing) => !known.has(keyOf(listing)));
  };
  return {
    screened: async () =>
      (await readLists()).map(({ list, version, publishedOn, entries }) => ({ list, version, publishedOn, entries: entries.length })),
    inForce: readInForce,
    later() {
      later ??= readLater();
      return later;
    },
  };
}

const keyOf = ({ list, digest }: Listing): string => `${list} ${digest}`;

const listingsOf = ({ list, version, entries }: SandboxList): Listing[] =>
  entries.map((entry) => ({ list, version, digest: digestOf(canonicalJson(entry)).toString('hex'), entry }));
