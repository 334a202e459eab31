/** A progress line on standard error: redrawn in a terminal, else a line every ten seconds. */
import { duration } from './text.ts';

export interface Progress {
  done: number;
  total: number;
  /** `18.2 MB of 35 MB` */
  said: string;
  /** `4.1 MB/s` */
  rate?: string | null;
  secondsLeft?: number | null;
  /** Ends the line. */
  also?: string;
}

export interface Bar {
  show(progress: Progress): void;
  /** Leaves the last state on the screen and goes to a new line. */
  end(): void;
}

const REDRAW_MS = 100;
const REPEAT_MS = 10_000;
const CELLS = 24;

/** Draws nothing with `--json` outside a terminal, where programs read. */
export function openBar(label: string, { isJson = false } = {}): Bar {
  const { stderr } = process;
  const isTerminal = stderr.isTTY === true;
  if (isJson && !isTerminal) return { show() {}, end() {} };
  let last: Progress | null = null;
  let shownAt = 0;
  const draw = () => {
    if (last === null) return;
    shownAt = performance.now();
    const text = lineOf(label, last, isTerminal);
    stderr.write(isTerminal ? `\r${text.slice(0, Math.max(20, (stderr.columns || 100) - 1))}\x1b[K` : `${text}\n`);
  };
  return {
    show(progress) {
      last = progress;
      if (performance.now() - shownAt >= (isTerminal ? REDRAW_MS : REPEAT_MS)) draw();
    },
    end() {
      draw();
      if (isTerminal && last !== null) stderr.write('\n');
      last = null;
    },
  };
}

function lineOf(label: string, { done, total, said, rate, secondsLeft, also }: Progress, isTerminal: boolean): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(part * CELLS);
  const bar = isTerminal ? [`[${'='.repeat(full)}${' '.repeat(CELLS - full)}]`] : [];
  const percent = `${(Math.floor(part * 1000) / 10).toFixed(1).padStart(5)} %`;
  const left = secondsLeft === null || secondsLeft === undefined || part === 1 ? [] : [`${duration(secondsLeft)} left`];
  return [label, ...bar, percent, said, ...(rate ? [rate] : []), ...left, ...(also ? [also] : [])].join('  ');
}
