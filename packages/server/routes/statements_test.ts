import { test } from "node:test";
import { EventEmitter } from "node:events";
import { assertEquals, assertRejects } from "@std/assert";
import type { OpenStatement } from "@sabika/service/ledger";
import type { ReadCall } from "../call/findings.ts";
import type { Reply } from "../call/reply.ts";
import { statementsRoute } from "./statements.ts";

const NOTHING = { sarHalalas: 0n, goldMicrograms: 0n };

const EMPTY: OpenStatement = {
  date: "2026-11-20",
  provisional: true,
  opening: NOTHING,
  closing: NOTHING,
  count: 0n,
  async *pages() {},
};

function callOf(partnerId: number, method = "GET") {
  const outgoing = new EventEmitter();
  const arrivedAtMs = Date.UTC(2026, 10, 20, 12);
  const call = { method, outgoing, arrivedAtMs, partner: { partnerId }, header: () => undefined };
  return { call: call as unknown as ReadCall, outgoing };
}

const text = async (reply: Reply) => await new Response(reply.body).text();

test("a partner reads one statement at a time; when it ends, the next may begin", async () => {
  const route = statementsRoute({ statement: () => Promise.resolve(EMPTY) });
  const ask = async (partnerId = 1, method = "GET") => {
    const { call, outgoing } = callOf(partnerId, method);
    return { answer: await route(call, "2026-11-20"), outgoing };
  };
  const open = async () => {
    const opened = await ask();
    assertEquals(opened.answer.ok, true);
    const { answer } = await ask();
    if (answer.ok) throw new Error("a second one was let in");
    assertEquals([answer.code, answer.retryAfterSeconds], ["rate_limited", 1]);
    return { ...opened, answer: opened.answer as Reply };
  };
  const first = await open();
  assertEquals((await ask(2)).answer.ok, true, "another partner's is not counted");

  // Read to its end.
  assertEquals((await text(first.answer)).includes('"date":"2026-11-20"'), true);
  // The reader cancels, and the end of the connection cancels a second time.
  const second = await open();
  await (second.answer.body as ReadableStream).cancel();
  second.outgoing.emit("close");
  // The connection ended before anybody read.
  const third = await open();
  third.outgoing.emit("close");
  await open();
});

test("a HEAD request reads nothing, and says whether there is a statement and of which type", async () => {
  const route = statementsRoute({ statement: () => Promise.reject(new Error("it was read")) });
  for (let i = 0; i <= 2; i++) {
    const answer = await route(callOf(1, "HEAD").call, "2026-11-20");
    assertEquals(answer.ok && answer.headers["content-type"], "application/json");
  }
  const tomorrow = await route(callOf(1, "HEAD").call, "2026-11-21");
  assertEquals(tomorrow.ok || tomorrow.code, "not_found");
});

test("a statement that does not exist or cannot be read does not count against the limit", async () => {
  let found: () => Promise<OpenStatement | undefined> = () => Promise.resolve(undefined);
  const route = statementsRoute({ statement: () => found() });
  for (const day of ["2099-01-01", "0000-01-01", "0001-01-01", "2026-02-30"]) {
    const answer = await route(callOf(1).call, day);
    assertEquals(answer.ok || answer.code, "not_found");
  }
  found = () => Promise.reject(new Error("away"));
  for (let i = 0; i <= 2; i++) {
    await assertRejects(async () => await route(callOf(1).call, "2026-11-20"), Error, "away");
  }
  found = () => Promise.resolve(EMPTY);
  assertEquals((await route(callOf(1).call, "2026-11-20")).ok, true);
});
