import { after, test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createClient, grams, openKit, riyals, SabikaError } from "@sabika/client";
import { startTestSandbox } from "../../test/support/sandbox/test_sandbox.ts";
import { until } from "../../test/support/until.ts";
import { openEventReceiver } from "./event_receiver.ts";

// Decision D111: the clock of the sandbox goes forward; the partner's program keeps its own.

const DAY_MS = 86_400_000;
const sandbox = await startTestSandbox();
const kit = await openKit(sandbox.demo!.kitFolder);
const client = createClient(kit);
after(async () => {
  await client.close();
  await sandbox.stop();
});

const now = async () => {
  const health = await client.health();
  assert(health.status === "ok");
  return health.serverTimeMs;
};
const advance = (advanceToMs: number) => client.scenario({ clock: { advanceToMs } });

test("days later the quote has ended, the days are closed, and trading goes on", async (t) => {
  await client.fund({ amountHalalas: riyals("1000") });
  const request = { side: "buy", goldMicrograms: grams("0.5") } as const;
  const quote = await client.quote(request);
  const first = await client.order({ quoteId: (await client.quote(request)).id });
  const day = new Date(first.executedAtMs + 10_800_000).toISOString().slice(0, 10);
  assert((await client.statement(day)).provisional);

  // The afternoon in Riyadh, when the day before has its reserve.
  const noon = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 2 * DAY_MS + DAY_MS / 2;
  const begun = await advance(noon);
  assertEquals(begun.kind, "clock");
  assert(await now() >= begun.endsAtMs);
  const late = () => client.order({ quoteId: quote.id });
  assertEquals((await assertRejects(late, SabikaError)).code, "quote_expired");
  const statement = await client.statement(day);
  assertEquals([statement.provisional, statement.entries.length > 0], [false, true]);
  const before = new Date(noon - DAY_MS).toISOString().slice(0, 10);
  assert((await client.reserve(before)).text.includes(before));

  const receiver = (await openEventReceiver(kit, Date.now))!;
  t.after(() => receiver.close());
  await client.enableWebhook();
  const order = await client.order({ quoteId: (await client.quote(request)).id });
  assert(order.executedAtMs >= begun.endsAtMs, "it is booked by the sandbox's clock");
  // The receiver has the real time, and would refuse a signature of two days ahead.
  const arrived = await receiver.waitFor(
    (event) => event.type === "order.executed" && event.object.id === order.id,
    120_000,
  );
  assert(arrived !== undefined);
});

test("the clock goes neither back nor past the end of a credential, which is announced", async () => {
  const before = await now();
  await advance(before - DAY_MS);
  assert(await now() >= before);
  const ends = (await client.me()).credentials.flatMap(({ validUntilMs }) => validUntilMs ?? []);
  const end = Math.min(...ends);
  const past = await assertRejects(() => advance(end + 1), SabikaError);
  assertEquals(past.code, "simulation_invalid");
  await advance(end - 6 * DAY_MS);
  await until(async () => {
    const { data } = await client.events({ limit: 5 });
    return data.some(({ type }) => type === "credential.expiring");
  });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("0.1") });
  assertEquals((await client.order({ quoteId: quote.id })).status, "executed");
});
