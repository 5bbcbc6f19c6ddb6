import { assert, assertEquals, assertThrows } from "@std/assert";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import {
  combinationName,
  listTests,
  LONG_ON_DENO,
  type MatrixChoice,
  matrixOf,
  ON_DENO,
  type TestFile,
  type TestKind,
} from "./test_files.ts";

async function withFiles(files: Record<string, string>, work: (root: string) => void) {
  const root = temporaryFolder();
  for (const folder of ["packages", "loadtest", "tools"]) await mkdir(join(root, folder));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  work(root);
}

const FILES = {
  "packages/a/plain_test.ts": 'import { x } from "./x.ts";\n',
  "packages/a/x.ts": "export const x = 1;\n",
  "packages/a/node_modules/b/b_test.ts": "",
  "packages/a/stored_test.ts": 'import { y } from "./harness.ts";\n',
  "packages/a/harness.ts": 'import { z } from "../../test/support/test_database.ts";\n',
  "packages/a/race_postgresql_test.ts": "",
  "packages/ab/edge_envoy_test.ts": "",
  "loadtest/slow_fault_test.ts": "",
};

const nameOf = ({ path, kind }: TestFile) => `${path} ${kind}`;

test("listTests() finds each test file and what it needs", async () => {
  await withFiles(FILES, (root) => {
    assertEquals(listTests([], root).map(nameOf), [
      "loadtest/slow_fault_test.ts fault",
      "packages/a/plain_test.ts plain",
      "packages/a/race_postgresql_test.ts postgresql",
      "packages/a/stored_test.ts database",
      "packages/ab/edge_envoy_test.ts envoy",
    ]);
  });
});

test("listTests() takes a folder or a file, and throws where there is no test", async () => {
  await withFiles(FILES, (root) => {
    assertEquals(listTests([join(root, "packages/a")], root).length, 3);
    assertEquals(listTests([join(root, "packages/a/plain_test.ts")], root).length, 1);
    assertThrows(() => listTests([join(root, "packages/c")], root), Error, "no test file is below");
  });
  await withFiles({}, (root) => {
    assertThrows(() => listTests([], root), Error, "no test file was found");
  });
});

const matrix = (kind: TestKind, choice?: MatrixChoice, path = "x_test.ts") =>
  matrixOf({ path, kind }, choice).map(combinationName).join(", ");

test("matrixOf() runs a file on Node with PostgreSQL, and the files of its lists elsewhere too", () => {
  assertEquals(matrix("plain"), "Node");
  assertEquals(matrix("database"), "Node · PostgreSQL");
  assertEquals(matrix("envoy"), "Node · PostgreSQL");
  assertEquals(matrix("plain", {}, "packages/jws/x_test.ts"), "Node, Deno");
  assertEquals(matrix("database", {}, "packages/client/x_test.ts"), "Node · PostgreSQL");
  assertEquals(matrix("plain", {}, LONG_ON_DENO[0]), "Node");
});

test("matrixOf() runs a file wherever it can run and the choice allows", () => {
  assertEquals(matrix("plain", { all: true }), "Node, Deno");
  assertEquals(matrix("fault", { all: true }), "Node · PostgreSQL");
  assertEquals(matrix("postgresql", { all: true }), "Node · PostgreSQL, Deno · PostgreSQL");
  assertEquals(
    matrix("database", { all: true }),
    "Node · PGlite, Deno · PGlite, Node · PostgreSQL, Deno · PostgreSQL",
  );
  assertEquals(matrix("database", { runtime: "Node" }), "Node · PGlite, Node · PostgreSQL");
  assertEquals(matrix("database", { database: "PGlite" }), "Node · PGlite, Deno · PGlite");
  assertEquals(matrix("plain", { runtime: "Deno", database: "PGlite" }), "Deno");
  assertEquals(matrix("envoy", { runtime: "Node", database: "PGlite" }), "");
});

test("the lists of matrixOf() name existing files and folders", () => {
  const paths = listTests([]).map(({ path }) => path);
  for (const row of [...ON_DENO, ...LONG_ON_DENO]) {
    assert(paths.some((path) => path === row || path.startsWith(`${row}/`)), row);
  }
});

test("the gate runs on Deno the long files that npm test leaves out there", async () => {
  const gate = await readFile(new URL("../../.ci/run", import.meta.url), "utf8");
  for (const path of LONG_ON_DENO) assert(gate.includes(` ${path} `), path);
});
