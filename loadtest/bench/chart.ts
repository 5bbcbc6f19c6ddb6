import { GOALS } from "./goals.ts";
import type { Ratio } from "./ratio.ts";

export interface ChartNote {
  title: string;
  commit: string;
  machine: string;
}

const ROW = 34;
const TOP = 56;
const LEFT = 290;
const WIDTH = 1010;
const PLOT = 450;

/**
 * The ratios as a chart in SVG text: a row each, the goal a mark at 1, the median a bar in units of
 * the goal, min and max a whisker; to the right of the mark is always the good side. The scale is
 * logarithmic, as twice as good and half as good are equally far from the goal.
 *
 * Pure: the same ratios give the same text. Light and dark readers both see it, as it has its own
 * background.
 *
 * @param ratios at least one, all figures > 0
 */
export function chart(ratios: readonly Ratio[], note: ChartNote): string {
  const relative = ratios.flatMap((ratio) => [
    inGoals(ratio, ratio.min),
    inGoals(ratio, ratio.max),
    1,
  ]);
  const low = Math.min(0.5, ...relative) * 0.9;
  const high = Math.max(2, ...relative) * 1.1;
  const at = (value: number) =>
    LEFT + PLOT * (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));
  const height = TOP + ratios.length * ROW + 62;
  const foot = height - 22;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${
      escapeText(note.title)
    }">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="28" font-size="17" font-weight="600" fill="#1b1b1f">${
      escapeText(note.title)
    }</text>`,
    ...ratios.map((ratio, row) => drawRow(ratio, TOP + row * ROW, at)),
    `<line x1="${px(at(1))}" y1="${TOP - 8}" x2="${px(at(1))}" y2="${
      TOP + ratios.length * ROW
    }" stroke="#8a1c1c" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    `<text x="${px(at(1))}" y="${
      TOP + ratios.length * ROW + 16
    }" text-anchor="middle" fill="#8a1c1c">goal</text>`,
    `<text x="16" y="${foot}" fill="#5b5b66">commit ${escapeText(note.commit)} · ${
      escapeText(note.machine)
    }</text>`,
    `</svg>`,
    ``,
  ].join("\n");
}

function drawRow(ratio: Ratio, y: number, at: (value: number) => number): string {
  const middle = y + ROW / 2;
  const from = at(1);
  const to = at(inGoals(ratio, ratio.median));
  const colour = ratio.met ? "#b8860b" : "#a8a8b3";
  const ends = [at(inGoals(ratio, ratio.min)), at(inGoals(ratio, ratio.max))].map(px);
  return [
    `<text x="${LEFT - 10}" y="${middle + 4}" text-anchor="end" fill="#1b1b1f">${
      escapeText(ratio.name)
    }</text>`,
    `<rect x="${px(Math.min(from, to))}" y="${middle - 9}" width="${
      px(Math.max(1, Math.abs(to - from)))
    }" height="18" rx="2" fill="${colour}"/>`,
    `<line x1="${ends[0]}" y1="${middle}" x2="${
      ends[1]
    }" y2="${middle}" stroke="#1b1b1f" stroke-width="1.5"/>`,
    ...ends.map((x) =>
      `<line x1="${x}" y1="${middle - 5}" x2="${x}" y2="${
        middle + 5
      }" stroke="#1b1b1f" stroke-width="1.5"/>`
    ),
    `<text x="${LEFT + PLOT + 14}" y="${middle + 4}" fill="#1b1b1f">${figure(ratio.median)} (${
      figure(ratio.min)
    }–${figure(ratio.max)}), goal ${isAtMost(ratio) ? "≤" : "≥"} ${figure(ratio.goal)}${
      ratio.met ? "" : ", missed"
    }</text>`,
  ].join("\n");
}

/** How good a figure is in units of its goal: above 1 is met, whichever way the goal goes. */
function inGoals(ratio: Ratio, figure: number): number {
  return isAtMost(ratio) ? ratio.goal / figure : figure / ratio.goal;
}

function isAtMost({ name }: Ratio): boolean {
  return Object.values(GOALS).some((goal) => goal.name === name && goal.direction === "at most");
}

/** A ratio as people read it: three digits that count. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** A coordinate as SVG takes it. */
function px(value: number): string {
  return value.toFixed(1);
}
