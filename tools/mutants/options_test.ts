import { dirname } from "node:path";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseDiff } from "./changed_lines.ts";
import { readMutantOptions, UsageError } from "./options.ts";
import { findRooms, isRoom, isSource, listRoomTests, listSources, roomOf } from "./rooms.ts";

const read = (line: string) => readMutantOptions(line.split(" "), isRoom);

test("--changed takes a commit, but not the name of a room", () => {
  assertEquals(read("--changed ledger").changedSince, "main");
  assertEquals(read("--changed ledger").rooms, ["ledger"]);
  assertEquals(read("ledger --changed HEAD~2 --sql").changedSince, "HEAD~2");
});

test("a wrong option or room is refused", () => {
  for (const line of ["--more", "kitchen", "--at README.md", "--at a.sql", "--workers 0"]) {
    assertThrows(() => read(line), UsageError);
  }
  const file = "packages/service/nonces/spend_nonces.sql";
  assertEquals(read(`--at ${file}:7`).at, [{ file, line: 7 }]);
});

test("each listed room has sources and tests, and a file belongs to its room", () => {
  for (const room of findRooms([])) {
    assertEquals(listRoomTests(room).length > 0, true, room.name);
    const sources = [...listSources(room, "sql"), ...listSources(room, "ts")];
    assertEquals(sources.length > 0, true, room.name);
    for (const file of sources) assertEquals(roomOf(file).name, room.name, file);
  }
});

test("every folder of the service that a branch may change has tests of its own or named ones", () => {
  const folder = "packages/service";
  const files = [
    ...listSources({ name: "", folder, tests: [] }, "sql"),
    ...listSources({ name: "", folder, tests: [] }, "ts"),
  ];
  const folders = new Set(files.map((file) => dirname(file)));
  folders.delete(folder);
  for (const below of folders) assertEquals(roomOf(`${below}/a.ts`).folder !== folder, true, below);
  assertEquals(isSource("packages/service/schema/migrations/0000_baseline.sql", "sql"), false);
  assertEquals(isSource("packages/client/send_test.ts", "ts"), false);
});

test("parseDiff() returns the lines that were added or changed", () => {
  const diff =
    "+++ b/a.sql\n@@ -1 +2,2 @@ x\n+a\n+b\n@@ -9,2 +8,0 @@\n-c\n+++ b/b.ts\n@@ -1 +1 @@\n+d";
  assertEquals([...parseDiff(diff)].map(([file, lines]) => [file, ...lines]), [
    ["a.sql", 2, 3],
    ["b.ts", 1],
  ]);
});
