import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkArchitecture } from "./architecture.ts";

const ARROWS = { jws: [], core: ["jws", "protocol"] };
const TREE = ["packages/jws/mod.ts", "packages/core/store/sql.ts", "clients/java/src/main/A.java"]
  .map((path) => ({ path, text: "" }));

function messages(page: string): string[] {
  return checkArchitecture([...TREE, { path: "ARCHITECTURE.md", text: page }], ARROWS)
    .map(({ line, message }) => `${line}: ${message}`);
}

const PAGE = [
  "| `jws` | nothing |",
  "| `core` | `jws`, `protocol` |",
  "| `packages/jws` | Signing. |",
  "| `packages/core/store` | The database. |",
  "| `clients/java` | A client. |",
].join("\n");

test("checkArchitecture() is content when the page says what the tree and the rule say", () => {
  assertEquals(messages(PAGE), []);
});

test("checkArchitecture() finds a folder without a row, and a row without a folder", () => {
  assertEquals(messages(PAGE.replace("packages/jws", "packages/jwt")), [
    "3: there is no folder packages/jwt",
    "1: has no row that says what packages/jws is for",
  ]);
});

test("checkArchitecture() finds a table of imports that is not the rule", () => {
  assertEquals(messages(PAGE.replace("`jws`, `protocol`", "`jws`")), [
    "1: core may import `jws`, `protocol`, says the import rule",
  ]);
  assertEquals(messages(PAGE.replace("| `jws` | nothing |", "")), [
    "1: jws may import nothing, says the import rule",
  ]);
});
