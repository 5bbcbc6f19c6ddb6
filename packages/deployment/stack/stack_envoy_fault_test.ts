import { assert, assertEquals, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient, openKit, SabikaError } from "@sabika/client";
import { addAddress, removeAddress, revokeCertificate } from "@sabika/office/partners";
import { reconcile } from "@sabika/service/ledger";
import { askAdmin } from "@sabika/sidecar";
import { openRaw } from "../../../test/support/raw_https.ts";
import { clientWithoutRepeats, startOrderLoad } from "../../../test/support/stack/order_load.ts";
import { openRawPartner } from "../../../test/support/stack/raw_partner.ts";
import { until } from "../../../test/support/until.ts";
import { openTestStack, type TestStack } from "../../../test/support/stack/stack_for_tests.ts";

const FORGED = "f".repeat(64);

describe("the stack: the real service behind a real Envoy", () => {
  let test: TestStack;
  before(async () => test = await openTestStack());
  after(() => test.close());
  const kit = (number = 0) => openKit(test.stack.kits[number]!);
  const get = (number: number, target: string, headers: [string, string][] = []) =>
    openRawPartner(test.stack, number, target, headers);

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

  it("names a request the same in Envoy's answer and in the service's", async () => {
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

  it("lets a partner's wrong tokens cost nobody but itself, over all instances (F82)", async () => {
    const [mine, others] = [createClient(await kit(1)), createClient(await kit(0))];
    await mine.balances();
    const signature = "A".repeat(86);
    const codes: Record<string, number> = {};
    const { connection } = await get(1, "");
    // Three times what the budgets of two instances have, of 100 each.
    for (let nth = 0; nth < 600; nth++) {
      const token = `eyJhbGciOiJFUzI1NiJ9.${nth.toString(16).padStart(8, "0")}.${signature}`;
      const { body } = await connection.send({
        method: "GET",
        target: "/v1/balances",
        headers: [["Host", "localhost"], ["Authorization", `Bearer ${token}`]],
      });
      const { code } = JSON.parse(body) as { code: string };
      codes[code] = (codes[code] ?? 0) + 1;
    }
    connection.close();
    assertEquals(Object.keys(codes).sort(), ["token_invalid", "too_many_failed_authentications"]);
    assert(codes["too_many_failed_authentications"]! > 0, JSON.stringify(codes));
    // Its own token is known, and another certificate has a budget of its own.
    await mine.balances();
    await others.balances();
    await Promise.all([mine.close(), others.close()]);
  });

  it("finds each order once when Envoy is killed under load and callers repeat by their keys (F22)", async () => {
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
    // Every caller asks again with his key: each order is there, and once.
    const client = createClient(await kit(1));
    const found = new Set<string>();
    for (const { key, quoteId, orderId } of load.orders) {
      const order = await client.order({ quoteId }, { idempotencyKey: key }).catch((error) => {
        // Never carried out, and its quote ended meanwhile.
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

  it("believes no forged header on an instance's own socket (F59)", async () => {
    const hash = hashOf((await kit()).certificatePem);
    for (const secret of [undefined, "x".repeat(40)]) {
      const connection = await openRaw({ path: join(test.dataFolder, "run", "server-2.sock") });
      for (const target of ["/health", "/v1/prices", "/oauth/token"]) {
        const answer = await connection.send({
          method: "GET",
          target,
          headers: [
            ["Host", "localhost"],
            ["X-Forwarded-Client-Cert", `Hash=${hash}`],
            ["Client-Cert", hash],
            ["X-Sabika-Peer-Address", "127.0.0.1"],
            ...(secret === undefined ? [] : [["X-Sabika-Edge", secret] as const]),
          ],
        });
        assertEquals(answer.status, 401, answer.body);
      }
      connection.close();
    }
  });

  it("refuses a partner from an address that is not its own, whatever he says of it (F62)", async () => {
    await addAddress(test.admin, "partner-2", "10.1.0.0/16");
    const spoofed: [string, string][] = [
      ["X-Forwarded-For", "10.1.2.3"],
      ["X-Sabika-Peer-Address", "10.1.2.3"],
      ["X-Real-IP", "10.1.2.3"],
    ];
    const { ask, connection } = await get(1, "/health", spoofed);
    // Both instances have to know it: ten answers one after the other.
    const answersAlike = async (status: number) => {
      let inARow = 0;
      await until(async () => (inARow = (await ask()).status === status ? inARow + 1 : 0) >= 10);
    };
    await answersAlike(403);
    assertEquals(JSON.parse((await ask()).body).code, "ip_not_allowed");
    await removeAddress(test.admin, "partner-2", "10.1.0.0/16");
    await answersAlike(200);
    connection.close();
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

  it("leaves no token, signature or secret in any log, nor in Envoy's admin (F71)", async () => {
    const seen: string[] = [];
    const partnerKit = await kit();
    const client = createClient(partnerKit, {
      observe: ({ headers }) => {
        for (const [name, value] of Object.entries(headers)) {
          if (/signature|nonce/i.test(name)) seen.push(value);
        }
      },
    });
    await client.probe("a body with a secret: 7f3a1c");
    await client.close();
    const { connection } = await get(0, "/");
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: partnerKit.clientId,
      client_secret: partnerKit.clientSecret,
    });
    const type: [string, string] = ["Content-Type", "application/x-www-form-urlencoded"];
    const headers: [string, string][] = [["Host", "localhost"], type];
    const body = new TextEncoder().encode(form.toString());
    const answer = await connection.send({ method: "POST", target: "/oauth/token", headers, body });
    const token: string = JSON.parse(answer.body).access_token;
    const authorization: [string, string] = ["Authorization", `Bearer ${token}`];
    await connection.send({
      method: "GET",
      target: `/v1/none?a=${token}`,
      headers: [headers[0]!, authorization],
    });
    connection.close();
    seen.push(token);
    assert(seen.length >= 3);
    const secrets = [...seen, partnerKit.clientSecret, partnerKit.webhookSecret!, "7f3a1c"];
    for (const name of ["master.key", "edge_secrets"]) {
      secrets.push((await readFile(join(test.dataFolder, name), "utf8")).trim());
    }
    let said = await readFile(join(test.stack.sidecarFolder, "envoy.log"), "utf8");
    for (const name of await readdir(join(test.dataFolder, "logs"))) {
      said += await readFile(join(test.dataFolder, "logs", name), "utf8");
    }
    for (const path of ["/stats", "/stats/prometheus", "/certs", "/listeners"]) {
      said += (await askAdmin(test.stack.sidecar().adminSocket, path)).text;
    }
    assert(said.includes('"event":"request"'));
    for (const secret of [...secrets, "PRIVATE KEY"]) {
      assertEquals(said.includes(secret), false, "a secret was said");
    }
    assertEquals(said.includes(FORGED), false);
  });

  it("says by itself that its database is away, on /health in its form, and comes back (D16)", async () => {
    const { ask, connection } = await get(0, "/health");
    assertEquals((await ask()).status, 200);
    await test.stack.postgresql.kill();
    let answer = await ask();
    await until(async () => (answer = await ask()).status === 503);
    assertEquals(JSON.parse(answer.body).status, "unavailable");
    const order = await (await get(0, "/v1/balances", [["Authorization", "Bearer none"]])).ask();
    assert(
      order.status === 401 || JSON.parse(order.body).code === "service_unavailable",
      order.body,
    );
    await test.stack.postgresql.restart();
    await until(async () => (await ask()).status === 200);
    connection.close();
  });

  it("keeps to itself beside another stack; production has no /sandbox/fund (F50, F51)", async () => {
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
      // Alone, it is restarted without a gap: another is there before it goes.
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

/** In lower-case hexadecimal, as the service names a certificate. */
function hashOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
}
