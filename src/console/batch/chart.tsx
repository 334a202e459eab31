/** How a batch has gone over time: a chart of what was done, and the same as a table of its changes of state. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { BatchDetail, StatusChange } from '../../client/client.ts';
import { batchStates, clock, count, time } from '../format.ts';
import { Scroll, State, Time } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';

/** What was done at a time, by how it ended. */
interface Point {
  at: number;
  completed: number;
  failed: number;
  canceled: number;
}

const POINTS_MAX = 240;

export function Chart({ batch }: { batch: BatchDetail }) {
  const history = useResource(`history ${batch.id} ${batch.status}`, (signal) => client.batches.history(batch.id, signal));
  const seen = usePoints(batch);
  return (
    <Loaded of={history}>
      {({ data }) => (
        <section class="card" aria-labelledby="history">
          <header>
            <h2 id="history">Over time</h2>
          </header>
          <Area points={merged(data, seen)} jobs={batch.counts.jobs} />
          <Scroll name="Changes of the batch’s state">
            <HistoryTable changes={data} />
          </Scroll>
        </section>
      )}
    </Loaded>
  );
}

/** What this page has seen itself, thinned out as it grows. */
function usePoints({ id, counts }: BatchDetail): Point[] {
  const [points, setPoints] = useState<Point[]>([]);
  useEffect(() => {
    const { completed, failed, canceled } = counts;
    setPoints((before) => {
      const kept = before.length >= POINTS_MAX ? before.filter((_, at) => at % 2 === 0) : before;
      return [...kept, { at: Date.now(), completed, failed, canceled }];
    });
  }, [id, counts.completed, counts.failed, counts.canceled]);
  return points;
}

const merged = (changes: readonly StatusChange[], seen: readonly Point[]): Point[] => {
  const told = changes.map(({ at, counts }) => ({ at: Date.parse(at), ...counts }));
  const end = told.at(-1)?.at ?? 0;
  const isOver = changes.length > 0 && ['completed', 'canceled', 'failed', 'expired'].includes(changes.at(-1)!.status);
  return [...told, ...seen.filter(({ at }) => !isOver || at < end)].sort((a, b) => a.at - b.at);
};

const WIDTH = 800;
const HEIGHT = 120;
/** What took less is written with seconds. */
const HOUR_MS = 3_600_000;

const SERIES = ['completed', 'failed', 'canceled'] as const;

/** Areas on top of each other; drawn as SVG, so that colours come from the stylesheet and nothing is loaded for it. */
function Area({ points, jobs }: { points: Point[]; jobs: number }) {
  const shape = useMemo(() => areasOf(points, jobs), [points, jobs]);
  if (!shape) return null;
  const [first, last] = [points[0]!, points.at(-1)!];
  const written = (at: number) => (last.at - first.at < HOUR_MS ? clock : time)(new Date(at).toISOString());
  return (
    <figure class="chart body">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Checks that were done over time; the table below has the numbers"
      >
        {SERIES.map((name, at) => (
          <path key={name} class={name} d={shape[at]} />
        ))}
      </svg>
      <figcaption class="small soft">
        <span>{written(first.at)}</span>
        <span>
          {count(last.completed)} of {count(jobs)} done
        </span>
        <span>{written(last.at)}</span>
      </figcaption>
    </figure>
  );
}

function areasOf(points: Point[], jobs: number): string[] | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || last.at - first.at < 1_000 || jobs === 0) return null;
  const x = ({ at }: Point) => ((at - first.at) / (last.at - first.at)) * WIDTH;
  const y = (done: number) => HEIGHT - (done / jobs) * HEIGHT;
  const upTo = (point: Point, series: number) => SERIES.slice(0, series).reduce((sum, name) => sum + point[name], 0);
  const line = (list: Point[], series: number) =>
    list.map((point) => `${x(point).toFixed(1)} ${y(upTo(point, series)).toFixed(1)}`).join(' L ');
  return SERIES.map((_, at) => `M ${line(points, at + 1)} L ${line(points.toReversed(), at)} Z`);
}

const HistoryTable = ({ changes }: { changes: readonly StatusChange[] }) => (
  <table>
    <caption class="unseen">Changes of the batch’s state</caption>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Since</th>
        <th scope="col" class="num">
          Completed
        </th>
        <th scope="col" class="num">
          Failed
        </th>
        <th scope="col" class="num">
          Canceled
        </th>
        <th scope="col" class="num">
          Open
        </th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ status, at, counts }, index) => (
        <tr key={index}>
          <td>
            <State {...batchStates[status]} />
          </td>
          <td>
            <Time at={at} />
          </td>
          <td class="num">{count(counts.completed)}</td>
          <td class="num">{count(counts.failed)}</td>
          <td class="num">{count(counts.canceled)}</td>
          <td class="num">{count(counts.queued + counts.leased)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
