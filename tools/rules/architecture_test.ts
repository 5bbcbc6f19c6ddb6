import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkArchitecture } from "./architecture.ts";
import type { Room } from "./rooms.ts";

const ROOMS: Record<string, Room> = {
  jws: { folder: "packages/jws", imports: [], entrance: "mod" },
  core: { folder: "packages/core", imports: ["protocol", "jws"], tests: ["k6"], entrance: "name" },
};
const TREE = ["packages/jws/mod.ts", "packages/core/store/sql.ts", "clients/java/src/main/A.java"]
  .map((path) => ({ path, text: "" }));

function messages(page: string): string[] {
  return checkArchitecture([...TREE, { path: "ARCHITECTURE.md", text: page }], ROOMS)
    .map(({ line, message }) => `${line}: ${message}`);
}

const PAGE = [
  "| `jws` | `packages/jws` | nothing | nothing |",
  "| `core` | `packages/core` | `jws`, `protocol` | `k6` |",
  "| `packages/jws` | Signing. |",
  "| `packages/core/store` | The database. |",
  "| `clients/java` | A client. |",
].join("\n");

test("checkArchitecture() is content when the page says what the tree and the rule say", () => {
  assertEquals(messages(PAGE), []);
});

test("checkArchitecture() finds a folder without a row, and a row without a folder", () => {
  assertEquals(messages(PAGE.replace("`packages/jws` | Signing", "`packages/jwt` | Signing")), [
    "3: there is no folder packages/jwt",
    "1: has no row that says what packages/jws is for",
  ]);
});

test("checkArchitecture() finds a table of rooms that is not the rule", () => {
  assertEquals(messages(PAGE.replace("`jws`, `protocol`", "`jws`")), [
    "1: does not say that core in packages/core imports jws, protocol, its tests also k6 " +
    "(tools/rules/rooms.ts)",
    "1: says that core in packages/core imports jws, its tests also k6 (tools/rules/rooms.ts)",
  ]);
  assertEquals(messages(PAGE.split("\n").slice(1).join("\n")), [
    "1: does not say that jws in packages/jws imports nothing, its tests also nothing " +
    "(tools/rules/rooms.ts)",
  ]);
});
