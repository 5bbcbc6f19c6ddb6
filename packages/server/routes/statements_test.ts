import { test } from "node:test";
import { EventEmitter } from "node:events";
import { assertEquals, assertRejects } from "@std/assert";
import type { OpenStatement } from "@sabika/core/ledger";
import type { ReadCall } from "../call/findings.ts";
import type { Reply } from "../call/reply.ts";
import { STATEMENTS_AT_ONCE, statementsRoute } from "./statements.ts";

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
  const call = { method, outgoing, partner: { partnerId }, header: () => undefined };
  return { call: call as unknown as ReadCall, outgoing };
}

const text = async (reply: Reply) => await new Response(reply.body).text();

test("a partner may read a few statements at once; when one ends, another may begin", async () => {
  const route = statementsRoute({ statement: () => Promise.resolve(EMPTY) });
  const ask = async (partnerId = 1, method = "GET") => {
    const { call, outgoing } = callOf(partnerId, method);
    return { answer: await route(call, "2026-11-20"), outgoing };
  };
  const isRefused = async () => {
    const { answer } = await ask();
    if (!answer.ok) assertEquals([answer.code, answer.retryAfterSeconds], ["rate_limited", 1]);
    return !answer.ok;
  };
  const open = await Promise.all(Array.from({ length: STATEMENTS_AT_ONCE }, () => ask()));
  assertEquals(await isRefused(), true);
  assertEquals((await ask(2)).answer.ok, true);

  // Read to its end.
  assertEquals((await text(open[0]!.answer as Reply)).includes('"date":"2026-11-20"'), true);
  assertEquals([await isRefused(), await isRefused()], [false, true]);
  // Given up by its reader; and the connection's end says so a second time.
  await ((open[1]!.answer as Reply).body as ReadableStream).cancel();
  open[1]!.outgoing.emit("close");
  assertEquals([await isRefused(), await isRefused()], [false, true]);
  // The connection ended before anybody read.
  open[2]!.outgoing.emit("close");
  assertEquals((await ask(1, "HEAD")).answer.ok, true);
  assertEquals([await isRefused(), await isRefused()], [false, true]);
});

test("a statement that does not exist or cannot be read does not count against the limit", async () => {
  let found: () => Promise<OpenStatement | undefined> = () => Promise.resolve(undefined);
  const route = statementsRoute({ statement: () => found() });
  for (let i = 0; i <= STATEMENTS_AT_ONCE; i++) {
    const answer = await route(callOf(1).call, "2099-01-01");
    assertEquals(answer.ok || answer.code, "not_found");
  }
  found = () => Promise.reject(new Error("away"));
  for (let i = 0; i <= STATEMENTS_AT_ONCE; i++) {
    await assertRejects(async () => await route(callOf(1).call, "2026-11-20"), Error, "away");
  }
  found = () => Promise.resolve(EMPTY);
  assertEquals((await route(callOf(1).call, "2026-11-20")).ok, true);
});
