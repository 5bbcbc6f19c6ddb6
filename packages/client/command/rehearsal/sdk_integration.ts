import { formatGrams, formatRiyals, grams, riyals } from "../../amounts.ts";
import { createClient } from "../../client.ts";
import type { Client } from "../../client_interface.ts";
import type { Kit } from "../../kit.ts";
import { SabikaError } from "../../sabika_error.ts";
import { VERSION } from "../../version.ts";
import type { Integration, Step, StepResult } from "./integration.ts";

/**
 * The SDK as the integration.
 *
 * @param handled the ids of the events that were handled; undefined if somebody else receives them
 */
export function sdkIntegration(
  kit: Kit,
  handled: readonly string[] | undefined,
  signal: AbortSignal,
): Integration {
  const client = createClient(kit);
  return {
    name: `@sabika/client ${VERSION}`,
    async do(step) {
      if (step.do === "handled") {
        return handled ? { ok: true, events: handled } : { ok: false, code: "not_known" };
      }
      try {
        return await carryOut(client, step, signal);
      } catch (error) {
        if (error instanceof SabikaError) return { ok: false, code: error.code };
        throw error;
      }
    },
    close: () => client.close(),
  };
}

async function carryOut(
  client: Client,
  step: Exclude<Step, { do: "handled" }>,
  signal: AbortSignal,
): Promise<StepResult> {
  const { simulate } = step;
  const options = { signal, simulate };
  switch (step.do) {
    case "probe":
      await client.probe("{}", options);
      return { ok: true };
    case "price":
      await client.prices(options);
      return { ok: true };
    case "balances": {
      const { sarHalalas, goldMicrograms } = await client.balances(options);
      return { ok: true, sar: formatRiyals(sarHalalas), gold_grams: formatGrams(goldMicrograms) };
    }
    case "quote": {
      const amount = "gold_grams" in step
        ? { goldMicrograms: grams(step.gold_grams) }
        : { amountHalalas: riyals(step.amount_sar) };
      return made(await client.quote({ side: step.side, ...amount }, options));
    }
    case "order": {
      const quoteId = step.quote_id as `qt_${string}`;
      return made(await client.order({ quoteId }, { ...options, idempotencyKey: step.key }));
    }
    case "withdraw": {
      const request = { amountHalalas: riyals(step.amount_sar) };
      return made(await client.withdraw(request, { ...options, idempotencyKey: step.key }));
    }
    case "cancel":
      return made(await client.cancelWithdrawal(step.id, { ...options, idempotencyKey: step.key }));
  }
}

function made({ id }: { id: string }): StepResult {
  return { ok: true, id };
}
