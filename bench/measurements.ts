/** Every benchmark by its name on the command line. */
import { amlParts } from './aml.ts';
import { bytes } from './bytes.ts';
import { catalogue } from './catalogue.ts';
import { cli } from './cli.ts';
import { consoleParts } from './console.ts';
import { corpus } from './corpus.ts';
import { email } from './email.ts';
import { face } from './face.ts';
import { fairness } from './fairness.ts';
import type { Report } from './figure.ts';
import { firstHour } from './first-hour.ts';
import type { Bench, Options } from './harness.ts';
import { ingest } from './ingest.ts';
import { lifecycle } from './lifecycle.ts';
import { live } from './live.ts';
import { million } from './million.ts';
import { neighbour, neighbourApart } from './neighbour.ts';
import { oldJobs } from './old-jobs.ts';
import { portraits, results } from './results.ts';
import { scaling } from './scaling.ts';
import { sse } from './sse.ts';
import { busy, sync } from './sync.ts';
import { throughput } from './throughput.ts';
import { upstreamParts } from './upstream.ts';
import { wall } from './wall.ts';

export type Measure = (bench: Bench, options: Options) => Promise<Report>;

export const measurements: Record<string, Measure> = {
  throughput,
  scaling,
  bytes,
  'old-jobs': oldJobs,
  sync,
  busy,
  live,
  fairness,
  neighbour,
  'neighbour-apart': neighbourApart,
  wall,
  million,
  ingest,
  results,
  portraits,
  cli,
  'first-hour': firstHour,
  sse,
  ...Object.fromEntries(Object.entries(consoleParts).map(([part, measure]) => [`console/${part}`, measure])),
  catalogue,
  ...Object.fromEntries(Object.entries(upstreamParts).map(([part, measure]) => [`upstream/${part}`, measure])),
  ...Object.fromEntries(Object.entries(amlParts).map(([part, measure]) => [`aml/${part}`, measure])),
  face,
  corpus,
  email,
  lifecycle,
};

/** The part of a name before the slash stands for all of its parts. */
export const groups: Record<string, string[]> = {
  upstream: Object.keys(upstreamParts).map((part) => `upstream/${part}`),
  console: Object.keys(consoleParts).map((part) => `console/${part}`),
  aml: Object.keys(amlParts).map((part) => `aml/${part}`),
};
