/** The state of a job in words. A duplicate has no outcome of its own: it is in the state of its original. */
import { expect, test } from 'vitest';
import { jobState } from '../../src/console/format.ts';

type Shown = Parameters<typeof jobState>[0];

const OPEN = { outcome: null, error: null, completed_at: null };
const OVER = { ...OPEN, completed_at: '2026-11-22T13:05:09Z' };
const error = { code: 'provider_failed', message: 'No vendor answered; nothing was charged.' };

const CASES: [string, Shown][] = [
  ['Waiting', { status: 'queued', ...OPEN }],
  ['In progress', { status: 'leased', ...OPEN }],
  ['Waiting', { status: 'duplicate', ...OPEN }],
  ['Found', { status: 'completed', ...OVER, outcome: 'found' }],
  ['Found', { status: 'duplicate', ...OVER, outcome: 'found' }],
  ['Not found', { status: 'completed', ...OVER, outcome: 'not_found' }],
  ['Failed', { status: 'failed', ...OVER, error }],
  ['Failed', { status: 'duplicate', ...OVER, error }],
  ['Canceled', { status: 'canceled', ...OVER }],
  ['Canceled', { status: 'duplicate', ...OVER }],
];

test.each(CASES)('%s: %o', (word, job) => expect(jobState(job).word).toBe(word));
