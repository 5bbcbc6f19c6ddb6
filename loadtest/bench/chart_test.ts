import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chart, figure } from "./chart.ts";
import { GOALS } from "./goals.ts";

const RATIOS = [
  { name: "orders ÷ pgbench", median: 1.3, min: 1.1, max: 1.5, goal: 1, met: true },
  { name: GOALS.tailHot.name, median: 5, min: 4.5, max: 6, goal: 4, met: false },
];
const NOTE = { title: "Goals <met>", commit: "abc1234", machine: '2 cores, "EPYC"' };

test("chart() draws a row a ratio, its spread, its goal, and who measured it", () => {
  const svg = chart(RATIOS, NOTE);
  assertStringIncludes(svg, "orders ÷ pgbench");
  assertStringIncludes(svg, "1.30 (1.10–1.50), goal ≥ 1.00");
  assertStringIncludes(svg, "5.00 (4.50–6.00), goal ≤ 4.00, missed");
  assertStringIncludes(svg, "commit abc1234");
  assertEquals(svg, chart(RATIOS, NOTE));
});

test("chart() writes text that XML may hold", () => {
  const svg = chart(RATIOS, NOTE);
  assertStringIncludes(svg, "Goals &lt;met>");
  assertStringIncludes(svg, "&quot;EPYC&quot;");
  assert(!svg.includes("NaN"));
});

test("chart() puts what meets its goal right of the mark, whichever way the goal goes", () => {
  const isRight = (name: string, median: number) => {
    const svg = chart([{ name, median, min: median, max: median, goal: 2, met: true }], NOTE);
    const bar = /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="18"/.exec(svg)!;
    const mark = /<line x1="([\d.]+)"[^>]*stroke-dasharray/.exec(svg)!;
    assert(Number(bar[2]) > 10);
    return bar[1] === mark[1];
  };
  assertEquals(isRight("at least", 4), true);
  assertEquals(isRight("at least", 1), false);
  assertEquals(isRight(GOALS.envoyShare.name, 1), true);
  assertEquals(isRight(GOALS.envoyShare.name, 4), false);
});

test("figure() keeps three digits that count", () => {
  assertEquals([figure(0.954), figure(12.34), figure(123.4)], ["0.95", "12.3", "123"]);
});
