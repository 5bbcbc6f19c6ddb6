import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { DatabaseServer } from "./database_url.ts";
import { classifyFailure } from "./failure.ts";
import { createPrimaryFinder } from "./find_primary.ts";

/** Servers by name, each of which answers with its timeline, a code of an error, or not at all. */
function stage(answers: Record<string, number | undefined | string | "silent">, waitsMs = 20) {
  const servers = Object.keys(answers).map((host) => ({ host, port: 5432 }));
  let asked = 0;
  const find = createPrimaryFinder(servers, ({ host }: DatabaseServer) => {
    asked += 1;
    const answer = answers[host];
    if (answer === "silent") return new Promise(() => {});
    if (typeof answer === "string") {
      return Promise.reject(Object.assign(new Error(), { code: answer }));
    }
    return Promise.resolve(answer);
  }, { beside: 20, without: waitsMs, again: 5 });
  return { answers, find: async () => (await find()).host, asked: () => asked, all: find };
}

const STANDBY = undefined;
const refusal = (find: () => Promise<unknown>) => assertRejects(find, Error);

test("the primary is found at any position, also beside a dead or silent server", async () => {
  assertEquals(await stage({ a: 1, b: STANDBY }).find(), "a");
  assertEquals(await stage({ a: STANDBY, b: 1 }).find(), "b");
  assertEquals(await stage({ a: "ECONNREFUSED", b: 2 }).find(), "b");
  assertEquals(await stage({ a: "silent", b: 2 }).find(), "b");
});

test("of two servers that take writes, the last promoted is chosen, and the other never again", async () => {
  const { answers, find } = stage({ a: 1, b: STANDBY });
  assertEquals(await find(), "a");
  answers["b"] = 2;
  assertEquals(await find(), "b");
  answers["b"] = "ECONNREFUSED";
  assertEquals((await refusal(find)).message.includes("a:5432 is no longer the primary"), true);
});

test("without a primary the error names every server; a permanent refusal is passed on", async () => {
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

test("a standby that is promoted while another server is silent is found in the same search", async () => {
  const { answers, asked, find } = stage({ a: "silent", b: STANDBY, c: STANDBY }, 600_000);
  const found = find();
  while (asked() < 6) await new Promise((resolve) => setTimeout(resolve, 1));
  answers["c"] = 2;
  assertEquals(await found, "c");
});

test("concurrent searches ask each server once", async () => {
  const { all, asked } = stage({ a: 1, b: STANDBY });
  await Promise.all([all(), all(), all()]);
  assertEquals(asked(), 2);
});
