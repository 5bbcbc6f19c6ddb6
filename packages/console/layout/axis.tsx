/** The size of a plot in its own units, with the room for the values beside it and the labels below it. */
export const PLOT = { width: 720, values: 88, labels: 22, top: 20 } as const;

/** The side of a plot at which its values stand: where the reader's lines begin. */
export interface PlotSide {
  readonly dir: "ltr" | "rtl";
}

/** Returns the left and right end of what a plot draws beside the values of its axis. */
export function endsOf({ dir }: PlotSide): [left: number, right: number] {
  return dir === "rtl" ? [0, PLOT.width - PLOT.values] : [PLOT.values, PLOT.width];
}

/** Lines across a plot at some values, each with its value, and the unit above them. */
export function ValueAxis({ levels, unit, dir }: PlotSide & {
  /** The values as text, each with its height in the plot. */
  levels: readonly (readonly [y: number, text: string])[];
  unit: string;
}) {
  const [left, right] = endsOf({ dir });
  const x = dir === "rtl" ? PLOT.width : left - 8;
  return (
    <>
      {levels.map(([y, text]) => (
        <>
          <line class="level" x1={left} x2={right} y1={fixed(y)} y2={fixed(y)} />
          <text class="value" x={x} y={fixed(y + 4)}>{text}</text>
        </>
      ))}
      <text class="value" x={x} y="10">{unit}</text>
    </>
  );
}

/** A part of a plot that says its values when the pointer is on it. */
export function Hover({ x, width, height, text }: {
  x: number;
  width: number;
  height: number;
  text: string;
}) {
  return (
    <rect class="hover" x={fixed(x)} y="0" width={fixed(width)} height={height}>
      <title>{text}</title>
    </rect>
  );
}

/** Returns the round values between two, at most `most` of them. */
export function roundValues(from: number, to: number, most: number): number[] {
  const least = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) ?? least;
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: count }, (_, n) => (first + n) * step);
}

/** Writes a coordinate in a plot, with at most two decimals. */
export const fixed = (value: number) => String(Math.round(value * 100) / 100);
