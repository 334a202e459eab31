/** What the upload costs, before any of it is spent: rows, duplicates, expected answers from the cache, price by check, balance after. */
import { useEffect, useRef } from 'preact/hooks';
import type { BatchDetail, Quote } from '../../client/client.ts';
import { ErrorsDownload } from '../batch/downloads.tsx';
import { startBatch, useStartRule } from '../batch/start.ts';
import { checkName, count, counted, naira } from '../format.ts';
import { Notice, Waiting } from '../parts/common.tsx';
import { useOnce } from '../parts/once.ts';
import { useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { navigate, place } from '../router.ts';
import { client } from '../state.ts';
import { Warnings } from './warnings.tsx';

/** `isSample`: of lines from the whole file, since there are too many to read them twice. */
type Quoted = Quote & { isSample: boolean };

const ADVICE = { unread_column: 'If it should be, discard this batch, choose the file again, and choose that column.' };

interface QuoteProps {
  batch: BatchDetail;
  /** Null: unknown until it has run. */
  quote: (signal: AbortSignal) => Promise<Quoted | null>;
  onDiscard: () => void;
}

export function QuotePanel({ batch, quote, onDiscard }: QuoteProps) {
  const { isBusy, run } = useOnce();
  const heading = useRef<HTMLHeadingElement>(null);
  // What was pressed to get here is gone.
  useEffect(() => heading.current?.focus(), []);
  const wallet = useResource(`wallet ${batch.id}`, (signal) => client.money.wallet(signal));
  const quoted = useResource(`quote ${batch.id}`, async (signal) => ({ of: await quote(signal) }));
  const { approvalAbove, isKnown } = useStartRule(batch);
  const { counts } = batch;
  const start = async () => {
    const { path } = place.value;
    const done = await attempt(() => startBatch(batch.id), null);
    if (done && place.value.path === path) navigate(`batches/${batch.id}`);
  };
  const discard = async () => {
    if (await attempt(() => client.batches.control(batch.id, 'cancel'), 'Discarded. Nothing was charged.')) onDiscard();
  };
  return (
    <section class="card" aria-labelledby="price">
      <header>
        <h2 id="price" tabIndex={-1} ref={heading}>
          Price
        </h2>
        <span class="soft small">The file has arrived. Nothing is checked or charged before you start.</span>
      </header>
      <div class="body stack">
        <dl class="facts">
          <div>
            <dt>Rows</dt>
            <dd>{count(counts.rows)}</dd>
          </div>
          <div>
            <dt>Cannot be checked</dt>
            <dd>{count(counts.invalid)}</dd>
          </div>
          <div>
            <dt>Same as an earlier row</dt>
            <dd>
              {count(counts.duplicate)}
              <small>not charged again</small>
            </dd>
          </div>
          <div>
            <dt>At most</dt>
            <dd>{naira(batch.quote_amount)}</dd>
          </div>
          <div>
            <dt>Balance after</dt>
            <dd>
              {wallet.data ? naira(wallet.data.available) : '–'}
              <small>the price is held already</small>
            </dd>
          </div>
        </dl>
        <Warnings of={batch.warnings ?? []} advice={ADVICE} />
        {quoted.data === null && quoted.error === null && <Waiting what="Checking the cache" />}
        {quoted.data?.of &&
          (quoted.data.of.isSample ? <Estimate batch={batch} quote={quoted.data.of} /> : <ByCheck quote={quoted.data.of} />)}
        {counts.invalid > 0 && (
          <Notice tone="warn" title={`${counted(counts.invalid, 'row')} cannot be checked.`}>
            <p>
              Rows that cannot be checked are skipped. Save them as a file, correct them, and send only that file; its columns are
              recognized.
            </p>
            <ErrorsDownload batch={batch} />
          </Notice>
        )}
        {approvalAbove !== null && (
          <p>
            This app needs a second person to approve a start above {naira(approvalAbove)}. The batch starts automatically once they have.
          </p>
        )}
        <div class="actions">
          <button
            type="button"
            class="main"
            disabled={counts.jobs === 0 || !isKnown}
            aria-disabled={isBusy}
            onClick={() => void run(start)}
          >
            {approvalAbove === null ? 'Start now' : 'Ask for approval to start'} for at most {naira(batch.quote_amount)}
          </button>
          <a class="button" href={`batches/${batch.id}`}>
            Leave it for somebody else to start
          </a>
          <button type="button" class="plain" aria-disabled={isBusy} onClick={() => void run(discard)}>
            Discard
          </button>
        </div>
      </div>
    </section>
  );
}

/** From the share of the sample's price that the cache would save. */
function Estimate({ batch, quote: { counts, quote_amount, expected_amount } }: { batch: BatchDetail; quote: Quote }) {
  if (counts.jobs === 0 || quote_amount === 0) return null;
  const hits = Math.round((counts.expected_cache_hits / counts.jobs) * 100);
  return (
    <p>
      <strong>Likely about {naira((expected_amount / quote_amount) * batch.quote_amount)}.</strong> An estimate: in a sample of{' '}
      {count(counts.jobs)} checks from the whole file, {hits} % would be answered from the cache.
    </p>
  );
}

const ByCheck = ({ quote }: { quote: Quote }) => (
  <>
    <Table
      caption="Price by check"
      rows={quote.checks}
      keyOf={({ check }) => check}
      columns={[
        { name: 'Check', isHead: true, cell: ({ check }) => checkName(check) },
        { name: 'Checks', style: 'num', cell: ({ jobs }) => count(jobs) },
        { name: 'Price', style: 'num', cell: ({ price }) => naira(price) },
        { name: 'Expected from the cache', style: 'num', cell: ({ expected_cache_hits }) => count(expected_cache_hits) },
        { name: 'Price from the cache', style: 'num', cell: ({ cached_price }) => naira(cached_price) },
        { name: 'Expected cost', style: 'num', cell: ({ expected_amount }) => naira(expected_amount) },
      ]}
    />
    {quote.counts.expected_cache_hits > 0 && (
      <p class="soft small">From the cache: Confam still has the answer of an earlier check, so nobody is asked again and it costs less.</p>
    )}
  </>
);
