// Stands before an integration that is rehearsed (docs/rehearsal.md): a step a line in, a result a line out.
// Here the integration is the SDK. KIT is .sabika/partners/demo if it is not given.
import process from "node:process";
import { createInterface } from "node:readline";
import {
  createClient,
  formatGrams,
  formatRiyals,
  grams,
  openKit,
  riyals,
  SabikaError,
} from "@sabika/client";

const client = createClient(await openKit(process.argv[2] ?? ".sabika/partners/demo"));

/** Has the integration do a step; returns what the result has besides `ok`. */
// deno-lint-ignore no-explicit-any
async function carryOut(step: any): Promise<object> {
  const { simulate, key: idempotencyKey } = step;
  switch (step.do) {
    case "probe":
      await client.probe("{}", { simulate });
      return {};
    case "price":
      await client.prices({ simulate });
      return {};
    case "balances": {
      const { sarHalalas, goldMicrograms } = await client.balances({ simulate });
      return { sar: formatRiyals(sarHalalas), gold_grams: formatGrams(goldMicrograms) };
    }
    case "quote": {
      const { side } = step;
      const amount = step.gold_grams === undefined
        ? { amountHalalas: riyals(step.amount_sar) }
        : { goldMicrograms: grams(step.gold_grams) };
      return { id: (await client.quote({ side, ...amount }, { simulate })).id };
    }
    case "order": {
      const order = { quoteId: step.quote_id };
      return { id: (await client.order(order, { simulate, idempotencyKey })).id };
    }
    case "withdraw": {
      const withdrawal = { amountHalalas: riyals(step.amount_sar) };
      return { id: (await client.withdraw(withdrawal, { simulate, idempotencyKey })).id };
    }
    case "cancel":
      return { id: (await client.cancelWithdrawal(step.id, { simulate, idempotencyKey })).id };
    default:
      return { ok: false, code: "not_known" };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ ok: true, ...await carryOut(JSON.parse(line)) }));
  } catch (error) {
    if (!(error instanceof SabikaError)) throw error;
    console.log(JSON.stringify({ ok: false, code: error.code }));
  }
}
await client.close();
