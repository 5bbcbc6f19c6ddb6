import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { type RunResult, sumResults } from "./sum_results.ts";

function result(orders: number, passes: number, fails: number, p99: number): RunResult {
  return {
    script: "quote_order",
    question: "?",
    state: { testRunDurationMs: orders },
    metrics: {
      orders_executed: {
        type: "counter",
        contains: "default",
        values: { count: orders, rate: orders / 10 },
        thresholds: { "count>0": { ok: orders > 0 } },
      },
      checks: {
        type: "rate",
        contains: "default",
        values: { rate: passes / (passes + fails), passes, fails },
        thresholds: { "rate==1": { ok: fails === 0 } },
      },
      http_req_duration: {
        type: "trend",
        contains: "time",
        values: { min: p99 / 10, med: p99 / 2, "p(99)": p99 },
      },
    },
  };
}

test("sumResults() adds counts, weighs shares, and takes the worst partner's times", () => {
  const { metrics, state } = sumResults([result(100, 10, 0, 50), result(300, 20, 10, 80)]);
  assertEquals(metrics.orders_executed!.values, { count: 400, rate: 40 });
  assertEquals(metrics.checks!.values, { rate: 0.75, passes: 30, fails: 10 });
  assertEquals(metrics.http_req_duration!.values, { min: 5, med: 40, "p(99)": 80 });
  assertEquals(state, { testRunDurationMs: 300 });
});

test("sumResults() lets a threshold hold only when it held for every partner", () => {
  const { metrics } = sumResults([result(100, 10, 1, 50), result(300, 20, 0, 80)]);
  assertEquals(metrics.checks!.thresholds, { "rate==1": { ok: false } });
  assertEquals(metrics.orders_executed!.thresholds, { "count>0": { ok: true } });
  assertEquals("thresholds" in metrics.http_req_duration!, false);
});

test("sumResults() keeps a metric that only one partner has", () => {
  const odd = result(1, 1, 0, 1);
  odd.metrics.dropped = { type: "counter", contains: "default", values: { count: 2, rate: 1 } };
  assertEquals(sumResults([result(1, 1, 0, 1), odd]).metrics.dropped!.values.count, 2);
});

test("sumResults() of nothing is a mistake", () => {
  assertThrows(() => sumResults([]), RangeError);
});
