/** Days of a chart, and its columns for each: `values` has as many as there are days, null where nothing is known. */
interface ChartProps {
  readonly caption: string;
  /** What the vertical axis counts. */
  readonly unit: string;
  /** Such as 2026-11-23. */
  readonly dates: readonly string[];
  /** Two at most: one dark, one lighter. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

const [WIDTH, HEIGHT] = [640, 200];
/** Of the area with the columns. */
const AREA = { left: 48, right: 640, top: 32, bottom: 176 } as const;
const COLOURS = ["dark", "light"] as const;
const STEPS = 4;

/** The axis' end: the next 1, 2 or 5 times a power of ten for each step. @param most at least 0 */
export const axisEnd = (most: number): number => {
  const step = Math.max(most, STEPS) / STEPS;
  const power = 10 ** Math.floor(Math.log10(step));
  const round = [1, 2, 5, 10].find((each) => each * power >= step) ?? 10;
  return round * power * STEPS;
};

const shown = (value: number): string => String(Number(value.toPrecision(3)));

/** Columns by day over an axis from 0, with a legend. The numbers are in the table below it, which readers of screens have. */
export const Chart = ({ caption, unit, dates, series }: ChartProps) => {
  const end = axisEnd(Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const heightOf = (value: number): number => (value / end) * (AREA.bottom - AREA.top);
  const day = (AREA.right - AREA.left) / dates.length;
  const column = (day * 0.7) / series.length;
  return (
    // Wider than a phone: it scrolls by itself, by keys too.
    <section class="scrolls" tabindex={0} aria-label={`Chart: ${caption}`}>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={`${caption}, in ${unit}, by day`}
      >
        <text x="0" y="12">
          {unit}
        </text>
        {series.map(({ name }, index) => (
          <>
            <rect class={COLOURS[index]} x={AREA.left + 120 + index * 120} y="3" width="10" height="10" />
            <text x={AREA.left + 136 + index * 120} y="12">
              {name}
            </text>
          </>
        ))}
        {Array.from({ length: STEPS + 1 }, (_, step) => (end * step) / STEPS).map((value) => {
          const y = AREA.bottom - heightOf(value);
          return (
            <>
              <line x1={AREA.left} x2={AREA.right} y1={y} y2={y} />
              <text x={AREA.left - 8} y={y + 4} text-anchor="end">
                {shown(value)}
              </text>
            </>
          );
        })}
        {dates.map((date, index) => (
          <text x={AREA.left + (index + 0.5) * day} y={HEIGHT - 8} text-anchor="middle">
            {date.slice(5)}
          </text>
        ))}
        {series.map(({ values }, place) =>
          values.map((value, index) => {
            const height = heightOf(value ?? 0);
            const x = AREA.left + index * day + day * 0.15 + place * column;
            return value ? (
              <rect class={COLOURS[place]} x={x} y={AREA.bottom - height} width={column} height={height} />
            ) : null;
          }),
        )}
      </svg>
    </section>
  );
};
