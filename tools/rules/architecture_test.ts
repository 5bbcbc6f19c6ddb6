import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkArchitecture } from "./architecture.ts";

const TREE = ["packages/jws/mod.ts", "packages/core/store/sql.ts", "clients/java/src/main/A.java"]
  .map((path) => ({ path, text: "" }));

function messages(page: string): string[] {
  return checkArchitecture([...TREE, { path: "ARCHITECTURE.md", text: page }])
    .map(({ line, message }) => `${line}: ${message}`);
}

const PAGE = [
  "| `packages/jws` | Signing. |",
  "| `packages/core/store` | The database. |",
  "| `clients/java` | A client. |",
].join("\n");

test("checkArchitecture() is content when the page has a row for each folder with source", () => {
  assertEquals(messages(PAGE), []);
});

test("checkArchitecture() finds a folder without a row, and a row without a folder", () => {
  assertEquals(messages(PAGE.replace("`packages/jws` | Signing", "`packages/jwt` | Signing")), [
    "1: there is no folder packages/jwt",
    "1: has no row that says what packages/jws is for",
  ]);
});
