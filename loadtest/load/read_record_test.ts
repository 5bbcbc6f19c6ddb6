import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { mergeRecords, readRecord } from "./read_record.ts";

/** As k6 2.2 writes it; a metric that is measured later takes its place by name. */
const RECORD = [
  `{"event":"param","data":{"thresholds":{"aaa_late":["count<5"]},"period":1000,"aggregates":{"counter":["count","rate"],"gauge":["value"],"rate":["rate"],"trend":["avg","max","med","min","p(90)","p(95)","p(99)"]}}}`,
  `{"event":"metric","data":{"time":{"type":"gauge","contains":"time"}}}`,
  `{"event":"start","data":[[1795247020098]]}`,
  `{"event":"metric","data":{"good_iterations":{"type":"rate","custom":true},"iterations":{"type":"counter"},"trade_duration":{"type":"trend","contains":"time","custom":true}}}`,
  `{"event":"cumulative","data":[[1],[9,9],[1795247021118],[51.4,98.9,54.9,5.3,88.6,93.8,97.9]]}`,
  `{"event":"snapshot","data":[[1],[9,9],[1795247021118],[51.4,98.9,54.9,5.3,88.6,93.8,97.9]]}`,
  `{"event":"metric","data":{"aaa_late":{"type":"counter","custom":true}}}`,
  `{"event":"threshold","data":{"aaa_late":["count<5"]}}`,
  `{"event":"snapshot","data":[[28,28],[0.5],[10,10],[1795247022114],[45.8,88.7,39.7,7,81.4,85.1,88]]}`,
  `{"event":"snapshot","data":[[0,0],[],[],[1795247023117],[]]}`,
  `{"event":"stop","data":[[1795247024119]]}`,
  "",
].join("\n");

test("readRecord() gives each metric's course by the second of the run", () => {
  const { startedMs, endedMs, metrics } = readRecord(RECORD);
  assertEquals([startedMs, endedMs], [1795247020098, 1795247024119]);
  assertEquals([...metrics.keys()].sort(), [
    ...["aaa_late", "good_iterations", "iterations", "trade_duration"],
  ]);
  assertEquals([...metrics.get("aaa_late")!.bySecond], [
    [2, { count: 28, rate: 28 }],
    [3, { count: 0, rate: 0 }],
  ]);
  // In the third second no iteration ended, so none of them was good or bad.
  assertEquals([...metrics.get("good_iterations")!.bySecond.keys()], [1, 2]);
  const { type, contains, bySecond } = metrics.get("trade_duration")!;
  assertEquals([type, contains], ["trend", "time"]);
  assertEquals([...bySecond].map(([second, values]) => [second, values["p(99)"]]), [
    [1, 97.9],
    [2, 88],
  ]);
});

test("readRecord() says when a run was too short to have a course", () => {
  assertThrows(() => readRecord(RECORD.split("\n").slice(0, 3).join("\n")), Error, "shorter");
});

test("mergeRecords() adds counts, and takes the worst partner's times and shares", () => {
  const other = RECORD.replace("[28,28],[0.5],[10,10]", "[2,2],[1],[30,30]").replace(
    "85.1,88]",
    "85.1,90]",
  );
  const { metrics } = mergeRecords([readRecord(RECORD), readRecord(other)]);
  const atSecond = (name: string) => metrics.get(name)!.bySecond.get(2)!;
  assertEquals(atSecond("aaa_late"), { count: 30, rate: 30 });
  assertEquals(atSecond("iterations"), { count: 40, rate: 40 });
  assertEquals(atSecond("good_iterations"), { rate: 0.5 });
  assertEquals([atSecond("trade_duration")["p(99)"], atSecond("trade_duration")["min"]], [90, 7]);
});
