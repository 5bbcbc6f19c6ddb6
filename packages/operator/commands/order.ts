import { buildRouteMap } from "@stricli/core";
import type { Trade, TradeStory } from "@sabika/core/oversight";
import { formatHalalas, formatMicrograms, formatPrice, type Side, SIDES } from "@sabika/protocol";
import { command, type Shown, textFlag } from "../command/command.ts";
import { details } from "../command/details.ts";
import { amount, type Json, time } from "../command/json.ts";
import { type Column, listing } from "../command/listing.ts";
import { PAGE_FLAGS, type PageFlags, pageShown, partOf } from "../command/page.ts";
import { list as lines } from "../command/table.ts";
import { notFound } from "../outcome.ts";
import { openReads } from "../reads/open_reads.ts";
import { ATTEMPT_COLUMNS, EVENT_COLUMNS } from "./event.ts";
import { ENTRY_COLUMNS } from "./statement.ts";

const COLUMNS: readonly Column<Trade>[] = [
  ["client_id", "PARTNER", (one) => one.clientId],
  ["id", "ID", (one) => one.id],
  ["quote_id", null, (one) => one.quoteId],
  ["side", "SIDE", (one) => one.side],
  ["gold_grams", "GOLD g", (one) => amount(formatMicrograms(one.goldMicrograms))],
  [
    "price_per_gram_sar",
    "SAR/g",
    (one) => amount(formatPrice(one.pricePerGramTenThousandths)),
  ],
  ["fee_sar", null, (one) => amount(formatHalalas(one.feeHalalas))],
  ["vat_sar", null, (one) => amount(formatHalalas(one.vatHalalas))],
  ["total_sar", "TOTAL SAR", (one) => amount(formatHalalas(one.totalHalalas))],
  ["client_reference", "REFERENCE", (one) => one.clientReference],
  ["executed_at", "EXECUTED", (one) => time(one.executedAtMs)],
];

const list = command<PageFlags & { partner?: string; side?: Side }, []>({
  act: "trade.read",
  brief: "List orders of all partners or one, newest first",
  examples: [
    "order list --limit 50",
    "order list --partner bank-one --side sell --from 2026-11-01 --until 2026-11-20",
  ],
  flags: {
    partner: textFlag("Of this partner alone", "ID"),
    side: { kind: "enum", values: SIDES, brief: "Of this side alone", optional: true },
    ...PAGE_FLAGS,
  },
  async run(session, { partner, side, ...page }) {
    const reads = await openReads(session);
    return pageShown(await reads.orders({ ...partOf(page), partner, side }), COLUMNS);
  },
});

const show = command<object, [string]>({
  act: "trade.read",
  brief: "Show one trade whole: order, checks, transfers, event, every delivery attempt",
  examples: [
    "order show ord_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80",
    "order show qt_019e9c5e-4c0f-7d31-9b6e-0a1b2c3d4e5f",
  ],
  args: [["ORDER", "Its id, its quote's or its event's, or its Idempotency-Key"]],
  async run(session, _flags, text) {
    const story = await (await openReads(session)).order(text);
    if (story === undefined) throw notFound(`order ${text}`);
    return storyShown(story);
  },
});

/** `sabika order …` */
export const order = buildRouteMap({
  docs: { brief: "What partners bought and sold" },
  routes: { list, show },
});

function storyShown(
  { trade, receivedAtMs, balancesAfter, checks, transfers, event, attempts }: TradeStory,
): Shown {
  const own = details(trade, COLUMNS);
  const [entries, tried] = [listing(transfers, ENTRY_COLUMNS), listing(attempts, ATTEMPT_COLUMNS)];
  const sar = formatHalalas(balancesAfter.sarHalalas);
  const gold = formatMicrograms(balancesAfter.goldMicrograms);
  const held = Object.entries(checks);
  const json: Json = {
    ...own.json,
    received_at: time(receivedAtMs),
    balances_after: { sar: amount(sar), gold_grams: amount(gold) },
    checks,
    transfers: entries.json,
    event: event === undefined ? null : details(event, EVENT_COLUMNS).json,
    attempts: tried.json,
  };
  return {
    json,
    text: own.text + lines([
      ["received", time(receivedAtMs)],
      ["balance after it", `${sar} SAR, ${gold} g`],
      ...held.map(([check, holds]) => [check.replaceAll("_", " "), holds ? "yes" : "NO"] as const),
      ["event", event === undefined ? null : `${event.id}, ${event.delivery!.status}`],
    ]) + `\n${entries.text}\n${tried.text}`,
    failed: held.some(([, holds]) => !holds),
  };
}
