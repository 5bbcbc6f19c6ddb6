import type { Database } from "@sabika/database";
import { outOfBounds } from "@sabika/service/batches";
import { beginPriceScenario, type PriceSource } from "@sabika/service/prices";
import { listCredentials } from "@sabika/service/partners";
import {
  advanceClock,
  deliverAt,
  eventsAhead,
  passEvent,
  releaseEvents,
  wasAttempted,
} from "@sabika/service/simulation";
import {
  type ClockScenario,
  FUNDING_MAX_HALALAS,
  FUNDING_MIN_HALALAS,
  type FundingScenario,
  type Outcome,
  type PriceScenario,
  refuse,
  type Scenario,
  type ScenarioRequest,
  type WebhooksScenario,
} from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import type { ServiceClock } from "./service_clock.ts";
import type { BeginScenario } from "../routes/scenario.ts";
import { hold, type SimulatedEventParts } from "./simulated_events.ts";
import type { SimulatedTradingParts } from "./simulated_trading.ts";

/** What scenarios need (Decision D111). */
export interface ScenarioParts extends SimulatedEventParts {
  readonly control: Database;
  readonly trading: Pick<SimulatedTradingParts["trading"], "fund">;
  readonly prices: PriceSource;
  readonly clock: Pick<ServiceClock, "refresh">;
}

/** The most checks for an attempt, and the pause in between. */
const CHECKS_MAX = 100;
const CHECK_PAUSE_MS = 50;
/** How far a scenario's release lies behind the end of its hold. */
const RELEASE_MS = 15_000;

/** Begins scenarios; one that was begun before under the same key is answered again. */
export function createScenarios(parts: ScenarioParts): BeginScenario {
  const begun = new Map<string, Scenario>();
  return async (call, request) => {
    const name = `${call.partner.partnerId} ${call.idempotencyKey}`;
    const before = begun.get(name);
    if (before !== undefined) return { ok: true, value: before };
    const outcome = await begin(parts, call, request);
    if (outcome.ok) begun.set(name, outcome.value);
    return outcome;
  };
}

function begin(
  parts: ScenarioParts,
  call: SignedWriteCall,
  request: ScenarioRequest,
): Promise<Outcome<Scenario>> {
  if (request.price) return beginPrice(parts, call, request.price);
  if (request.clock) return beginClock(parts, call, request.clock);
  if (request.funding) return beginFunding(parts, call, request.funding);
  return beginWebhooks(parts, call, request.webhooks!);
}

async function beginPrice(
  { control, now, prices }: ScenarioParts,
  { partner: { partnerId } }: SignedWriteCall,
  price: PriceScenario,
): Promise<Outcome<Scenario>> {
  const beganAtMs = await beginPriceScenario(control.sql, partnerId, price, now());
  if (beganAtMs === undefined) {
    return refuse("simulation_invalid", "Other partners share this sandbox, and its price.");
  }
  // Other instances see it within a second.
  await prices.refresh?.();
  const afterSeconds = price.path?.at(-1)?.afterSeconds ?? 0;
  return started({ kind: "price", beganAtMs, endsAtMs: beganAtMs + afterSeconds * 1_000 });
}

async function beginClock(
  { control: { sql }, now, clock }: ScenarioParts,
  { partner: { partnerId, clientId } }: SignedWriteCall,
  { advanceToMs }: ClockScenario,
): Promise<Outcome<Scenario>> {
  const beganAtMs = now();
  const credentials = await listCredentials(sql, beganAtMs, { clientId });
  const isOver = credentials.some(({ state, validUntilMs }) =>
    state === "active" && validUntilMs !== null && validUntilMs <= advanceToMs
  );
  if (isOver) return refuse("simulation_invalid", "A credential of yours would have ended.");
  if (!await advanceClock(sql, partnerId, advanceToMs)) {
    return refuse("simulation_invalid", "Other partners share this sandbox, and its clock.");
  }
  await clock.refresh();
  return started({ kind: "clock", beganAtMs, endsAtMs: Math.max(beganAtMs, advanceToMs) });
}

async function beginFunding(
  { trading, now, wait, later }: ScenarioParts,
  { partner, idempotencyKey }: SignedWriteCall,
  { amountHalalas, comes, afterSeconds }: FundingScenario,
): Promise<Outcome<Scenario>> {
  const arrives = comes === "short" ? amountHalalas * 9n / 10n : amountHalalas;
  const refusal = outOfBounds("SAR", arrives, FUNDING_MIN_HALALAS, FUNDING_MAX_HALALAS);
  if (refusal) return refusal;
  const beganAtMs = now();
  const afterMs = (afterSeconds ?? 0) * 1_000;
  const times = { later: 1, short: 1, twice: 2, returned: 0 }[comes];
  later(async () => {
    await wait(afterMs);
    for (let n = 1; n <= times; n++) {
      const parameters = `scenario ${n} ${idempotencyKey}`;
      await trading.fund({
        partner,
        idempotencyKey: parameters,
        parameters,
        receivedAtMs: now(),
        request: { amountHalalas: arrives },
      });
    }
  });
  return started({ kind: "funding", beganAtMs, endsAtMs: beganAtMs + afterMs });
}

async function beginWebhooks(
  parts: ScenarioParts,
  { partner: { partnerId } }: SignedWriteCall,
  { comes, afterSeconds }: WebhooksScenario,
): Promise<Outcome<Scenario>> {
  const { database: { sql }, now, wait, later } = parts;
  const afterMs = afterSeconds * 1_000;
  const heldUntilMs = await hold(parts, partnerId, afterMs + RELEASE_MS);
  const beganAtMs = now();
  later(async () => {
    await wait(afterMs);
    const held = await eventsAhead(sql, partnerId);
    if (comes === "out_of_order") await deliverBackwards(parts, partnerId, held);
    if (comes === "old_secret") {
      for (const sequence of held) await parts.sendWithOldSecret({ partnerId, sequence });
    }
    await releaseEvents(sql, partnerId, now(), heldUntilMs);
    if (comes === "twice") await deliverAgain(parts, partnerId, held);
  });
  return started({ kind: "webhooks", beganAtMs, endsAtMs: beganAtMs + afterMs });
}

/** Delivers each event a second time, once it was its turn. */
async function deliverAgain(
  { database: { sql }, now, wait }: ScenarioParts,
  partnerId: number,
  sequences: readonly bigint[],
): Promise<void> {
  for (const sequence of sequences) {
    const isAhead = async () => (await eventsAhead(sql, partnerId)).includes(sequence);
    for (let n = 0; n < CHECKS_MAX && await isAhead(); n++) await wait(CHECK_PAUSE_MS);
    await deliverAt(sql, partnerId, sequence, now());
  }
}

/** Delivers each event once the one after it was attempted. */
async function deliverBackwards(
  { database: { sql }, now, wait }: ScenarioParts,
  partnerId: number,
  sequences: readonly bigint[],
): Promise<void> {
  // If this stops half-way, they come nevertheless.
  for (const sequence of sequences) {
    await deliverAt(sql, partnerId, sequence, now() + RELEASE_MS);
    await passEvent(sql, partnerId, sequence);
  }
  for (const sequence of sequences.toReversed()) {
    await deliverAt(sql, partnerId, sequence, now());
    for (let n = 0; n < CHECKS_MAX && !await wasAttempted(sql, partnerId, sequence); n++) {
      await wait(CHECK_PAUSE_MS);
    }
  }
}

function started(value: Scenario): Outcome<Scenario> {
  return { ok: true, value };
}
