/** A line of a plot. */
export interface PlotLine {
  name: string;
  /** Second of the run and value, in the order of time. */
  points: readonly (readonly [second: number, value: number])[];
}

/** Lines over the seconds of a run. */
export interface Plot {
  title: string;
  /** Of the values: "ms", "a second", "%". */
  unit: string;
  lines: readonly PlotLine[];
  /** The whole run's length in seconds, so that plots below one another line up. */
  seconds: number;
}

const WIDTH = 920;
const HEIGHT = 220;
const LEFT = 64;
const RIGHT = 170;
const TOP = 12;
const BOTTOM = 28;
/** Told apart by those who see no red or no green too (Okabe and Ito). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"];

/** A plot as SVG, with a text for those who do not see it. Pure: the same plot gives the same text. */
export function linePlot({ title, unit, lines, seconds }: Plot): string {
  const highest = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const ticks = ticksUpTo(highest);
  const top = ticks.at(-1)!;
  const x = (second: number) => LEFT + (WIDTH - LEFT - RIGHT) * second / Math.max(1, seconds);
  const y = (value: number) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
  const drawn = lines.map(({ name, points }, nth) => {
    const colour = COLOURS[nth % COLOURS.length];
    const path = points.map(([second, value]) => `${px(x(second))},${px(y(value))}`).join(" ");
    const dots = points.length === 1
      ? `<circle cx="${px(x(points[0]![0]))}" cy="${px(y(points[0]![1]))}" r="3" fill="${colour}"/>`
      : "";
    const at = TOP + 8 + nth * 18;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.8"/>${dots}` +
      `<rect x="${WIDTH - RIGHT + 14}" y="${at - 5}" width="14" height="3" fill="${colour}"/>` +
      `<text x="${WIDTH - RIGHT + 34}" y="${at}">${escapeText(name)}</text>`;
  });
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${
      escapeText(inWords({ title, unit, lines, seconds }))
    }">`,
    ...ticks.map((tick) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${px(y(tick))}" y2="${
        px(y(tick))
      }"/>` +
      `<text x="${LEFT - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${shortFigure(tick)}</text>`
    ),
    ...ticksUpTo(seconds).filter((tick) => tick <= seconds).map((tick) =>
      `<text x="${px(x(tick))}" y="${HEIGHT - 8}" text-anchor="middle">${
        shortFigure(tick)
      } s</text>`
    ),
    ...drawn,
    `</svg>`,
  ].join("\n");
}

function inWords({ title, unit, lines }: Plot): string {
  const ranges = lines.map(({ name, points }) => {
    const values = points.map(([, value]) => value);
    if (values.length === 0) return `${name}: nothing`;
    return `${name}: ${shortFigure(Math.min(...values))} to ${
      shortFigure(Math.max(...values))
    } ${unit}`;
  });
  return `${title}. ${ranges.join("; ")}`;
}

/** From 0 in equal steps of 1, 2 or 5 times a power of ten, to at least `highest`; never 0 alone. */
export function ticksUpTo(highest: number): number[] {
  const rough = (highest > 0 ? highest : 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough)!;
  const count = Math.max(1, Math.ceil((highest > 0 ? highest : 1) / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, nth) => Number((nth * step).toPrecision(12)));
}

/** A figure for people: three digits that count, thousands as k. */
export function shortFigure(value: number): string {
  if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
}

/** Text for HTML and SVG. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** A coordinate as SVG takes it. */
export function px(value: number): string {
  return value.toFixed(1);
}
