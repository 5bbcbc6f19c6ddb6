import { after, before, describe, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type Inspector, type Link, openLink } from "../../test/support/link.ts";
import { seeded } from "../../test/support/seeded.ts";
import { openServiceClient } from "../../test/support/service_client.ts";
import { startTestService } from "../../test/support/test_service.ts";
import type { TestService } from "../../test/support/test_service.ts";
import { everyItem, grams, riyals } from "./mod.ts";
import type { Client, ClientOptions, Order } from "./mod.ts";

describe("a client behind a connection that breaks", () => {
  let service: TestService;
  let link: Link;
  /** Whether to end a connection instead of relaying an answer, when the server has the request. */
  let isCut = (_passedBytes: number) => false;
  let cuts = 0;
  const closing: (() => Promise<void>)[] = [];

  before(async () => {
    service = await startTestService();
    const inspect = (end: () => void): Inspector => {
      let passedBytes = 0;
      return {
        sent: (chunk) => chunk,
        answered(chunk) {
          if (isCut(passedBytes)) {
            cuts += 1;
            end();
            return new Uint8Array();
          }
          passedBytes += chunk.length;
          return chunk;
        },
      };
    };
    link = await openLink(() => ({ host: "127.0.0.1", port: service.ports[0]! }), { inspect });
  });
  after(async () => {
    for (const close of closing) await close();
    await link.close();
    await service.close();
  });

  /** Opens a client of a new partner that calls through the link. */
  async function open(clientId: string, options: ClientOptions = {}) {
    const partner = await service.admit(clientId);
    await service.refresh();
    const opened = await openServiceClient(partner, link.port, {
      wait: () => Promise.resolve(),
      ...options,
    });
    closing.push(opened.close);
    return opened;
  }

  async function allOrders(client: Client): Promise<Order[]> {
    const orders: Order[] = [];
    for await (const order of everyItem((cursor) => client.listOrders({ limit: 100, cursor }))) {
      orders.push(order);
    }
    return orders;
  }

  test("a stream that is cut repeatedly returns each event once, in sequence", async () => {
    const { client } = await open("bank-stream", { wait: undefined });
    await client.fund({ amountHalalas: riyals("1") });
    const chance = seeded(7);
    const seen: number[] = [];
    isCut = (passedBytes) => passedBytes > 4_000 && cuts < 8 && chance() < 0.3;
    const ending = new AbortController();
    for await (
      const event of client.streamEvents({ afterSequence: 0 }, { signal: ending.signal })
    ) {
      seen.push(event.sequence);
      if (seen.length === 40) break;
      await client.fund({ amountHalalas: riyals("1") });
    }
    isCut = () => false;
    assertEquals(seen, Array.from({ length: 40 }, (_, n) => n + 1));
    assert(cuts > 0);
    const waiting = client.streamEvents({ afterSequence: 99 }, { signal: ending.signal });
    const next = waiting[Symbol.asyncIterator]().next();
    setTimeout(() => ending.abort(new Error("enough")), 300);
    assertEquals(await next.then(() => "more", (error: Error) => error.message), "enough");
  });

  test("an order whose answer was cut off is sent again and executed once", async () => {
    const { client, exchanges } = await open("bank-cut");
    await client.fund({ amountHalalas: riyals("10000") });
    const quote = await client.quote({ side: "buy", goldMicrograms: grams("1.5") });
    // Cuts the next answer on the open connection; the following answer comes on a new one.
    let armed = true;
    isCut = (passedBytes) => passedBytes > 0 && armed && !(armed = false);
    const order = await client.order({ quoteId: quote.id, clientReference: "trade 1" });
    isCut = () => false;
    const attempts = exchanges.filter(({ url }) => url.endsWith("/v1/orders"));
    assertEquals(attempts.map(({ status, replayed }) => [status, replayed]), [[0, false], [
      200,
      true,
    ]]);
    assertEquals(order.totalHalalas, quote.totalHalalas);
    const orders = await allOrders(client);
    assertEquals(orders.map(({ id }) => id), [order.id]);
    const { goldMicrograms, sarHalalas } = await client.balances();
    assertEquals([goldMicrograms, sarHalalas], [1_500_000n, 1_000_000n - quote.totalHalalas]);
    assertEquals(order.balances, { goldMicrograms, sarHalalas });
    assertEquals((await client.getQuote(quote.id)).orderId, order.id);
  });

  test("with connections cut at random each order is executed exactly once (F20)", async () => {
    const { client } = await open("bank-random", { retry: { attempts: 60 } });
    await client.fund({ amountHalalas: riyals("1000000") });
    const chance = seeded(20_261_120);
    isCut = () => chance() < 0.2;
    const before = cuts;
    const placed: Order[] = [];
    const trader = async () => {
      for (let n = 0; n < 12; n++) {
        const quote = await client.quote({ side: "buy", goldMicrograms: grams("0.5") });
        placed.push(await client.order({ quoteId: quote.id }));
      }
    };
    await Promise.all(Array.from({ length: 4 }, trader));
    isCut = () => false;
    assert(cuts - before > 5, `${cuts - before} cuts`);
    const orders = await allOrders(client);
    const ids = (list: Order[]) => list.map(({ id }) => id).sort();
    assertEquals(ids(orders), ids(placed));
    assertEquals(new Set(orders.map(({ quoteId }) => quoteId)).size, 48);
    const { goldMicrograms, sarHalalas } = await client.balances();
    const spent = orders.reduce((sum, { totalHalalas }) => sum + totalHalalas, 0n);
    assertEquals([goldMicrograms, sarHalalas], [grams("24"), riyals("1000000") - spent]);
  });

  test("every call of the API returns what its type says", async () => {
    const { client } = await open("bank-whole");
    assertEquals((await client.health()).status, "ok");
    const funding = await client.fund({ amountHalalas: riyals("5000.50") });
    assertEquals(funding.balanceHalalas, 500_050n);
    assert((await client.prices()).midPriceTenThousandths > 0n);
    const probe = await client.probe('{"any":"body"}');
    assertEquals(probe.urlForm, "absolute");
    // Both use one clock, so the difference is at most the time of the call.
    assert(probe.skewSeconds <= 0 && probe.skewSeconds > -60, `${probe.skewSeconds} s`);
    const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
    const order = await client.order({ quoteId: quote.id });
    assertEquals((await client.getOrder(order.id)).id, order.id);
    const withdrawal = await client.withdraw({ amountHalalas: riyals("10") });
    assertEquals((await client.getWithdrawal(withdrawal.id)).status, "pending");
    const events = await client.events();
    assertEquals(events.data.map(({ type }) => type), [
      "withdrawal.created",
      "order.executed",
      "funding.completed",
    ]);
    const executed = await client.getEvent(events.data[1]!.id);
    assert(executed.type === "order.executed");
    assertEquals(executed.object.id, order.id);
    await client.redeliver(executed.id);
    assertEquals((await client.redeliverRange({ fromSequence: 2, toSequence: 3 })).count, 2);
    const after = await client.events({ afterSequence: 1, limit: 1 });
    assertEquals(after.data.map(({ sequence }) => sequence), [2]);
    assertEquals((await client.listQuotes()).data[0]?.status, "executed");
    assertEquals((await client.listWithdrawals({ status: "pending" })).data.length, 1);
    assertEquals((await client.cancelWithdrawal(withdrawal.id)).status, "cancelled");
    assert((await client.listLedgerEntries()).data.length >= 4);
    const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
    const statement = await client.statement(today);
    assertEquals([statement.provisional, statement.closing.goldMicrograms], [true, 1_000_000n]);
    assert((await client.statementCsv(today)).startsWith("number,"));
    assertEquals((await client.me()).clientId, "bank-whole");
    assert((await client.limits()).openQuotesLimit > 0);
  });
});
