import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type CpuProfile, groupTimes } from "./cpu_profile.ts";

const frame = (functionName: string, url = "") => ({ functionName, url });
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 3, 6] },
    { id: 2, callFrame: frame("(idle)") },
    { id: 3, callFrame: frame("sha256Hex", "file:///packages/canonical/hex.ts"), children: [4] },
    { id: 4, callFrame: frame("digest", "node:internal/crypto/webcrypto"), children: [5] },
    // Native, so without a place: its caller's.
    { id: 5, callFrame: frame("run") },
    { id: 6, callFrame: frame("later", "node:internal/timers") },
  ],
  startTime: 1_000,
  samples: [2, 3, 5, 4, 6, 2],
  timeDeltas: [0, 10, 20, 30, 40, 50],
};

test("groupTimes() counts a native function to what called it", () => {
  assertEquals(groupTimes(PROFILE, 0, Infinity), [
    ["starting crypto jobs", 70],
    ["everything else", 50],
    ["our code: signed requests, JSON", 20],
    ["idle", 10],
  ]);
});

test("groupTimes() counts what lies between two moments", () => {
  assertEquals(groupTimes(PROFILE, 1_010, 1_060), [
    ["starting crypto jobs", 30],
    ["our code: signed requests, JSON", 20],
  ]);
});
