import { expect, test } from 'vitest';
import { type BatchRow, showBatch } from '../../src/contract/batches.ts';
import { newId } from '../../src/foundation/ids.ts';

const BEGAN = '2026-11-27T12:00:00.000Z';
const ENDED = '2026-11-27T12:00:10.000Z';

const canceled = {
  id: newId(),
  status: 'canceled',
  createdAt: BEGAN,
  startedAt: BEGAN,
  canceledAt: ENDED,
  pausedAt: null,
  completedAt: null,
  failedAt: null,
  expiredAt: null,
  expiresAt: null,
  deletedAt: null,
  jobs: 1_000,
  completed: 150,
  failed: 50,
  canceled: 800,
  quoteKobo: 0,
  holdKobo: 0,
  billedKobo: 0,
} as Partial<BatchRow> as BatchRow;

test('the rate of a batch is that of the jobs that were answered: what was canceled was never looked up', () => {
  expect(showBatch(canceled).progress).toEqual({ percent: 100, rate_per_second: 20, eta_seconds: null });
});
