import { escape, figure, px } from "./chart.ts";
import type { Spread } from "./statistics.ts";

/** What orders of a partner with a past come to. */
export interface CurvePoint extends Spread {
  /** Orders that it had before; the spread is of the rate in units of a partner's without any. */
  orders: number;
  /** Bytes of the database's log for each order. */
  logBytes: number;
}

const WIDTH = 760;
const HEIGHT = 320;
const PLOT = { left: 64, right: 700, top: 60, bottom: 240 };

/**
 * How the rate of a partner's orders goes with how many it has, as SVG text: the medians as a line,
 * min and max as whiskers, 1 as a dashed line; the number of orders is logarithmic.
 *
 * Pure: the same points give the same text.
 *
 * @param points at least one, in any order
 */
export function curve(
  points: readonly CurvePoint[],
  note: { commit: string; machine: string },
): string {
  const sorted = points.toSorted((one, other) => one.orders - other.orders);
  const [first, last] = [Math.log10(sorted[0]!.orders), Math.log10(sorted.at(-1)!.orders)];
  const x = (orders: number) =>
    PLOT.left + 40 +
    (PLOT.right - PLOT.left - 80) * (Math.log10(orders) - first) / (last - first || 1);
  const high = Math.max(1.2, ...sorted.map(({ max }) => max));
  const y = (ratio: number) => PLOT.bottom - (PLOT.bottom - PLOT.top) * ratio / high;
  const title = "Orders a second of a partner by how many it has, ÷ those of one without any";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${
      escape(title)
    }">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="16" y="28" font-size="15" font-weight="600" fill="#1b1b1f">${escape(title)}</text>`,
    ...[0, 0.5, 1].map((ratio) =>
      `<text x="${PLOT.left - 10}" y="${px(y(ratio) + 4)}" text-anchor="end" fill="#5b5b66">${
        figure(ratio)
      }</text><line x1="${PLOT.left}" y1="${px(y(ratio))}" x2="${PLOT.right}" y2="${
        px(y(ratio))
      }" stroke="${ratio === 1 ? "#8a1c1c" : "#d8d8de"}"${
        ratio === 1 ? ' stroke-dasharray="4 3"' : ""
      }/>`
    ),
    `<polyline points="${
      sorted.map(({ orders, median }) => `${px(x(orders))},${px(y(median))}`).join(" ")
    }" fill="none" stroke="#b8860b" stroke-width="2.5"/>`,
    ...sorted.flatMap(({ orders, median, min, max, logBytes }) => [
      `<line x1="${px(x(orders))}" y1="${px(y(min))}" x2="${px(x(orders))}" y2="${
        px(y(max))
      }" stroke="#1b1b1f" stroke-width="1.5"/>`,
      `<circle cx="${px(x(orders))}" cy="${px(y(median))}" r="4" fill="#b8860b"/>`,
      ...[orders.toLocaleString("en"), figure(median), `${logBytes.toFixed(0)} bytes of log`].map((
        line,
        at,
      ) =>
        `<text x="${px(x(orders))}" y="${
          PLOT.bottom + 18 + at * 16
        }" text-anchor="middle" fill="#1b1b1f">${line}</text>`
      ),
    ]),
    `<text x="16" y="${HEIGHT - 12}" fill="#5b5b66">commit ${escape(note.commit)} · ${
      escape(note.machine)
    }</text>`,
    `</svg>`,
    ``,
  ].join("\n");
}
