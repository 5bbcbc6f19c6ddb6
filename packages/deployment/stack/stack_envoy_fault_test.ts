import { assert, assertEquals, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, openKit, SabikaError } from "@sabika/client";
import { revokeCertificate } from "@sabika/office/partners";
import { reconcile } from "@sabika/service/ledger";
import { openRaw } from "../../../test/support/raw_https.ts";
import { clientWithoutRepeats, startOrderLoad } from "../../../test/support/stack/order_load.ts";
import { until } from "../../../test/support/until.ts";
import {
  openTestStack,
  rawCallerOf,
  type TestStack,
} from "../../../test/support/stack/stack_for_tests.ts";

describe("the stack: the real service behind a real Envoy", () => {
  let test: TestStack;
  before(async () => test = await openTestStack());
  after(() => test.close());
  const kit = (number = 0) => openKit(test.stack.kits[number]!);
  const get = async (number: number, target: string) => {
    const connection = await openRaw(await rawCallerOf(test.stack, number));
    const request = { method: "GET", target, headers: [["Host", "localhost"]] } as const;
    return { connection, ask: () => connection.send(request) };
  };

  it("serves the partner's SDK through Envoy: fund, quote, signed order, replay, balances", async () => {
    const client = createClient(await kit());
    await client.fund({ amountHalalas: 100_000_00n });
    const quote = await client.quote({ side: "buy", goldMicrograms: 1_500_000n });
    const order = await client.order({ quoteId: quote.id }, { idempotencyKey: "stack-1" });
    const replay = await client.order({ quoteId: quote.id }, { idempotencyKey: "stack-1" });
    assertEquals(replay.id, order.id);
    assertEquals((await client.balances()).goldMicrograms, 1_500_000n);
    assertEquals((await client.probe("any body")).urlForm, "absolute");
    await client.close();
  });

  it("gives a request the same id in its answer and in Envoy's access log", async () => {
    const { ask, connection } = await get(0, "/v1/orders");
    const answer = await ask();
    connection.close();
    assertEquals(answer.status, 401);
    const id = answer.headers.get("x-request-id");
    assertEquals(JSON.parse(answer.body).request_id, id);
    await until(async () =>
      (await readFile(join(test.dataFolder, "logs", "access.log"), "utf8")).includes(`"${id}"`)
    );
  });

  it("executes each order once when Envoy is killed under load and callers repeat their keys (F22)", async () => {
    const load = await startOrderLoad(test.stack.kits[1]!);
    await until(() => load.orders.length > 20);
    await test.stack.killSidecar();
    await until(() => load.failures.length > 5);
    await test.stack.startSidecar();
    const count = load.orders.length;
    await until(() => load.orders.length > count + 20);
    await load.stop();
    const codes = new Set(load.failures.map((failure) => failure.split(" ")[0]));
    assertEquals([...codes].filter((code) => code !== "connection_failed"), []);
    // Every caller repeats its keys: each order was executed once.
    const client = createClient(await kit(1));
    const found = new Set<string>();
    for (const { key, quoteId, orderId } of load.orders) {
      const order = await client.order({ quoteId }, { idempotencyKey: key }).catch((error) => {
        // The order was never executed, and its quote has expired meanwhile.
        assert(error instanceof SabikaError && error.code === "quote_expired", String(error));
        assertEquals(orderId, undefined);
      });
      if (order === undefined) continue;
      if (orderId !== undefined) assertEquals(order.id, orderId);
      found.add(order.id);
    }
    assertEquals((await client.balances()).goldMicrograms, BigInt(found.size) * 10_000n);
    await client.close();
    assertEquals(await reconcile(test.admin.database), []);
  });

  it("refuses a revoked certificate on its open connection within a second, then its handshake (F58)", async () => {
    const { ask, connection } = await get(1, "/health");
    await until(async () => (await ask()).status === 200);
    const revoked = await revokeCertificate(
      test.admin,
      "partner-2",
      hashOf((await kit(1)).certificatePem),
    );
    assert(revoked.ok);
    const started = performance.now();
    const codes: string[] = [];
    // Both instances have to know it: ten refusals one after the other.
    await until(async () => {
      codes.push(JSON.parse((await ask()).body).code ?? "served");
      return codes.slice(-10).every((code) => code === "client_certificate_unknown") &&
        codes.length >= 10;
    });
    // A second, and another for a machine that is busy with other tests.
    assert(performance.now() - started < 2_000, codes.join());
    connection.close();
    // The sidecar's list follows: the handshake itself is refused.
    await until(async () => {
      try {
        const other = await get(1, "/health");
        await other.ask();
        other.connection.close();
        return false;
      } catch {
        return true;
      }
    });
  });

  it("refuses the kits of another stack; production has no /sandbox/fund (F50, F51)", async () => {
    const production = await openTestStack({
      environment: "production",
      instances: 1,
      partners: 1,
    });
    try {
      const client = clientWithoutRepeats(await openKit(production.stack.kits[0]!));
      await client.health();
      assertEquals((await client.prices()).midPriceTenThousandths > 0n, true);
      const refusal = await assertRejects(
        () => client.fund({ amountHalalas: 100n }),
        SabikaError,
      );
      assertEquals([refusal.code, refusal.status], ["not_found", 404]);
      // A single instance is restarted without a gap: another serves before it ends.
      const [only] = production.stack.instances();
      const asked = (async () => {
        for (let n = 0; n < 200; n++) await client.health();
      })();
      await production.stack.rollingRestart();
      await asked;
      assertEquals(production.stack.instances().map(({ pid }) => pid === only!.pid), [false]);
      await client.close();
      const foreign = { ...await kit(), baseUrl: production.stack.baseUrl };
      const productionKit = await openKit(production.stack.kits[0]!);
      const stranger = clientWithoutRepeats({ ...foreign, caPem: productionKit.caPem });
      await assertRejects(() => stranger.health(), SabikaError);
      await stranger.close();
    } finally {
      await production.close();
    }
  });
});

/** Returns a certificate's SHA-256 in lower-case hexadecimal, as the service names it. */
function hashOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
}
