import { formatGrams, formatRiyals, grams, riyals } from "../../amounts.ts";
import { wait } from "../../backoff.ts";
import type { Client } from "../../client_interface.ts";
import { SabikaError } from "../../sabika_error.ts";
import type { Integration, Step } from "./integration.ts";

/** A case of the plan. Case 1 is the first of the table. */
export interface Case {
  /** What happens. */
  readonly title: string;
  /** What must hold then. */
  readonly holds: string;
  /** @throws {Unmet} if it does not hold, {NotRun} if it cannot be seen here */
  run(stage: Stage): Promise<void>;
}

/** Thrown when a case does not hold; the message says what was seen. */
export class Unmet extends Error {}

/** Thrown when a sandbox cannot show a case; the message says why. */
export class NotRun extends Error {}

/** Where a case happens: the integration that acts, and a client that looks at what came of it. */
export interface Stage {
  readonly integration: Integration;
  readonly examiner: Client;
  readonly signal: AbortSignal;
}

/** What the examiner waits for at most; deliveries that failed once come again within seconds. */
const PATIENCE_MS = 30_000;

/** Throws {@link Unmet} unless something holds. */
export function demand(holds: boolean, seen: string): asserts holds {
  if (!holds) throw new Unmet(seen);
}

/** Has the integration do a step, which must succeed; returns the id of what was made. */
export async function succeed({ integration }: Stage, step: Step): Promise<string> {
  const result = await integration.do(step);
  demand(result.ok, `${step.do} ended with ${result.ok ? "" : result.code}`);
  return result.id ?? "";
}

/** Has the integration do a step, which must be refused with one of these codes. */
export async function refusal({ integration }: Stage, step: Step, code: string): Promise<void> {
  const result = await integration.do(step);
  demand(!result.ok, `${step.do} succeeded`);
  demand(result.code === code, `${step.do} ended with ${result.code}`);
}

/** Has the integration do a step until it succeeds; the second time without the simulated failure. */
export async function succeedAtLast(stage: Stage, step: Step): Promise<string> {
  const first = await stage.integration.do(step);
  if (first.ok) return first.id ?? "";
  const { simulate, ...again } = step;
  demand(first.code === simulate, `${step.do} ended with ${first.code}`);
  return await succeed(stage, again);
}

/** Has the integration ask for a quote of gold. */
export function quoteOf(stage: Stage, gold_grams = "0.1", side: "buy" | "sell" = "buy") {
  return succeed(stage, { do: "quote", side, gold_grams });
}

/** Waits until something is so. */
export async function until(
  { signal }: Stage,
  isSo: () => Promise<boolean>,
  otherwise: string,
): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    if (await isSo()) return;
    await wait(250, signal);
  }
  throw new Unmet(otherwise);
}

/** The one order that a key has made. */
export async function onlyOrder({ examiner }: Stage, idempotencyKey: string) {
  const { data } = await examiner.listOrders({ idempotencyKey });
  demand(data.length === 1, `the key made ${data.length} orders`);
  return data[0]!;
}

/** Demands that a key has made no order. */
export async function noOrder({ examiner }: Stage, idempotencyKey: string): Promise<void> {
  const { data } = await examiner.listOrders({ idempotencyKey });
  demand(data.length === 0, `the key made ${data[0]?.id}`);
}

/** How money and gold change while something is done. */
export async function change({ examiner }: Stage, run: () => Promise<void>) {
  const before = await examiner.balances();
  await run();
  const after = await examiner.balances();
  return {
    sarHalalas: after.sarHalalas - before.sarHalalas,
    goldMicrograms: after.goldMicrograms - before.goldMicrograms,
  };
}

/** Demands that the integration says the balances that the service has. */
export async function sameBalances({ integration, examiner }: Stage): Promise<void> {
  const said = await integration.do({ do: "balances" });
  demand(said.ok, "balances are not known");
  const { sarHalalas, goldMicrograms } = await examiner.balances();
  const [sar, gold] = [formatRiyals(sarHalalas), formatGrams(goldMicrograms)];
  const isSame = isAmount(riyals, said.sar, sarHalalas) &&
    isAmount(grams, said.gold_grams, goldMicrograms);
  demand(isSame, `${said.sar} SAR and ${said.gold_grams} g instead of ${sar} SAR and ${gold} g`);
}

function isAmount(read: (text: string) => bigint, text: string | undefined, amount: bigint) {
  try {
    return read(String(text)) === amount;
  } catch {
    return false;
  }
}

/** Begins a scenario, or ends the case where the sandbox is shared. */
export async function scenario(
  { examiner }: Stage,
  request: Parameters<Client["scenario"]>[0],
): Promise<void> {
  try {
    await examiner.scenario(request);
  } catch (error) {
    const isShared = error instanceof SabikaError && error.code === "simulation_invalid";
    throw isShared ? new NotRun("other partners share this sandbox") : error;
  }
}

export const newKey = (): string => `rehearsal-${crypto.randomUUID()}`;
