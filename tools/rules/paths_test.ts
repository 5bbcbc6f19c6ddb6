import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkPaths } from "./paths.ts";

const TREE = ["packages/core/store/sql.ts", "docs/page.md"].map((path) => ({ path, text: "" }));

function messages(path: string, text: string): string[] {
  return checkPaths([...TREE, { path, text }]).map(({ line, message }) => `${line}: ${message}`);
}

test("checkPaths() is content with files, folders and wildcards that are there", () => {
  const text = "See packages/core/store/, `sql.ts`, docs/*.md and packages/core/store/sql.ts.\n" +
    "tools/deno/node_modules/.bin/deno, https://sabika.example/docs/none, `gone.txt`";
  assertEquals(messages("README.md", text), []);
});

test("checkPaths() finds files and folders that are not there, in pages and in comments", () => {
  assertEquals(messages("README.md", "# Page\n`gone.ts` is in packages/gone/"), [
    "2: there is no packages/gone",
    "2: there is no gone.ts",
  ]);
  assertEquals(messages("packages/core/x.ts", "// See packages/core/y.ts."), [
    "1: there is no packages/core/y.ts",
  ]);
});

test("checkPaths() passes over tests, which make up trees of their own", () => {
  assertEquals(messages("packages/core/x_test.ts", '"packages/core/y.ts"'), []);
});
