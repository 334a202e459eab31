/** The settings of an app in words, with amounts in naira. */
import type { App } from '../../client/operator.ts';
import { count, counted, naira } from '../format.ts';
import { riskWords } from '../words.ts';

type Words = readonly [label: string, say: (value: never) => string];

const yes = (value: boolean): string => (value ? 'Yes' : 'No');
const days = (value: number): string => counted(value, 'day');
const limit = (value: number): string => (value === 0 ? 'No limit' : count(value));
const words = (name: string): string =>
  name.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
const sentence = (parts: readonly string[]): string => (parts.length === 0 ? 'nothing' : parts.join(', '));

interface Reviews {
  face?: boolean;
  liveness?: boolean;
  amlLevel?: keyof typeof riskWords | null;
  twoPerson?: boolean;
}

const reviewed = ({ face, liveness, amlLevel, twoPerson }: Reviews): string => {
  const opened = [
    ...(face ? ['faces that match only in part'] : []),
    ...(liveness ? ['selfies that may not be live'] : []),
    ...(amlLevel ? [`screenings with a hit from ${riskWords[amlLevel].toLowerCase()} risk up`] : []),
  ];
  return `${sentence(opened)}${twoPerson ? '; two people decide each' : ''}`;
};

const kept = (retention: Record<string, Record<string, number>>): string =>
  sentence(
    Object.entries(retention).flatMap(([mode, kinds]) =>
      Object.entries(kinds).map(([kind, number]) => `${words(kind)} ${days(number)} in ${mode} mode`),
    ),
  );

/** In the order in which they are shown. */
export const settingWords: Readonly<Record<string, Words>> = {
  consentRequired: ['Live checks need the customer’s consent', yes],
  secondFactorRequired: ['People need a second factor', yes],
  lowBalance: ['Low balance', naira],
  dailyCap: ['Daily cap', naira],
  batchCap: ['Batch cap', naira],
  partialRuns: ['Batches may start before the wallet covers them', yes],
  approveStartAboveKobo: ['A second person approves the start of a batch above', (kobo: number) => naira(kobo / 100)],
  approveReveal: ['A second person approves seeing a job in clear', yes],
  approveExport: ['A second person approves downloads', yes],
  revealNeedsReason: ['Seeing a job in clear needs a reason', yes],
  reviews: ['Review cases are opened for', reviewed],
  amlLists: ['Watch lists to search', (lists: string[]) => lists.join(', ')],
  amlThreshold: ['Screening threshold', String],
  faceThreshold: ['Faces match from a confidence of', String],
  emailBreaches: ['Have I Been Pwned may receive addresses', yes],
  emailMailboxes: ['Mail hosts may receive addresses', yes],
  cacheScope: ['Cached answers are shared by', (scope: string) => (scope === 'app' ? 'This app only' : 'The whole deployment')],
  shareCache: ['Uses the shared cache', yes],
  requestsPerMinute: ['Requests a minute for each key', limit],
  missesPerSubject: ['Misses a day about one subject', limit],
  missesPerApp: ['Misses an hour of the app', limit],
  weight: ['Weight of its work', String],
  storageGb: ['Storage', (gigabytes: number) => `${count(gigabytes)} GB`],
  retention: ['Data is kept for', kept],
  keepImagesDays: ['Pictures of answered face checks are kept for', days],
};

/** A setting that has no words yet, from a later release, is shown by its name. */
export const settingLines = (settings: App['settings']): [label: string, value: string][] => {
  const known = Object.entries(settingWords).flatMap(([name, [label, say]]): [string, string][] =>
    settings[name] === undefined ? [] : [[label, say(settings[name] as never)]],
  );
  const others = Object.entries(settings).flatMap(([name, value]): [string, string][] =>
    name in settingWords ? [] : [[words(name), JSON.stringify(value)]],
  );
  return [...known, ...others];
};
