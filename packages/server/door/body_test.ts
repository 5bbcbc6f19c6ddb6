import { test } from "node:test";
import { PassThrough } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { assertEquals } from "@std/assert";
import { BODY_LIMIT_BYTES } from "@sabika/protocol";
import { Call } from "../call.ts";
import { bodyCheck } from "./body.ts";

function callWith(body: PassThrough, headers: Record<string, string> = {}): Call {
  const incoming = Object.assign(body, { headers, method: "POST", url: "/v1/orders" });
  const made = incoming as unknown as IncomingMessage;
  return new Call(made, {} as ServerResponse, 59_000, "req_1", "/v1/orders");
}

test("a request is received when its body is here, not when its headers were (Decision D12)", async () => {
  let nowMs = 59_000;
  const body = new PassThrough();
  const call = callWith(body);
  const refusal = bodyCheck(() => nowMs)(call);
  body.write('{"quote_id":');
  nowMs = 61_000;
  body.end('"qt_1"}');
  assertEquals(await refusal, undefined);
  assertEquals([call.arrivedAtMs, call.receivedAtMs], [59_000, 61_000]);
  assertEquals(new TextDecoder().decode(call.body), '{"quote_id":"qt_1"}');
});

test("a body whose sender has gone, before or while it is read, is no body", async () => {
  const check = bodyCheck(() => 0);
  const gone = new PassThrough();
  gone.destroy();
  const going = new PassThrough();
  const whileRead = check(callWith(going));
  going.write("{");
  going.destroy();
  for (const refusal of [await check(callWith(gone)), await whileRead]) {
    assertEquals(refusal?.code, "malformed_request");
  }
});

test("a body beyond the limit is refused by its announcement, and by its bytes", async () => {
  const check = bodyCheck(() => 0);
  const length = String(BODY_LIMIT_BYTES + 1);
  const announced = await check(callWith(new PassThrough(), { "content-length": length }));
  const chunked = new PassThrough();
  const counted = check(callWith(chunked));
  chunked.end(new Uint8Array(BODY_LIMIT_BYTES + 1));
  for (const refusal of [announced, await counted]) {
    assertEquals([refusal?.code, refusal?.headers?.connection], ["payload_too_large", "close"]);
  }
});
