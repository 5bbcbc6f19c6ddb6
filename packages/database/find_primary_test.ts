import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { DatabaseServer } from "./database_url.ts";
import { classifyFailure } from "./failure.ts";
import { createPrimaryFinder, type ServerState } from "./find_primary.ts";

/** Servers by their names, which say what they are told to. */
function stage(answers: Record<string, Partial<ServerState> | string | "silent">) {
  const servers = Object.keys(answers).map((host) => ({ host, port: 5432 }));
  let asked = 0;
  const find = createPrimaryFinder(servers, ({ host }: DatabaseServer) => {
    asked += 1;
    const answer = answers[host]!;
    if (answer === "silent") return new Promise(() => {});
    if (typeof answer === "string") {
      return Promise.reject(Object.assign(new Error(), { code: answer }));
    }
    return Promise.resolve({ since: host, timeline: undefined, ...answer });
  }, { beside: 20, without: 20 });
  return { answers, find: async () => (await find()).host, asked: () => asked, all: find };
}

const STANDBY = {};
const refusal = (find: () => Promise<unknown>) => assertRejects(find, Error);

test("the primary is found wherever it stands, also beside one that is dead or silent", async () => {
  assertEquals(await stage({ a: { timeline: 1 }, b: STANDBY }).find(), "a");
  assertEquals(await stage({ a: STANDBY, b: { timeline: 1 } }).find(), "b");
  assertEquals(await stage({ a: "ECONNREFUSED", b: { timeline: 2 } }).find(), "b");
  assertEquals(await stage({ a: "silent", b: { timeline: 2 } }).find(), "b");
});

test("of two that take writes it is the one that was promoted last, and the other never again", async () => {
  const { answers, find } = stage({ a: { timeline: 1 }, b: STANDBY });
  assertEquals(await find(), "a");
  answers["b"] = { timeline: 2 };
  assertEquals(await find(), "b");
  answers["b"] = "ECONNREFUSED";
  assertEquals((await refusal(find)).message.includes("a:5432 is no longer the primary"), true);
});

test("of two that were promoted apart from one another it is neither; a second name is no second", async () => {
  const two = stage({ a: { timeline: 2 }, b: { timeline: 2 } });
  assertEquals(classifyFailure(await refusal(two.find)), "away");
  const names = stage({ a: { timeline: 2, since: "noon" }, b: { timeline: 2, since: "noon" } });
  assertEquals(await names.find(), "a");
});

test("without a primary nothing was done and the servers are named; what stays refused is said", async () => {
  const error = await refusal(stage({ a: "ECONNREFUSED", b: STANDBY }).find);
  assertEquals(classifyFailure(error), "away");
  assertEquals(
    error.message,
    "no primary of the database: a:5432: ECONNREFUSED, b:5432 takes no writes",
  );
  const code = async (answers: Record<string, string>) =>
    (await refusal(stage(answers).find) as { code?: string }).code;
  assertEquals(await code({ a: "28P01", b: "28P01" }), "28P01");
  assertEquals(await code({ a: "28P01", b: "ECONNREFUSED" }), "DATABASE_NO_PRIMARY");
  assertEquals(await code({ a: "28P01", b: "silent" }), "DATABASE_NO_PRIMARY");
});

test("those who look at the same time ask once", async () => {
  const { all, asked } = stage({ a: { timeline: 1 }, b: STANDBY });
  await Promise.all([all(), all(), all()]);
  assertEquals(asked(), 2);
});
