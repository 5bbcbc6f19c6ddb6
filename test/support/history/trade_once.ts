import { type Caller, idOf, type RecordedReply, type SendChoices } from "./caller.ts";

const TIMEOUT_MS = 5_000;

/**
 * Makes a small trade: money, a quote and its order.
 *
 * @returns the step that failed, or undefined
 */
export async function tradeOnce(
  caller: Caller,
  { instance = 0 }: Pick<SendChoices, "instance"> = {},
): Promise<string | undefined> {
  const choices = { instance, timeoutMs: TIMEOUT_MS };
  const failureOf = ({ call: { kind }, outcome, status, code }: RecordedReply) =>
    outcome === "ok" ? undefined : `${kind} ${status} ${code}`;
  const funded = await caller.write("fund", '{"amount_sar":1000}', choices);
  if (funded.outcome !== "ok") return failureOf(funded);
  const quoted = await caller.write("quote", '{"side":"buy","gold_grams":0.5}', choices);
  if (quoted.outcome !== "ok") return failureOf(quoted);
  return failureOf(await caller.write("order", `{"quote_id":"${idOf(quoted)}"}`, choices));
}
