/** A batch's progress over time: a chart of its outcomes, the same numbers as text, and its changes of state. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { BatchDetail, StatusChange, Timeline } from '../../client/client.ts';
import { batchStates, clock, count, time } from '../format.ts';
import { State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { client } from '../state.ts';

type Point = Timeline['data'][number];

export function Chart({ batch }: { batch: BatchDetail }) {
  const { id, status } = batch;
  const course = useResource(`course ${id} ${status}`, async (signal) => {
    const [history, timeline] = await Promise.all([client.batches.history(id, signal), client.batches.timeline(id, signal)]);
    return { history: history.data, stored: timeline.data, readAt: Date.now() };
  });
  return (
    <section class={course.data === null && course.error === null ? 'card chart-to-come' : 'card'} aria-labelledby="history">
      <header>
        <h2 id="history">Over time</h2>
      </header>
      <Loaded of={course}>
        {({ history, stored, readAt }) => (
          <>
            <Course batch={batch} stored={stored} readAt={readAt} />
            <Table caption="Changes of the batch’s state" columns={CHANGES} rows={history} keyOf={({ at, status }) => `${at} ${status}`} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const MOVING: ReadonlySet<string> = new Set(['queued', 'running', 'canceling']);

function Course({ batch, stored, readAt }: { batch: BatchDetail; stored: Point[]; readAt: number }) {
  const seen = useSeen(batch, stored.at(-1), readAt);
  const points = useMemo(() => [...stored, ...seen], [stored, seen]);
  return (
    <>
      <Area points={points} jobs={batch.counts.jobs} />
      {points.length > 1 && (
        <details class="body">
          <summary>As numbers</summary>
          <Table caption="Outcomes so far, newest first" columns={NUMBERS} rows={rowsOf(points)} keyOf={({ at }) => at} />
        </details>
      )}
    </>
  );
}

const SEEN_MAX = 240;

/** What has come in since the timeline was read, by the service's clock: `last` is what it called now. Thinned out as it grows. */
function useSeen({ id, status, counts }: BatchDetail, last: Point | undefined, readAt: number): Point[] {
  const [seen, setSeen] = useState<Point[]>([]);
  const { found, not_found, failed, canceled } = counts;
  useEffect(() => setSeen([]), [id, readAt]);
  useEffect(() => {
    if (!last || !MOVING.has(status)) return;
    const at = new Date(Date.parse(last.at) + Date.now() - readAt).toISOString();
    setSeen((before) => {
      const kept = before.length >= SEEN_MAX ? before.filter((_, index) => index % 2 === 0) : before;
      return [...kept, { at, found, not_found, failed, canceled }];
    });
  }, [readAt, status, found, not_found, failed, canceled]);
  return seen;
}

const ROWS_MAX = 20;

/** At most as many as a person reads, always including the last. */
const rowsOf = (points: readonly Point[]): Point[] => {
  const step = Math.max(1, Math.ceil(points.length / ROWS_MAX));
  return points.toReversed().filter((_, index) => index % step === 0);
};

const WIDTH = 800;
const HEIGHT = 120;
/** Shorter times are written with seconds. */
const HOUR_MS = 3_600_000;

const SERIES = ['found', 'not_found', 'failed', 'canceled'] as const;
const STYLES = { found: 'found', not_found: 'not-found', failed: 'failed', canceled: 'canceled' } as const;

const doneAt = (point: Point): number => SERIES.reduce((sum, name) => sum + point[name], 0);

/** Areas on top of each other; drawn as SVG, so that colours come from the stylesheet and nothing is loaded for it. */
function Area({ points, jobs }: { points: Point[]; jobs: number }) {
  const shape = useMemo(() => areasOf(points, jobs), [points, jobs]);
  if (!shape) return null;
  const [first, last] = [points[0]!, points.at(-1)!];
  const written = Date.parse(last.at) - Date.parse(first.at) < HOUR_MS ? clock : time;
  return (
    <figure class="chart body">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Outcomes over time; the table below has the numbers"
      >
        {SERIES.map((name, at) => (
          <path key={name} class={STYLES[name]} d={shape[at]} />
        ))}
      </svg>
      <figcaption class="small soft">
        <span>{written(first.at)}</span>
        <span>
          {count(doneAt(last))} of {count(jobs)} done
        </span>
        <span>{written(last.at)}</span>
      </figcaption>
    </figure>
  );
}

function areasOf(points: Point[], jobs: number): string[] | null {
  const [first, last] = [points[0], points.at(-1)];
  const start = first ? Date.parse(first.at) : 0;
  const length = last ? Date.parse(last.at) - start : 0;
  if (length <= 0 || jobs === 0) return null;
  const x = ({ at }: Point) => ((Date.parse(at) - start) / length) * WIDTH;
  const y = (done: number) => HEIGHT - (done / jobs) * HEIGHT;
  const upTo = (point: Point, series: number) => SERIES.slice(0, series).reduce((sum, name) => sum + point[name], 0);
  const line = (list: Point[], series: number) =>
    list.map((point) => `${x(point).toFixed(1)} ${y(upTo(point, series)).toFixed(1)}`).join(' L ');
  return SERIES.map((_, at) => `M ${line(points, at + 1)} L ${line(points.toReversed(), at)} Z`);
}

const NUMBERS: readonly Column<Point>[] = [
  { name: 'Time', isHead: true, cell: ({ at }) => <Time at={at} isExact /> },
  { name: 'Found', style: 'num', cell: ({ found }) => count(found) },
  { name: 'Not found', style: 'num', cell: ({ not_found }) => count(not_found) },
  { name: 'Failed', style: 'num', cell: ({ failed }) => count(failed) },
  { name: 'Canceled', style: 'num', cell: ({ canceled }) => count(canceled) },
];

const CHANGES: readonly Column<StatusChange>[] = [
  { name: 'State', cell: ({ status }) => <State {...batchStates[status]} /> },
  { name: 'Since', cell: ({ at }) => <Time at={at} isExact /> },
  { name: 'Completed', style: 'num', cell: ({ counts }) => count(counts.completed) },
  { name: 'Failed', style: 'num', cell: ({ counts }) => count(counts.failed) },
  { name: 'Canceled', style: 'num', cell: ({ counts }) => count(counts.canceled) },
  { name: 'Open', style: 'num', cell: ({ counts }) => count(counts.queued + counts.leased) },
];
