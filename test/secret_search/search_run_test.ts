import { test } from "node:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { judgeSearch, openRunRecord, searchRun } from "./search_run.ts";

const SECRET = "planted-0123456789abcdef";

async function withFolder(use: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-search-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a secret that one test used is found in the log of another, and its text is not told", () =>
  withFolder((folder) => {
    const first = openRunRecord(folder, "packages/a/one_test.ts [Node]");
    const second = openRunRecord(folder, "packages/b/two_test.ts [Deno · PGlite]");
    first.secret("edge secret", SECRET);
    first.secret("master key", new Uint8Array(32).fill(9));
    first.secret("edge secret", SECRET);
    first.log("service", "info started\n");
    second.log("envoy.log", "one Envoy\nits second line\n");
    second.log("envoy.log", `another Envoy\n${SECRET}`);
    const search = searchRun(folder);
    const finding = "packages/b/two_test.ts [Deno · PGlite] envoy.log, line 4: edge secret";
    assertEquals({ ...search, megabytes: 0 }, {
      logs: 2,
      megabytes: 0,
      secrets: 2,
      findings: [finding],
    });
    assertEquals(judgeSearch(search, true), {
      failures: 1,
      lines: [
        `FAILED: a secret in a log: ${finding}`,
        "searched 2 logs (0 MB) for 2 secrets: 1 found",
      ],
    });
  }));

test("a whole run that registers no secret or no log fails; a part of it may", () =>
  withFolder((folder) => {
    const nothing = searchRun(folder);
    assertEquals(judgeSearch(nothing, true).failures, 1);
    assertEquals(judgeSearch(nothing, false).failures, 0);
    openRunRecord(folder, "a").log("service", "info started\n");
    assertEquals(judgeSearch(searchRun(folder), true).failures, 1);
    openRunRecord(folder, "a").secret("edge secret", SECRET);
    assertEquals(judgeSearch(searchRun(folder), true).failures, 0);
  }));

test("what lies in a data folder is taken apart into logs and secrets", () =>
  withFolder(async (folder) => {
    const data = join(folder, "data");
    await mkdir(join(data, "postgresql"), { recursive: true });
    await writeFile(join(data, "access.log"), "GET /\n");
    await writeFile(join(data, "edge_secrets"), `${SECRET}\n${SECRET}-next\n`);
    await writeFile(join(data, "master.key"), `2026-1:${btoa("m".repeat(32))}\n`);
    await writeFile(join(data, "postgresql", "PG_VERSION"), "18\n");
    await writeFile(join(data, "postgresql", "sabika.password"), "0123456789abcdef\n");
    await writeFile(join(data, "postgresql", "postgresql.log"), "by 0123456789abcdef\n");
    openRunRecord(folder, "a").dataFolder(data);
    const search = searchRun(folder);
    assertEquals([search.logs, search.secrets], [2, 4]);
    assertEquals(search.findings, ["a postgresql.log, line 1: database password"]);
  }));
