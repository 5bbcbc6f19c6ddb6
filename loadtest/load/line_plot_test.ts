import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { linePlot, shortFigure, ticksUpTo } from "./line_plot.ts";

test("ticksUpTo() goes from 0 in round steps to at least the highest value", () => {
  assertEquals(ticksUpTo(97), [0, 50, 100]);
  assertEquals(ticksUpTo(4), [0, 1, 2, 3, 4]);
  assertEquals(ticksUpTo(0.7), [0, 0.2, 0.4, 0.6, 0.8]);
  assertEquals(ticksUpTo(0), [0, 0.5, 1]);
});

test("shortFigure() has three digits that count", () => {
  assertEquals([0, 0.12345, 97.44, 12_345, 2_500_000].map(shortFigure), [
    ...["0", "0.123", "97.4", "12.3 k", "2.5 M"],
  ]);
});

test("linePlot() draws every line within its frame, and says it in words", () => {
  const svg = linePlot({
    ...{ title: "Times", unit: "ms", seconds: 3 },
    lines: [
      { name: "p(99) <all>", points: [[1, 20], [2, 80], [3, 40]] },
      { name: "once", points: [[2, 10]] },
      { name: "never", points: [] },
    ],
  });
  assertStringIncludes(
    svg,
    `aria-label="Times. p(99) &lt;all>: 20 to 80 ms; once: 10 to 10 ms; never: nothing"`,
  );
  const [, points = ""] = /points="([^"]+)"/.exec(svg) ?? [];
  const [, width, height] = /viewBox="0 0 ([0-9]+) ([0-9]+)"/.exec(svg)!.map(Number);
  for (const point of points.split(" ")) {
    const [x, y] = point.split(",").map(Number);
    assert(x! >= 0 && x! <= width! && y! >= 0 && y! <= height!, point);
  }
  assertStringIncludes(svg, "<circle");
});
