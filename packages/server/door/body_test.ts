import { once } from "node:events";
import { test } from "node:test";
import { PassThrough } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { assert, assertEquals } from "@std/assert";
import { BODY_LIMIT_BYTES } from "@sabika/protocol";
import type { Read, Uncompressed } from "../call/findings.ts";
import { ReceivedCall } from "../call/received_call.ts";
import { bodyCheck } from "./body.ts";

function callWith(
  body: PassThrough,
  headers: Record<string, string> = {},
): ReceivedCall & Uncompressed & Partial<Read> {
  const incoming = Object.assign(body, { headers, method: "POST", url: "/v1/orders" });
  const made = incoming as unknown as IncomingMessage;
  const call = new ReceivedCall(made, {} as ServerResponse, 59_000, "req_1", "/v1/orders");
  return Object.assign(call, { contentEncoding: "identity" } as const);
}

test("a request is received when its body has arrived, not its headers alone (Decision D12)", async () => {
  let nowMs = 59_000;
  const body = new PassThrough();
  const call = callWith(body);
  const checked = bodyCheck(() => nowMs)(call);
  body.write('{"quote_id":');
  nowMs = 61_000;
  body.end('"qt_1"}');
  assertEquals((await checked).ok, true);
  assertEquals([call.arrivedAtMs, call.receivedAtMs], [59_000, 61_000]);
  assertEquals(new TextDecoder().decode(call.body), '{"quote_id":"qt_1"}');
});

test("a body whose sender has gone, before or while it is read, is refused", async () => {
  const check = bodyCheck(() => 0);
  const gone = new PassThrough();
  gone.destroy();
  await once(gone, "close");
  const going = new PassThrough();
  const whileRead = check(callWith(going));
  going.write("{");
  going.destroy();
  for (const checked of [await check(callWith(gone)), await whileRead]) {
    assertEquals(checked.ok || checked.code, "malformed_request");
  }
});

test("a body of the limit passes, and one beyond it is refused by its announced or actual length", async () => {
  const check = bodyCheck(() => 0);
  const announcements: Record<string, string>[] = [
    {},
    { "content-length": String(BODY_LIMIT_BYTES) },
  ];
  for (const headers of announcements) {
    const longest = new PassThrough();
    longest.end(new Uint8Array(BODY_LIMIT_BYTES));
    assertEquals((await check(callWith(longest, headers))).ok, true);
  }
  // Nothing is waited for if nothing comes.
  assertEquals((await check(callWith(new PassThrough(), { "content-length": "0" }))).ok, true);
  const length = String(BODY_LIMIT_BYTES + 1);
  const announced = await check(callWith(new PassThrough(), { "content-length": length }));
  const chunked = new PassThrough();
  const counted = check(callWith(chunked));
  chunked.end(new Uint8Array(BODY_LIMIT_BYTES + 1));
  for (const checked of [announced, await counted]) {
    assert(!checked.ok);
    assertEquals([checked.code, checked.headers?.connection], ["payload_too_large", "close"]);
  }
});
