import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  formatId,
  type IdempotentOutcome,
  type Order,
  type Refusal,
  uuidV7,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { seedOf } from "../../../test/support/fuzz/seed_of.ts";
import { seeded } from "../../../test/support/seeded.ts";
import {
  type ModelOrder,
  simulatedOrders,
} from "../../../test/support/simulated/simulated_orders.ts";
import { virtualClock } from "../../../test/support/simulated/virtual_clock.ts";
import { createExecutor } from "../batches/executor.ts";
import { type OrderItem, orderItem, orderWork } from "./place_orders.ts";

// (F08) Two instances, two partners, a few orders that are in one another's way, and a database that fails,
// delays, reorders and loses answers: what every partner hears agrees with the books.

type Outcome = IdempotentOutcome<Order> | Refusal;

/** One call and what was answered. */
interface Call {
  item: OrderItem;
  calledMs: number;
  answeredMs: number;
  outcome: Outcome;
}

const START_MS = 1_795_167_000_000;
const TIMEOUT_MS = 10_000;
/** The time-out, and the second between two looks. */
const LONGEST_MS = TIMEOUT_MS + 1_000;
/** Too little for all quotes, until more of it comes. */
const CASH = 60n;
const DEPOSIT = 80n;
const QUOTES = ["q1", "q2", "q3"];

/** Carries one schedule out and returns what kinds of answers were given. */
async function runSchedule(seed: number): Promise<string> {
  const fraction = seeded(seed);
  const below = (limit: number) => Math.floor(fraction() * limit);
  const clock = virtualClock(START_MS);
  const faultShare = fraction() * 0.8;
  const model = simulatedOrders(clock, fraction, { faultShare });
  const random = (length: number) => Uint8Array.from({ length }, () => below(256));
  const quoteIds = new Map<string, string>();
  for (const partnerId of [1, 2]) {
    model.partners.set(partnerId, { cash: CASH, gold: 0n, allocation: 1_000n });
    for (const name of QUOTES) {
      const id = uuidV7(START_MS, random);
      quoteIds.set(`${partnerId} ${name}`, id);
      const expiresMs = START_MS + (below(4) === 0 ? 40 : 60_000);
      model.quotes.set(id, { partnerId, gold: 10n, total: 40n, expiresMs });
    }
  }
  for (const partner of model.partners.values()) {
    void clock.wait(below(4_000)).then(() => partner.cash += DEPOSIT);
  }
  const database = { sql: model.sql } as unknown as Database;
  const options = {
    now: clock.now,
    timers: clock.timers,
    maxBatch: 3,
    maxAttempts: 3,
    timeoutMs: TIMEOUT_MS,
  };
  const executors = [1, 2].map(() => createExecutor(orderWork(database, clock.now), options));

  const calls: Call[] = [];
  async function order(): Promise<void> {
    await clock.wait(below(150));
    const partnerId = 1 + below(2);
    const key = `k${below(4)}`;
    const quote = QUOTES[below(QUOTES.length)]!;
    const sameNonce = below(6) === 0 ? `n${below(2)}` : undefined;
    // As a partner does: the same key again while it is not known what became of it.
    for (let attempt = 1; attempt <= 3; attempt++) {
      const item = orderItem({
        partner: { partnerId } as OrderItem["command"]["partner"],
        idempotencyKey: key,
        parameters: `order ${quote}`,
        receivedAtMs: clock.now(),
        request: {
          quoteId: formatId("qt", quoteIds.get(`${partnerId} ${quote}`)!),
          clientReference: null,
        },
        nonce: {
          value: attempt === 1 && sameNonce
            ? sameNonce
            : `fresh ${calls.length} ${partnerId} ${key} ${fraction()}`,
          timestampSeconds: Math.floor(clock.now() / 1_000),
        },
      }, random);
      const calledMs = clock.now();
      const outcome = await executors[below(2)]!.execute(item)
        .catch((error: { code?: string }): Refusal => {
          if (error.code !== "XX001") throw error;
          // The server answers 500, from which nothing follows.
          return { ok: false, code: "internal_error" };
        });
      calls.push({ item, calledMs, answeredMs: clock.now(), outcome });
      if (outcome.ok || !REPEATED.has(outcome.code)) return;
      await clock.wait(1_000);
    }
  }
  let answered = 0;
  const programs = Array.from({ length: 3 + below(6) }, () => order().finally(() => answered++));
  const ended = Promise.allSettled(programs);
  await clock.run();
  assertEquals(answered, programs.length, "a call was never answered");
  const failed = (await ended).find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  for (const executor of executors) assertEquals(executor.waiting(), 0, "something still waits");
  judge(calls, [...model.orders.values()]);
  judgeBooks(model);
  return [...new Set(calls.map(({ outcome }) => outcome.ok ? "accepted" : outcome.code))]
    .sort()[0]!;
}

