/** What the upload costs, before any of it is spent: rows, twins, expected answers from the cache, price by check, balance after. */
import { useState } from 'preact/hooks';
import type { BatchDetail, Quote } from '../../client/client.ts';
import { startBatch } from '../batch/controls.tsx';
import { download } from '../batch/downloads.tsx';
import { checkName, count, naira } from '../format.ts';
import { Notice, Scroll, Waiting } from '../parts/common.tsx';
import { useResource } from '../parts/resource.tsx';
import { attempt } from '../parts/toasts.tsx';
import { navigate } from '../router.ts';
import { client } from '../state.ts';

/** Reading a larger file a second time, to look into the cache, takes longer than it is worth. */
const QUOTED_BYTES_MAX = 20_000_000;

interface QuoteProps {
  batch: BatchDetail;
  size: number;
  quote: (signal: AbortSignal) => Promise<Quote>;
  onDiscard: () => void;
}

export function QuotePanel({ batch, size, quote, onDiscard }: QuoteProps) {
  const [isBusy, setBusy] = useState(false);
  const wallet = useResource(`wallet ${batch.id}`, (signal) => client.money.wallet(signal));
  const isQuoted = size <= QUOTED_BYTES_MAX;
  const quoted = useResource<Quote | null>(`quote ${batch.id}`, async (signal) => (isQuoted ? quote(signal) : null));
  const { counts } = batch;
  const start = async () => {
    setBusy(true);
    const done = await attempt(() => startBatch(batch.id), null);
    setBusy(false);
    if (done) navigate(`batches/${batch.id}`);
  };
  const discard = async () => {
    setBusy(true);
    if (await attempt(() => client.batches.control(batch.id, 'cancel'), 'Discarded. Nothing was charged.')) onDiscard();
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby="price">
      <header>
        <h2 id="price">Price</h2>
        <span class="soft small">The file is here. Nothing is checked or charged before you start.</span>
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
              <small>the price is set aside already</small>
            </dd>
          </div>
        </dl>
        {isQuoted && (quoted.data === null && quoted.error === null ? <Waiting what="Looking into the cache" /> : null)}
        {quoted.data && <ByCheck quote={quoted.data} />}
        {counts.invalid > 0 && (
          <Notice tone="warn" title={`${count(counts.invalid)} rows cannot be checked.`}>
            <p>They are skipped. Save them, correct them, and send that file by itself: its columns are recognised.</p>
            <p>
              <button type="button" onClick={() => void download(batch.id, { kind: 'errors' })}>
                Save {count(counts.invalid)} rows to correct
              </button>
            </p>
          </Notice>
        )}
        <div class="actions">
          <button type="button" class="main" disabled={isBusy || counts.jobs === 0} onClick={() => void start()}>
            Start now for at most {naira(batch.quote_amount)}
          </button>
          <a class="button" href={`batches/${batch.id}`}>
            Leave it for somebody else to start
          </a>
          <button type="button" class="plain" disabled={isBusy} onClick={() => void discard()}>
            Discard
          </button>
        </div>
      </div>
    </section>
  );
}

const ByCheck = ({ quote }: { quote: Quote }) => (
  <Scroll name="Price by check">
    <table>
      <caption class="unseen">Price by check</caption>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col" class="num">
            Checks
          </th>
          <th scope="col" class="num">
            Price
          </th>
          <th scope="col" class="num">
            Expected from the cache
          </th>
          <th scope="col" class="num">
            Price from the cache
          </th>
          <th scope="col" class="num">
            Expected cost
          </th>
        </tr>
      </thead>
      <tbody>
        {quote.checks.map(({ check, jobs, price, cached_price, expected_cache_hits, expected_amount }) => (
          <tr key={check}>
            <th scope="row" class="row-name">
              {checkName(check)}
            </th>
            <td class="num">{count(jobs)}</td>
            <td class="num">{naira(price)}</td>
            <td class="num">{count(expected_cache_hits)}</td>
            <td class="num">{naira(cached_price)}</td>
            <td class="num">{naira(expected_amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
