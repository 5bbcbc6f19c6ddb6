import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import {
  answer,
  order,
  problem,
  type Script,
  type ScriptedService,
  scriptedService,
} from "../../test/support/scripted_service.ts";
import { SabikaError } from "./mod.ts";

const service = await scriptedService();
const play: ScriptedService["play"] = (...parts) => service.play(...parts);

/** Orders behind what loses the first answer; returns the error, and asserts that it is open under the order's key. */
async function openOrder({ client, calls }: ReturnType<typeof play>): Promise<SabikaError> {
  const error = await assertRejects(() => order(client), SabikaError);
  const key = calls[0]?.headers["idempotency-key"];
  assertEquals([error.code, error.retryable, error.idempotencyKey], ["outcome_unknown", true, key]);
  return error;
}

/** Loses the first answer, and refuses the token of each repeat. */
const refusesToken: Script = (_sent, nth) => {
  if (nth === 1) throw new TypeError("fetch failed");
  return problem("token_expired");
};

test("an order whose repeat gets no token has an open outcome", async () => {
  const ways = [
    ["temporarily_unavailable", () => answer(503, '{"error":"temporarily_unavailable"}')],
    ["unauthorized_client", () => answer(400, '{"error":"unauthorized_client"}')],
    ["unexpected_answer", () => answer(502, "<html>Bad gateway</html>")],
    ["connection_failed", () => {
      throw new TypeError("fetch failed");
    }],
  ] as const;
  for (const [code, laterTokens] of ways) {
    const refused = play(refusesToken, { laterTokens });
    const { cause } = await openOrder(refused);
    assertEquals([(cause as SabikaError).code, refused.calls.length], [code, 2]);
    // The token ends while the first attempt is under way.
    const late = play(() => {
      late.clock.ms += 600_000;
      throw new TypeError("fetch failed");
    }, { laterTokens });
    assertEquals(((await openOrder(late)).cause as SabikaError).code, code);
    assertEquals(late.calls.length, 1);
  }
});

test("an order that gets no token at all was refused", async () => {
  const { client, calls, clock } = play(() => answer(200, "[]"), {
    laterTokens: () => answer(400, '{"error":"unauthorized_client"}'),
  });
  await assertRejects(() => client.balances(), SabikaError);
  clock.ms += 600_000;
  const error = await assertRejects(() => order(client), SabikaError);
  assertEquals([error.code, calls.length], ["unauthorized_client", 1]);
});

test("an order whose repeat finds another server or a refused certificate has an open outcome", async () => {
  for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"]) {
    await openOrder(play((_sent, nth) => {
      throw Object.assign(new TypeError("fetch failed"), nth === 1 ? {} : { code });
    }));
  }
});

test("an order that is under way when the client is closed has an open outcome", async () => {
  for (const closesAt of [1, 2]) {
    const script: Script = (_sent, nth) => {
      if (nth < closesAt) throw new TypeError("fetch failed");
      return closed.client.close().then(() => new Promise(() => {}));
    };
    const closed: ReturnType<typeof play> = play(script);
    assertEquals(((await openOrder(closed)).cause as SabikaError).code, "client_closed");
    const later = await assertRejects(() => order(closed.client), SabikaError);
    assertEquals([later.code, closed.calls.length], ["client_closed", closesAt]);
    assertEquals(closed.pauses.length, closesAt - 1, "no pause after the end");
  }
});
