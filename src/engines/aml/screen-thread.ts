/** A thread of `screener.ts`. */
import { workerData } from 'piscina';
import type { ScreeningIndex } from './match/index.ts';
import { loadNames } from './match/known.ts';
import { openMatcher } from './match/screen.ts';
import type { ScreenRequest } from './screener.ts';
import type { Match } from './screening.ts';

// No screening waits for them.
loadNames();
const matcher = openMatcher(workerData as ScreeningIndex);

export default (requests: ScreenRequest[]): Match[][] => requests.map(({ subject, options }) => matcher.screen(subject, options));
