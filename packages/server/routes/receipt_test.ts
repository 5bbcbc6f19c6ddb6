import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { FoundReceipt } from "@sabika/service/receipts";
import type { ReadCall } from "../call/findings.ts";
import { receiptRoute } from "./receipt.ts";

const ORDER = "ord_019e9c5e-51b4-7c01-9f0e-6f1b1a5c7d20";
const call = { partner: { partnerId: 1 } } as unknown as ReadCall;
const ask = (found: FoundReceipt | undefined, id = ORDER) =>
  receiptRoute(() => Promise.resolve(found))(call, id);

test("a receipt is answered as it was signed, with the media type of a JWS", async () => {
  assertEquals(await ask({ state: "made", jws: "a.b.c" }), {
    ok: true,
    status: 200,
    body: "a.b.c",
    headers: { "content-type": "application/jose" },
  });
});

test("while it cannot be signed the answer is 202, and says when to ask again", async () => {
  const answer = await ask({ state: "pending" });
  assertEquals(answer, {
    ok: true,
    status: 202,
    body: `{"order_id":"${ORDER}","status":"receipt_pending"}`,
    headers: { "content-type": "application/json", "retry-after": "5" },
  });
});

test("an order of before receipts has none; others' orders and no orders are not found", async () => {
  const codes = [await ask({ state: "none" }), await ask(undefined), await ask(undefined, "ord_1")]
    .map((answer) => "code" in answer && answer.code);
  assertEquals(codes, ["no_receipt", "not_found", "not_found"]);
});
