import { fixed } from "./plots.tsx";

/** A line's values in a span of time. */
export interface PlottedSpan {
  readonly startMs: number;
  readonly least: number;
  readonly most: number;
  readonly last: number;
}

const WIDTH = 720;
const HEIGHT = 240;
/** Space below the plot, for the times of the axis. */
const AXIS = 22;
const TOP = 8;
/** Space at the left, for the values of the axis. */
const GUTTER = 56;
const TICKS = 6;
const LINES = 4;

/**
 * A line over time in front of a band from the lowest to the highest value, both interrupted where spans
 * are missing. Time runs from left to right in every language.
 *
 * @param spans not empty, oldest first
 * @param lengthMs how long a span is
 * @param alt the plot in words, for screen readers
 */
export function LinePlot({ spans, fromMs, toMs, lengthMs, alt, formatTime, formatValue }: {
  spans: readonly PlottedSpan[];
  fromMs: number;
  toMs: number;
  lengthMs: number;
  alt: string;
  /** Formats a time of the axis. */
  formatTime: (ms: number) => string;
  /** Formats a value of the axis. */
  formatValue: (value: number) => string;
}) {
  const [least, most] = boundsOf(spans);
  const x = (ms: number) => fixed(GUTTER + (ms - fromMs) / (toMs - fromMs) * (WIDTH - GUTTER));
  const y = (value: number) => fixed(TOP + (most - value) / (most - least) * (HEIGHT - AXIS - TOP));
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
  const levels = Array.from({ length: LINES }, (_, n) => least + n * (most - least) / (LINES - 1));
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={alt}>
      {levels.map((level) => (
        <line class="level" x1={GUTTER} x2={WIDTH} y1={y(level)} y2={y(level)} />
      ))}
      {runs.map((run) => <polygon class="band" points={band(run)} />)}
      <path class="course" d={runs.map(line).join("")} />
      {levels.map((level) => <text x="0" y={Number(y(level)) + 4}>{formatValue(level)}</text>)}
      {Array.from({ length: TICKS }, (_, n) =>
        fromMs + n * (toMs - fromMs) / TICKS)
        .map((ms) => <text x={x(ms)} y={HEIGHT - 4}>{formatTime(ms)}</text>)}
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
