/** A bar with a part above and a part below the line. */
export interface TwoSided {
  readonly label: string;
  readonly up: number;
  readonly down: number;
}

const WIDTH = 720;
const HEIGHT = 180;
const AXIS = 20;

/**
 * Bars above and below a line, in their order, from left to right in every language.
 *
 * @param alt the plot in words, for screen readers
 */
export function TwoSidedBars({ bars, alt }: { bars: readonly TwoSided[]; alt: string }) {
  const [up, down] = [
    Math.max(...bars.map((bar) => bar.up)),
    Math.max(...bars.map((bar) => bar.down)),
  ];
  const scale = (HEIGHT - AXIS) / (up + down || 1);
  const line = up * scale;
  const step = WIDTH / bars.length;
  const labelStep = Math.ceil(bars.length / 8);
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={alt}>
      {bars.map((bar, n) => (
        <>
          {bar.up > 0 && (
            <rect
              class="up"
              x={fixed(n * step + 2)}
              y={fixed(line - bar.up * scale)}
              width={fixed(step - 4)}
              height={fixed(bar.up * scale)}
            />
          )}
          {bar.down > 0 && (
            <rect
              class="down"
              x={fixed(n * step + 2)}
              y={fixed(line)}
              width={fixed(step - 4)}
              height={fixed(bar.down * scale)}
            />
          )}
          {n % labelStep === 0 && <text x={fixed(n * step + 2)} y={HEIGHT - 4}>{bar.label}</text>}
        </>
      ))}
      <line x1="0" x2={WIDTH} y1={fixed(line)} y2={fixed(line)} />
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

/** Writes a coordinate in a plot, with at most two decimals. */
export const fixed = (value: number) => String(Math.round(value * 100) / 100);

/** A labelled period of validity; an `untilMs` of null means without an end. */
export interface Span {
  readonly label: string;
  readonly fromMs: number;
  readonly untilMs: number | null;
}

const ROW = 26;
const DAY_MS = 86_400_000;
/** How far a timeline goes back and ahead of now. */
const [PAST_MS, FUTURE_MS] = [60 * DAY_MS, 400 * DAY_MS];

/** Spans below one another, with a line at today; `alt` is the plot in words, for screen readers. */
export function Timeline({ spans, nowMs, today, alt }: {
  spans: readonly Span[];
  nowMs: number;
  today: string;
  alt: string;
}) {
  const xOf = (ms: number) =>
    Math.min(1, Math.max(0, (ms - nowMs + PAST_MS) / (PAST_MS + FUTURE_MS))) * WIDTH;
  const height = spans.length * ROW + AXIS;
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={alt}>
      {spans.map(({ label, fromMs, untilMs }, n) => {
        const [x, end] = [xOf(fromMs), untilMs === null ? WIDTH : xOf(untilMs)];
        return (
          <>
            <rect
              class={untilMs === null ? "down" : "up"}
              x={fixed(x)}
              y={n * ROW + 4}
              width={fixed(end - x)}
              height={6}
            />
            <text x={fixed(x)} y={n * ROW + 22}>{label}</text>
          </>
        );
      })}
      <line x1={fixed(xOf(nowMs))} x2={fixed(xOf(nowMs))} y1="0" y2={height - AXIS} />
      <text x={fixed(xOf(nowMs) + 4)} y={height - 4}>{today}</text>
    </svg>
  );
}
