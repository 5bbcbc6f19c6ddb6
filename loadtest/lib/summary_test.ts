import { existsSync } from "node:fs";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { summarise, type SummaryData, summaryText } from "./summary.ts";

const DATA: SummaryData = {
  metrics: {
    replays_accepted: {
      type: "counter",
      contains: "default",
      values: { count: 1, rate: 0.5 },
      thresholds: { "count==0": { ok: false } },
    },
    "http_req_duration{kind:order}": {
      type: "trend",
      contains: "time",
      values: { max: 9, "p(99)": 8.25, avg: 3, med: 2 },
      thresholds: { "p(99)<500": { ok: true } },
    },
    data_sent: { type: "counter", contains: "data", values: { count: 1, rate: 1 } },
  },
};

test("summaryText() states the question, each threshold and the verdict", () => {
  const text = summaryText("nonce_store", "is it?", DATA);
  assertStringIncludes(text, "nonce_store: is it?");
  assertStringIncludes(text, "FAILED count==0");
  assertStringIncludes(text, "ok     p(99)<500");
  assertStringIncludes(text, "avg 3 ms  med 2 ms  p(99) 8.25 ms  max 9 ms");
  assertStringIncludes(text, "no: a threshold failed");
  assertEquals(text.includes("data_sent"), false);
});

test("summarise() writes the same as JSON for programs", () => {
  const files = summarise("smoke", "is it?", DATA, "/results/smoke.json");
  const json = JSON.parse(files["/results/smoke.json"]!);
  assertEquals(json.script, "smoke");
  assertEquals(json.metrics.replays_accepted.values.count, 1);
});

test("the folder that summaries go to by default comes with the repository, as k6 makes none", () => {
  assert(existsSync(new URL("../results/.gitignore", import.meta.url)));
});
