/** The state of a job in words. A duplicate has no outcome of its own: it is in the state of its original. */
import { expect, test } from 'vitest';
import { jobState } from '../../src/console/format.ts';

type Shown = Parameters<typeof jobState>[0];

const OPEN = { outcome: null, flagged: false, error: null, completed_at: null, result: null };
const OVER = { ...OPEN, completed_at: '2026-11-22T13:05:09Z' };
const error = { code: 'provider_failed', message: 'No vendor answered; nothing was charged.' };

const CASES: [string, Shown][] = [
  ['Waiting', { status: 'queued', ...OPEN }],
  ['In progress', { status: 'leased', ...OPEN }],
  ['Waiting', { status: 'duplicate', ...OPEN }],
  ['Found', { status: 'completed', ...OVER, outcome: 'found' }],
  ['Found', { status: 'duplicate', ...OVER, outcome: 'found' }],
  ['Found, flagged', { status: 'completed', ...OVER, outcome: 'found', flagged: true }],
  ['Not found', { status: 'completed', ...OVER, outcome: 'not_found' }],
  ['Failed', { status: 'failed', ...OVER, error }],
  ['Failed', { status: 'duplicate', ...OVER, error }],
  ['Canceled', { status: 'canceled', ...OVER }],
  ['Canceled', { status: 'duplicate', ...OVER }],
];

const FOUND = { status: 'completed', ...OVER, outcome: 'found' } as const;
const screened = (risk_level: string, total_hits: number, more: object = {}): Shown => ({
  ...FOUND,
  result: { risk_level, total_hits, ...more },
});

const CLEARED = { reason: 'x' };
const since = (cleared: Shown['cleared']): Shown => ({
  ...screened('HIGH', 2, {
    sanctions_match: true,
    hits: [
      { category: 'sanction', cleared: CLEARED },
      { category: 'pep', cleared: null },
    ],
  }),
  ...(cleared && { cleared }),
});

const SCREENED: [string, string, Shown][] = [
  ['No hits', 'good', screened('LOW', 0)],
  ['1 hit, critical', 'bad', screened('CRITICAL', 1)],
  ['2 hits, high', 'bad', screened('HIGH', 2)],
  ['1 hit, medium', 'warn', screened('MEDIUM', 1)],
  ['1 hit, medium', 'bad', screened('MEDIUM', 1, { sanctions_match: true })],
  ['1 hit, cleared', 'good', screened('LOW', 1, { hits: [{ cleared: { reason: 'x' } }] })],
  ['2 hits (1 cleared), high', 'bad', screened('HIGH', 2, { hits: [{ cleared: { reason: 'x' } }, { cleared: null }] })],
  // Cleared, or no longer cleared, since it was screened.
  ['2 hits, cleared', 'good', since({ hits: [0, 1], all: true, risk_level: 'LOW' })],
  ['2 hits (1 cleared), medium', 'warn', since({ hits: [0], all: false, risk_level: 'MEDIUM' })],
  ['2 hits (1 cleared), high', 'bad', since({ hits: [1], all: false, risk_level: 'HIGH' })],
  ['2 hits, critical', 'bad', since({ hits: [], all: false, risk_level: 'CRITICAL' })],
  ['2 hits (1 cleared), high', 'bad', since({ hits: [0], all: false, risk_level: null })],
  ['3 hits, critical', 'bad', { ...FOUND, result: { company_name: 'x', overall_risk: { risk_level: 'CRITICAL', total_hits: 3 } } }],
];

const company = (cleared: Shown['cleared']): Shown => ({
  ...FOUND,
  result: {
    company_name: 'x',
    overall_risk: { risk_level: 'CRITICAL', total_hits: 2, sanctions_match: true },
    screening: { hits: [{ category: 'sanction', cleared: null }] },
    directors: [{ screening: { hits: [] } }, { screening: { hits: [{ category: 'pep', cleared: null }] } }],
    secretary: null,
  },
  ...(cleared && { cleared }),
});
const party = (hits: number[]) => ({ hits, all: hits.length === 1, risk_level: 'HIGH' as const, at: ['directors.1', 'shareholders.0'] });

test.each<[string, string, Shown]>([
  ['2 hits (1 cleared), medium', 'warn', company({ hits: [0], all: false, risk_level: 'MEDIUM', parties: [party([])] })],
  ['2 hits (1 cleared), critical', 'bad', company({ hits: [], all: false, risk_level: 'CRITICAL', parties: [party([0])] })],
  ['2 hits, cleared', 'good', company({ hits: [0], all: true, risk_level: 'LOW', parties: [party([0])] })],
])('a screened company says %s in tone %s', (word, tone, job) => expect(jobState(job)).toEqual({ word, tone }));

const matched = (...agree: boolean[]): Shown => ({
  ...FOUND,
  result: {
    bvn: { value: '•••901', status: true },
    ...Object.fromEntries(agree.map((status, at) => [`field_${at}`, { value: 'A•••', status, confidence_value: 46 }])),
  },
});

test.each<[string, string, Shown]>([
  ['Found', 'good', matched()],
  ['All agree', 'good', matched(true, true)],
  ['1 of 3 differs', 'warn', matched(true, false, true)],
  ['2 of 2 differ', 'warn', matched(false, false)],
])('a match says %s in tone %s', (word, tone, job) => expect(jobState(job)).toEqual({ word, tone }));

test.each(SCREENED)('a screening says %s in tone %s', (word, tone, job) => expect(jobState(job)).toEqual({ word, tone }));

test.each(CASES)('%s: %o', (word, job) => expect(jobState(job).word).toBe(word));
