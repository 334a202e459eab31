/** Which checks are made: those that the file has columns for come first. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Preview } from '../../client/client.ts';
import type { Price } from '../../client/money.ts';
import { checkName, naira } from '../format.ts';
import { mode } from '../state.ts';

interface ChecksProps {
  preview: Preview;
  prices: readonly Price[];
  /** Checks that somebody answers in this mode. */
  available: ReadonlySet<string>;
  chosen: readonly string[];
  onChoose: (checks: string[]) => void;
}

export function Checks({ preview, prices, available, chosen, onChoose }: ChecksProps) {
  const suggested = new Set(preview.suggested_checks.map(({ check }) => check));
  const isFirst = ({ check }: Price) => suggested.has(check) || chosen.includes(check);
  const first = prices.filter(isFirst);
  const isComplete = prices.every(({ check }) => available.has(check));
  const others = prices.filter((price) => !isFirst(price));
  const section = useRef<HTMLElement>(null);
  const toggled = useRef<string | null>(null);
  // A check that is chosen moves from one list to the other. The focus goes with it, or to the heading of the others if they are closed.
  useLayoutEffect(() => {
    const check = toggled.current;
    toggled.current = null;
    if (check === null || document.activeElement !== document.body) return;
    const box = section.current!.querySelector<HTMLInputElement>(`input[value="${check}"]`);
    box?.focus();
    if (document.activeElement !== box) section.current!.querySelector('summary')?.focus();
  });
  const list = (some: readonly Price[]) => (
    <div class="checks">
      {some.map(({ check, summary, price, cached_price }) => (
        <label key={check}>
          <input
            type="checkbox"
            value={check}
            checked={chosen.includes(check)}
            disabled={!available.has(check) && !chosen.includes(check)}
            onChange={({ currentTarget }) => {
              toggled.current = check;
              onChoose(currentTarget.checked ? [...chosen, check] : chosen.filter((one) => one !== check));
            }}
          />
          <span>
            <strong>{checkName(check)}</strong> {available.has(check) ? <span class="nowrap">{naira(price)}</span> : '– not configured'}
            <span class="soft small">
              {summary}
              {cached_price < price ? ` · ${naira(cached_price)} from the cache` : ''}
            </span>
          </span>
        </label>
      ))}
    </div>
  );
  return (
    <section ref={section} class="card" aria-labelledby="checks">
      <header>
        <h2 id="checks">What to check</h2>
      </header>
      <div class="body stack">
        {first.length > 0 ? (
          list(first)
        ) : isComplete ? (
          <p>No check has all its columns in this file. Choose one, and say which column it needs.</p>
        ) : (
          <p>
            None of the checks that are configured in {mode.value} mode has all its columns in this file. Choose one, and say which column
            it needs, or ask your operator to set up a vendor for the others.
          </p>
        )}
        {others.length > 0 && (
          <details open={first.length === 0}>
            <summary>Other checks</summary>
            {list(others)}
          </details>
        )}
      </div>
    </section>
  );
}
