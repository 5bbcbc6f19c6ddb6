import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { createLineWriter } from "./write_lines.ts";

test("lines that find no room are counted, and nothing is thrown", () => {
  const full = openSync("/dev/full", "w");
  const lines = createLineWriter(full);
  lines.write("one\ntwo\n");
  lines.write("three\n");
  assertEquals(lines.lost(), 3);
  closeSync(full);
});

test("what is written in pieces arrives whole, and only what is left over is lost", () => {
  let taken = "";
  const lines = createLineWriter(1, (_descriptor, bytes) => {
    if (taken.length >= 12) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    const part = bytes.subarray(0, 4);
    taken += new TextDecoder().decode(part);
    return part.length;
  });
  lines.write("first\nsecond\nthird\n");
  assertEquals(taken, "first\nsecond");
  assertEquals(lines.lost(), 2);
});
