/** A bar for each day. The numbers stand in a table beside it; drawn as SVG, so that colours come from the stylesheet. */

export interface Bar {
  /** YYYY-MM-DD */
  day: string;
  value: number;
}

const WIDTH = 800;
const HEIGHT = 120;
const GAP = 0.2;

export function Bars({ bars, name, write }: { bars: readonly Bar[]; name: string; write: (value: number) => string }) {
  const max = Math.max(...bars.map(({ value }) => value));
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  const step = WIDTH / bars.length;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${name}; the table has the numbers`}>
        {bars.map(({ day, value }, at) => {
          const height = max === 0 ? 0 : (value / max) * (HEIGHT - 4);
          return (
            <rect key={day} x={at * step + (step * GAP) / 2} y={HEIGHT - height} width={step * (1 - GAP)} height={height}>
              <title>{`${dayOf(day)}: ${write(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="small soft">
        <span>{dayOf(first.day)}</span>
        <span>highest day {write(max)}</span>
        <span>{dayOf(last.day)}</span>
      </figcaption>
    </figure>
  );
}

const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });

/** `22 Nov 2026` */
export const dayOf = (day: string): string => days.format(new Date(day)).replace('Sept', 'Sep');
