import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { reconcile } from "@sabika/service/ledger";
import {
  openRaw,
  type RawConnection,
  type RawRequest,
  type RawResponse,
} from "../../test/support/raw_https.ts";
import { codeOf, objectOf } from "../../test/support/answers.ts";
import { sized } from "../../test/support/sized.ts";
import { signed, write } from "../../test/support/service_requests.ts";
import { type ServicePartner } from "../../test/support/service_partner.ts";
import { startTestService } from "../../test/support/test_service.ts";

// Two instances over one PostgreSQL, many connections at once.

const service = await startTestService({ instances: 2, databaseConnections: 8 });
const [bank, other] = service.partners;
const token = await service.token(bank);
const connections: RawConnection[] = [];
for (let n = 0; n < 50; n++) connections.push(await openRaw(service.caller(bank, n % 2)));
after(async () => {
  for (const connection of connections) connection.close();
  await service.close();
});

const send = (request: RawRequest, n = 0): Promise<RawResponse> =>
  connections[n % connections.length]!.send(request);
const BUY = '{"side":"buy","gold_grams":1}';

/** Counts the answers by status and code. */
function tally(answers: readonly RawResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = `${answer.status} ${codeOf(answer)}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function quote(n = 0): Promise<{ id: string; total: number }> {
  const answer = await send(write("/v1/quotes", token, BUY), n);
  const { id, total_sar } = JSON.parse(answer.body);
  return { id, total: total_sar };
}

const order = (quoteId: string) => signed(bank, "/v1/orders", token, `{"quote_id":"${quoteId}"}`);

await send(write("/sandbox/fund", token, '{"amount_sar":1000000}'));

test("of the same signed bytes from 50 connections at once one passes (F29)", async () => {
  const { id } = await quote();
  const request = await order(id);
  const answers = await Promise.all(connections.map((connection) => connection.send(request)));
  assertEquals(tally(answers), { "201 ok": 1, "401 nonce_reused": 49 });
});

const AT_ONCE = sized(200, 1_000);

test("of all orders on one quote with different keys one is executed (F01)", async () => {
  const { id } = await quote();
  const requests = await Promise.all(Array.from({ length: AT_ONCE }, () => order(id)));
  const answers = await Promise.all(requests.map(send));
  assertEquals(tally(answers), { "201 ok": 1, "409 quote_already_used": AT_ONCE - 1 });
  const [executed] = answers.filter((answer) => answer.status === 201);
  for (const answer of answers) {
    if (answer.status === 201) continue;
    const meta = objectOf(answer).get("meta") as ReadonlyMap<string, unknown>;
    assertEquals(meta.get("order_id"), objectOf(executed!).get("id"));
  }
});

test("of the eight combinations of two partners' credentials two pass, on both instances (F54)", async () => {
  const tokens = new Map<ServicePartner, string>();
  for (const partner of [bank, other]) tokens.set(partner, await service.token(partner));
  for (const instance of [0, 1]) {
    const passed: string[] = [];
    for (const certificate of service.partners) {
      const connection = await openRaw(service.caller(certificate, instance));
      for (const withToken of service.partners) {
        for (const key of service.partners) {
          const request = await signed(
            key,
            "/v1/orders",
            tokens.get(withToken)!,
            '{"quote_id":"x"}',
          );
          const answer = await connection.send(request);
          if (codeOf(answer) === "quote_not_found") passed.push(certificate.clientId);
          else assertEquals(answer.status, 401);
        }
      }
      connection.close();
    }
    assertEquals(passed, ["bank-a", "bank-b"]);
  }
});

test("after all of these the ledger reconciles", async () => {
  assertEquals(await reconcile(service.test.database, {}), []);
});