const REPEATED = new Set(["service_unavailable", "outcome_unknown", "internal_error"]);
/** These say nothing of what became of it. */
const UNKNOWN = new Set(["outcome_unknown", "internal_error"]);

function judge(calls: readonly Call[], orders: readonly ModelOrder[]): void {
  const firstBytes = new Map<string, string>();
  for (const { item, calledMs, answeredMs, outcome } of calls) {
    assert(answeredMs - calledMs <= LONGEST_MS, `answered after ${answeredMs - calledMs} ms`);
    const { partner: { partnerId }, idempotencyKey, nonce } = item.command;
    const known = orders.find(({ orderId }) => orderId === item.id);
    if (!outcome.ok) {
      assert(
        UNKNOWN.has(outcome.code) || known === undefined,
        `${outcome.code} for an order that was carried out`,
      );
      const alike = calls.filter(({ item: { command } }) =>
        command.nonce.value === nonce.value && command.partner.partnerId === partnerId
      );
      assert(outcome.code !== "nonce_reused" || alike.length > 1, "nonce_reused by nobody else");
      continue;
    }
    const { value, replayed } = outcome;
    const booked = orders.find(({ orderId }) => formatId("ord", orderId) === value.id);
    assert(booked !== undefined, "an order that is not in the books");
    assertEquals(
      [booked.partnerId, booked.key, booked.total, booked.cashAfter],
      [partnerId, idempotencyKey, value.totalHalalas, value.balances?.sarHalalas],
    );
    assertEquals(replayed, booked !== known, "replayed or not");
    const bytes = JSON.stringify(
      value,
      (_name, part) => typeof part === "bigint" ? `${part}` : part,
    );
    const first = firstBytes.get(`${partnerId} ${idempotencyKey}`) ?? bytes;
    assertEquals(bytes, first, "two answers for one key");
    firstBytes.set(`${partnerId} ${idempotencyKey}`, first);
  }
}

/** The invariants I2 to I4 and I7 of docs/faults.md, when all is over. */
function judgeBooks({ partners, orders }: ReturnType<typeof simulatedOrders>): void {
  for (const [partnerId, { cash, gold, allocation }] of partners) {
    const placed = [...orders.values()].filter((order) => order.partnerId === partnerId);
    const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
    assert(placed.every(({ cashAfter }) => cashAfter >= 0n), "money that was not there was spent");
    assertEquals(cash, CASH + DEPOSIT - sum(placed.map(({ total }) => total)));
    assertEquals([gold, gold + allocation], [sum(placed.map((order) => order.gold)), 1_000n]);
    for (const once of ["quoteId", "key", "nonce"] as const) {
      assertEquals(
        new Set(placed.map((order) => order[once])).size,
        placed.length,
        `a ${once} used twice`,
      );
    }
  }
}

test(
  "fuzz: whatever the database does to orders, every answer agrees with the books",
  fuzz({ samples: ["a", "b", "c"], judge: (input) => runSchedule(seedOf(input)) }),
);
