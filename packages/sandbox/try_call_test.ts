import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openKit } from "@sabika/client";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { listenReference } from "./reference_listener.ts";
import { openTrial, type TriedAnswer } from "./try_call.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const sandbox = await startTestSandbox();
const kit = await openKit(sandbox.demo!.kitFolder);
const trial = openTrial(kit, random);
const listener = await listenReference({ environment: "sandbox", baseUrl: kit.baseUrl }, { trial });
after(async () => {
  await listener?.close();
  await trial?.close();
  await sandbox?.stop();
});

async function post(call: object, origin = new URL(listener.url).origin) {
  const answer = await fetch(new URL("/try", listener.url), {
    method: "POST",
    headers: { origin },
    body: JSON.stringify(call),
  });
  return [answer.status, await answer.text()] as const;
}

async function tryCall(operation: string, body?: object, parameters = {}): Promise<TriedAnswer> {
  const [status, text] = await post({ operation, parameters, body: body && JSON.stringify(body) });
  assertEquals(status, 200, text);
  return JSON.parse(text);
}

test("calls are built from the kit: play money, a quote, its signed order, and reading it", async () => {
  assertEquals((await tryCall("fund", { amount_sar: 5000 })).status, 201);
  const quote = await tryCall("createQuote", { side: "buy", gold_grams: 1.5 });
  assertEquals(quote.status, 201);
  const order = await tryCall("createOrder", { quote_id: JSON.parse(quote.answer).id });
  assertEquals(order.status, 201, order.answer);
  for (const name of ["authorization: Bearer …", "idempotency-key: ", "x-jws-signature: ey"]) {
    assertStringIncludes(order.request, name);
  }
  const { id } = JSON.parse(order.answer);
  assertEquals(JSON.parse((await tryCall("getOrder", undefined, { id })).answer).id, id);
  const list = await tryCall("listOrders", undefined, {
    limit: "1",
    status: "executed",
    cursor: "",
  });
  assertStringIncludes(list.request, "GET /v1/orders?limit=1&status=executed\n");
  assertEquals(JSON.parse(list.answer).data[0].id, id);
});

test("a refusal is an answer, and shows no secret", async () => {
  const { status, request, answer } = await tryCall("createQuote", { side: "hold" });
  assertEquals([status, JSON.parse(answer).code], [400, "invalid_request"]);
  assert(!request.includes(kit.clientSecret));
});

test("another site's page, what has a secret in it, and what is no call are refused", async () => {
  const quote = { operation: "createQuote", parameters: {}, body: "{}" };
  assertEquals((await post(quote, "https://evil.example"))[0], 403);
  const calls = [
    { ...quote, operation: "createToken" },
    { ...quote, operation: "constructor" },
    { ...quote, parameters: { a: 1 } },
    {},
  ];
  for (const call of calls) assertEquals((await post(call))[0], 400);
});

test("a kit of production is never tried", () => {
  assertThrows(() => openTrial({ ...kit, environment: "production" }, random), TypeError);
});
