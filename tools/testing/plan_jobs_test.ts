import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { TestKind } from "./list_tests.ts";
import { planJobs } from "./plan_jobs.ts";

test("planJobs() puts plain files of a runtime together, and every other file alone, the heavy ones first", () => {
  const run = (path: string, kind: TestKind, runtime: "Node" | "Deno" = "Node") => ({
    file: { path, kind },
    on: { runtime },
  });
  const jobs = planJobs([
    run("a", "plain"),
    run("b", "plain"),
    run("c", "plain"),
    run("a", "plain", "Deno"),
    run("d", "database"),
    run("e", "database"),
    run("f", "envoy"),
    { ...run("g", "plain"), file: { path: "g", kind: "plain", alone: true } },
  ], 2);
  assertEquals(
    jobs.map(({ files, on }) => `${on.runtime} ${files.map(({ path }) => path).join(" ")}`),
    ["Node f", "Node d", "Node e", "Node g", "Node a c", "Node b", "Deno a"],
  );
});
