import { endsOf, fixed, Hover, PLOT, type PlotSide, roundValues, ValueAxis } from "./axis.tsx";

/** A bar with a part above and a part below the line. */
export interface TwoSided {
  readonly label: string;
  readonly up: number;
  readonly down: number;
  /** Its values in words. */
  readonly text: string;
}

const HEIGHT = 200;
const LEVELS = 6;

/**
 * Bars above and below a line, in their order, from left to right in every language.
 *
 * @param alt the plot in words, for screen readers
 */
export function TwoSidedBars({ bars, alt, unit, formatValue, dir }: PlotSide & {
  bars: readonly TwoSided[];
  alt: string;
  unit: string;
  /** Formats a value of the axis, below the line too. */
  formatValue: (value: number) => string;
}) {
  const up = Math.max(...bars.map((bar) => bar.up));
  const down = Math.max(...bars.map((bar) => bar.down));
  const scale = (HEIGHT - PLOT.labels - PLOT.top) / (up + down || 1);
  const line = PLOT.top + up * scale;
  const [left, right] = endsOf({ dir });
  const step = (right - left) / bars.length;
  const labelStep = Math.ceil(bars.length / 8);
  const levels = up + down === 0 ? [0] : roundValues(-down, up, LEVELS);
  const bar = (kind: "up" | "down", n: number, value: number) =>
    value > 0 && (
      <rect
        class={kind}
        x={fixed(left + n * step + 2)}
        y={fixed(kind === "up" ? line - value * scale : line)}
        width={fixed(step - 4)}
        height={fixed(value * scale)}
      />
    );
  return (
    <svg class="plot" viewBox={`0 0 ${PLOT.width} ${HEIGHT}`} role="img" aria-label={alt}>
      <ValueAxis
        dir={dir}
        unit={unit}
        levels={levels.map((value) => [line - value * scale, formatValue(Math.abs(value))])}
      />
      {bars.map((part, n) => (
        <>
          {bar("up", n, part.up)}
          {bar("down", n, part.down)}
          {n % labelStep === 0 && (
            <text x={fixed(left + n * step + 2)} y={HEIGHT - 4}>{part.label}</text>
          )}
          <Hover
            x={left + n * step}
            width={step}
            height={HEIGHT - PLOT.labels}
            text={part.text}
          />
        </>
      ))}
      <line x1={left} x2={right} y1={fixed(line)} y2={fixed(line)} />
    </svg>
  );
}

/** One bar, divided into shares; `kind` is the CSS class that gives a part its colour. */
export function ShareBar({ parts, alt }: {
  parts: readonly { readonly kind: string; readonly share: number }[];
  alt: string;
}) {
  const whole = parts.reduce((sum, { share }) => sum + share, 0) || 1;
  let start = 0;
  return (
    <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={alt}>
      {parts.map(({ kind, share }) => {
        const [x, width] = [start, share / whole * 100];
        start += width;
        return <rect class={kind} x={fixed(x)} y="0" width={fixed(width)} height="6" />;
      })}
    </svg>
  );
}

/** A labelled period of validity; an `untilMs` of null means without an end. */
export interface Span {
  readonly label: string;
  /** It in words. */
  readonly text: string;
  readonly fromMs: number;
  readonly untilMs: number | null;
}

const ROW = 26;
const DAY_MS = 86_400_000;
/** How far a timeline goes back and ahead of now. */
const [PAST_MS, FUTURE_MS] = [60 * DAY_MS, 400 * DAY_MS];
/** The days ahead that are named below it. */
const NAMED_DAYS = [90, 180, 270, 360];

/** Spans below one another, with a line at today; `alt` is the plot in words, for screen readers. */
export function Timeline({ spans, nowMs, today, alt, formatTime }: {
  spans: readonly Span[];
  nowMs: number;
  today: string;
  alt: string;
  /** Formats a time of the axis. */
  formatTime: (ms: number) => string;
}) {
  const xOf = (ms: number) =>
    Math.min(1, Math.max(0, (ms - nowMs + PAST_MS) / (PAST_MS + FUTURE_MS))) * PLOT.width;
  const height = spans.length * ROW + PLOT.labels;
  return (
    <svg class="plot" viewBox={`0 0 ${PLOT.width} ${height}`} role="img" aria-label={alt}>
      {spans.map(({ label, text, fromMs, untilMs }, n) => {
        const [x, end] = [xOf(fromMs), untilMs === null ? PLOT.width : xOf(untilMs)];
        return (
          <>
            <rect
              class={untilMs === null ? "down" : "up"}
              x={fixed(x)}
              y={n * ROW + 4}
              width={fixed(end - x)}
              height={6}
            >
              <title>{text}</title>
            </rect>
            <text x={fixed(x)} y={n * ROW + 22}>{label}</text>
          </>
        );
      })}
      <line x1={fixed(xOf(nowMs))} x2={fixed(xOf(nowMs))} y1="0" y2={height - PLOT.labels} />
      <text x={fixed(xOf(nowMs) + 4)} y={height - 4}>{today}</text>
      {NAMED_DAYS.map((days) => nowMs + days * DAY_MS).map((ms) => (
        <>
          <line class="level" x1={fixed(xOf(ms))} x2={fixed(xOf(ms))} y1="0" y2={height - 16} />
          <text x={fixed(xOf(ms) + 4)} y={height - 4}>{formatTime(ms)}</text>
        </>
      ))}
    </svg>
  );
}
