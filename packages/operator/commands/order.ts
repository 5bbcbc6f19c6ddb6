import { buildRouteMap } from "@stricli/core";
import type { TradeStory } from "@sabika/office/oversight";
import {
  DELIVERY_ATTEMPTS,
  LEDGER,
  ORDER_STORY,
  ORDERS,
  PARTNERS_EVENTS,
} from "@sabika/office/reads";
import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { detailed, listed } from "../command/columns.ts";
import { command, type Shown } from "../command/command.ts";
import { amount, type Json, time } from "../command/json.ts";
import { readCommands } from "../command/read_commands.ts";
import { list as lines } from "../command/table.ts";
import { notFound } from "../outcome.ts";
import { findOne } from "../reads/read.ts";

const show = command<object, [string]>({
  brief: "Show one trade whole: order, checks, transfers, event, every delivery attempt",
  examples: [
    "order show ord_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80",
    "order show qt_019e9c5e-4c0f-7d31-9b6e-0a1b2c3d4e5f",
  ],
  args: [["ORDER", "Its id, its quote's or its event's, or its Idempotency-Key"]],
  async run(session, _flags, text) {
    const story = await findOne(session, ORDER_STORY, { path: { id: text } });
    if (story === undefined) throw notFound(`order ${text}`);
    return storyShown(story);
  },
});

const receipt = command<object, [string]>({
  brief: "Print the receipt of an order as it was signed, a compact JWS",
  examples: ["order receipt ord_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
  args: [["ORDER", "Its id, its quote's or its event's, or its Idempotency-Key"]],
  async run(session, _flags, text) {
    const story = await findOne(session, ORDER_STORY, { path: { id: text } });
    if (story === undefined) throw notFound(`order ${text}`);
    const { receipt, trade: { id } } = story;
    if (receipt === null) throw notFound(`receipt of ${id}, or it is not signed yet`);
    return { json: { order_id: id, receipt }, text: `${receipt}\n` };
  },
});

/** `sabika order …` */
export const order = buildRouteMap({
  docs: { brief: "What partners bought and sold" },
  routes: { ...readCommands("order"), show, receipt },
});

function storyShown(
  { trade, receivedAtMs, balancesAfter, checks, transfers, event, attempts }: TradeStory,
): Shown {
  const story = detailed(ORDERS, trade);
  const [entries, tried] = [listed(LEDGER, transfers), listed(DELIVERY_ATTEMPTS, attempts)];
  const sar = formatHalalas(balancesAfter.sarHalalas);
  const gold = formatMicrograms(balancesAfter.goldMicrograms);
  const held = Object.entries(checks);
  const json: Json = {
    ...story.json,
    received_at: time(receivedAtMs),
    balances_after: { sar: amount(sar), gold_grams: amount(gold) },
    checks,
    transfers: entries.json,
    event: event === null ? null : detailed(PARTNERS_EVENTS, event).json,
    attempts: tried.json,
  };
  return {
    json,
    text: story.text + lines([
      ["received", time(receivedAtMs)],
      ["balance after it", `${sar} SAR, ${gold} g`],
      ...held.map(([check, holds]) => [check.replaceAll("_", " "), holds ? "yes" : "NO"] as const),
      ["event", event === null ? null : `${event.id}, ${event.delivery!.status}`],
    ]) + `\n${entries.text}\n${tried.text}`,
    failed: held.some(([, holds]) => !holds),
  };
}
