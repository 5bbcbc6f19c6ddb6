import { endsOf, fixed, Hover, PLOT, type PlotSide, roundValues, ValueAxis } from "./axis.tsx";

/** A line's values in a span of time. */
export interface PlottedSpan {
  readonly startMs: number;
  readonly least: number;
  readonly most: number;
  readonly last: number;
}

const HEIGHT = 240;
const TICKS = 6;
const LEVELS = 5;

/**
 * A line over time in front of a band from the lowest to the highest value, both interrupted where spans
 * are missing. Time runs from left to right in every language.
 *
 * @param spans not empty, oldest first
 * @param lengthMs how long a span is
 * @param alt the plot in words, for screen readers
 */
export function LinePlot(
  { spans, fromMs, toMs, lengthMs, alt, unit, textOf, formatTime, formatValue, dir }: PlotSide & {
    spans: readonly PlottedSpan[];
    fromMs: number;
    toMs: number;
    lengthMs: number;
    alt: string;
    /** The unit of its values. */
    unit: string;
    /** A span's values in words. */
    textOf: (span: PlottedSpan) => string;
    /** Formats a time of the axis. */
    formatTime: (ms: number) => string;
    /** Formats a value of the axis. */
    formatValue: (value: number) => string;
  },
) {
  const [least, most] = boundsOf(spans);
  const [left, right] = endsOf({ dir });
  const bottom = HEIGHT - PLOT.labels;
  const xOf = (ms: number) => left + (ms - fromMs) / (toMs - fromMs) * (right - left);
  const yOf = (value: number) => PLOT.top + (most - value) / (most - least) * (bottom - PLOT.top);
  const x = (ms: number) => fixed(xOf(ms));
  const y = (value: number) => fixed(yOf(value));
  const runs = runsOf(spans, lengthMs);
  const middle = (span: PlottedSpan) => x(span.startMs + lengthMs / 2);
  const band = (run: readonly PlottedSpan[]) =>
    [
      ...run.map((span) => `${middle(span)},${y(span.most)}`),
      ...run.toReversed().map((span) => `${middle(span)},${y(span.least)}`),
    ].join(" ");
  // With its round ends, a line without length is a dot.
  const line = ([first, ...rest]: readonly PlottedSpan[]) =>
    `M${middle(first!)},${y(first!.last)}` +
    (rest.length === 0 ? "h0" : rest.map((span) => `L${middle(span)},${y(span.last)}`).join(""));
  return (
    <svg class="plot" viewBox={`0 0 ${PLOT.width} ${HEIGHT}`} role="img" aria-label={alt}>
      <ValueAxis
        dir={dir}
        unit={unit}
        levels={roundValues(least, most, LEVELS).map((value) => [yOf(value), formatValue(value)])}
      />
      {runs.map((run) => <polygon class="band" points={band(run)} />)}
      <path class="course" d={runs.map(line).join("")} />
      {Array.from({ length: TICKS }, (_, n) => fromMs + n * (toMs - fromMs) / TICKS)
        .map((ms) => <text x={x(ms)} y={HEIGHT - 4}>{formatTime(ms)}</text>)}
      {spans.map((span) => (
        <Hover
          x={xOf(span.startMs)}
          width={xOf(span.startMs + lengthMs) - xOf(span.startMs)}
          height={bottom}
          text={textOf(span)}
        />
      ))}
    </svg>
  );
}

/** Returns the bounds of the axis, with room below and above, also for a price that does not change. */
function boundsOf(spans: readonly PlottedSpan[]): [least: number, most: number] {
  const least = Math.min(...spans.map((span) => span.least));
  const most = Math.max(...spans.map((span) => span.most));
  const room = (most - least || most / 100 || 1) * 0.1;
  return [least - room, most + room];
}

/** Splits spans into runs that follow one another without a gap. */
function runsOf(spans: readonly PlottedSpan[], lengthMs: number): PlottedSpan[][] {
  const runs: PlottedSpan[][] = [];
  for (const [n, span] of spans.entries()) {
    const follows = n > 0 && span.startMs - spans[n - 1]!.startMs === lengthMs;
    if (follows) runs.at(-1)!.push(span);
    else runs.push([span]);
  }
  return runs;
}
