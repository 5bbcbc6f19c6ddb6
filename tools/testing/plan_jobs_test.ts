import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { TestKind } from "./list_tests.ts";
import type { Combination, Job } from "./matrix.ts";
import { planJobs } from "./plan_jobs.ts";

const run = (path: string, kind: TestKind, on: Combination = { runtime: "Node" }) => ({
  file: { path, kind },
  on,
});
const nameOf = ({ files, on }: Job) => `${on.runtime} ${files.map(({ path }) => path).join(" ")}`;

test("planJobs() puts plain files of a runtime together, other files alone, the heavy ones first", () => {
  const jobs = planJobs([
    run("a", "plain"),
    run("b", "plain"),
    run("c", "plain"),
    run("a", "plain", { runtime: "Deno" }),
    run("f", "envoy"),
    run("h", "k6"),
    { ...run("g", "plain"), file: { path: "g", kind: "plain", alone: true } },
  ], 2);
  assertEquals(
    jobs.map(nameOf),
    ["Node h", "Node f", "Node g", "Node a c", "Node b", "Deno a"],
  );
});

test("planJobs() puts files with a PostgreSQL together on Node, and no others with a database", () => {
  const node = { runtime: "Node", database: "PostgreSQL" } as const;
  const jobs = planJobs([
    run("a", "database", { runtime: "Deno", database: "PGlite" }),
    run("a", "database", node),
    run("b", "database", node),
    run("c", "database", node),
    run("d", "postgresql", node),
    run("d", "postgresql", { runtime: "Deno", database: "PostgreSQL" }),
    run("e", "database", { runtime: "Node", database: "PGlite" }),
  ], 2);
  assertEquals(jobs.map(nameOf), ["Node a c", "Node b d", "Deno a", "Deno d", "Node e"]);
});
