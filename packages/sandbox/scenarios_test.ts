import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  createClient,
  grams,
  openKit,
  riyals,
  SabikaError,
  type ScenarioRequest,
  type WebhookCourse,
} from "@sabika/client";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { until } from "../../test/support/until.ts";
import { openEventReceiver } from "./event_receiver.ts";

// Decision D111: each scenario of POST /sandbox/scenario, by the partner's SDK.

const sandbox = await startTestSandbox();
const kit = await openKit(sandbox.demo!.kitFolder);
const client = createClient(kit, { retry: { attempts: 1 } });
const receiver = (await openEventReceiver(kit, Date.now))!;
after(async () => {
  await client.close();
  await sandbox.stop();
  await receiver.close();
});

/** The mid price; undefined while there is none. */
async function mid(): Promise<bigint | undefined> {
  try {
    return (await client.prices()).midPriceTenThousandths;
  } catch (error) {
    if (error instanceof SabikaError && error.code === "price_unavailable") return undefined;
    throw error;
  }
}
const point = (afterSeconds: number, midTenThousandths: bigint | null) => ({
  afterSeconds,
  midTenThousandths,
});
const price = (path: ReturnType<typeof point>[] | null, hours: [string, string] | null = null) =>
  client.scenario({
    price: { path, hours: hours && { opens: hours[0], closes: hours[1] } },
  });

test("the events of a while come out of order, twice, and with the old secret", async () => {
  const order: bigint[] = [];
  receiver.onDelivery = ({ event }) => {
    if (event.type === "funding.completed") order.push(event.object.amountHalalas);
  };
  const two = async (comes: WebhookCourse, first: bigint) => {
    await client.scenario({ webhooks: { comes, afterSeconds: 1 } });
    await client.fund({ amountHalalas: first });
    await client.fund({ amountHalalas: first + 1n });
    assertEquals(order.splice(0), []);
    await until(() => Promise.resolve(order.length === 2));
    const { data: [last] } = await client.events({ limit: 1 });
    const attempts = async () =>
      (await client.deliveryAttempts(last!.id)).data.map(({ status }) => status);
    const arrived = order.splice(0);
    // Only one course promises an order; deliveries of the others run side by side.
    return { arrived: comes === "out_of_order" ? arrived : arrived.sort(), attempts };
  };
  assertEquals((await two("out_of_order", 2000n)).arrived, [2001n, 2000n]);
  const forged = await two("old_secret", 4000n);
  assertEquals(forged.arrived, [4000n, 4001n]);
  await until(async () => (await forged.attempts()).length === 2);
  assertEquals(await forged.attempts(), [204, 401]);
  const twice = await two("twice", 3000n);
  assertEquals(twice.arrived, [3000n, 3001n]);
  await until(async () => (await twice.attempts()).length === 2);
});

test("the price follows a path: a level, a closed market, another level after the gap", async () => {
  const path = [point(0, 4_000_000n), point(1, null), point(2, 5_000_000n)];
  const begun = await price(path);
  assertEquals(begun.endsAtMs - begun.beganAtMs, 2_000);
  assertEquals(await mid(), 4_000_000n);
  const seen: unknown[] = [];
  await until(async () => {
    const now = await mid();
    if (now !== seen.at(-1)) seen.push(now);
    return now === 5_000_000n;
  });
  assertEquals(seen.filter((price) => price !== 4_000_000n), [undefined, 5_000_000n]);
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
  assertEquals(quote.pricePerGramTenThousandths, 5_025_000n);
});

test("quotes and prices are refused outside of the market's hours, and come back", async () => {
  const minute = (offset: number) =>
    new Date(Date.now() + 10_800_000 + offset * 60_000).toISOString().slice(11, 16);
  await price(null, [minute(5), minute(10)]);
  const refused = () => client.quote({ side: "buy", goldMicrograms: grams("1") });
  assertEquals((await assertRejects(refused, SabikaError)).code, "price_unavailable");
  await price(null, [minute(-5), minute(5)]);
  assert(await mid());
  await price(null);
  assert(4_700_000n < (await mid())!);
});

test("money comes later, short, twice or not at all", async () => {
  const fund = (comes: "later" | "short" | "twice" | "returned", afterSeconds: number | null) =>
    client.scenario({ funding: { amountHalalas: riyals("100"), comes, afterSeconds } });
  const before = (await client.balances()).sarHalalas;
  const arrived = async () => (await client.balances()).sarHalalas - before;
  await fund("returned", null);
  await fund("later", 1);
  assertEquals(await arrived(), 0n);
  await until(async () => await arrived() === riyals("100"));
  await fund("short", null);
  await until(async () => await arrived() === riyals("190"));
  await fund("twice", null);
  await until(async () => await arrived() === riyals("390"));
  await fund("returned", null);
  assertEquals(await arrived(), riyals("390"));
});

test("the same key begins nothing again, and a wrong scenario is refused by its member", async () => {
  const request: ScenarioRequest = {
    funding: { amountHalalas: riyals("7"), comes: "later", afterSeconds: 5 },
  };
  const idempotencyKey = crypto.randomUUID();
  const first = await client.scenario(request, { idempotencyKey });
  assertEquals(await client.scenario(request, { idempotencyKey }), first);
  const wrong = price([point(5, 1n), point(4, 1n)]);
  const refused = await assertRejects(() => wrong, SabikaError);
  assertEquals([refused.code, refused.errors?.[0]?.pointer], ["invalid_request", "/price"]);
});
