import { buildRouteMap } from "@stricli/core";
import {
  formatHalalas,
  formatMicrograms,
  formatPrice,
  formatRate,
  type Quote,
  QUOTE_STATUSES,
  type QuoteStatus,
} from "@sabika/protocol";
import { command } from "../command/command.ts";
import { details } from "../command/details.ts";
import { amount, time } from "../command/json.ts";
import type { Column } from "../command/listing.ts";
import { pageShown, partOf } from "../command/page.ts";
import { notFound } from "../outcome.ts";
import { openReads } from "../reads/open_reads.ts";
import { PARTNERS_FLAGS, type PartnersFlags } from "./partners_flags.ts";

const COLUMNS: readonly Column<Quote>[] = [
  ["id", "ID", (one) => one.id],
  ["status", "STATUS", (one) => one.status],
  ["side", "SIDE", (one) => one.side],
  ["gold_grams", "GOLD g", (one) => amount(formatMicrograms(one.goldMicrograms))],
  [
    "price_per_gram_sar",
    "SAR/g",
    (one) => amount(formatPrice(one.pricePerGramTenThousandths)),
  ],
  ["fee_sar", null, (one) => amount(formatHalalas(one.feeHalalas))],
  ["vat_rate", null, (one) => amount(formatRate(one.vatRatePpm))],
  ["vat_sar", null, (one) => amount(formatHalalas(one.vatHalalas))],
  ["total_sar", "TOTAL SAR", (one) => amount(formatHalalas(one.totalHalalas))],
  ["price_as_of", null, (one) => time(one.priceAsOfMs)],
  ["created_at", "CREATED", (one) => time(one.createdAtMs)],
  ["expires_at", null, (one) => time(one.expiresAtMs)],
  ["order_id", "ORDER", (one) => one.orderId],
];

const list = command<PartnersFlags & { status?: QuoteStatus }, []>({
  act: "trade.read",
  brief: "List a partner's quotes, newest first",
  examples: ["quote list --partner bank-one --status open"],
  flags: {
    ...PARTNERS_FLAGS,
    status: { kind: "enum", values: QUOTE_STATUSES, brief: "Of this status", optional: true },
  },
  async run(session, { partner, key, status, ...page }) {
    const reads = await openReads(session);
    return pageShown(await reads.quotes({ ...partOf(page), partner, key, status }), COLUMNS);
  },
});

const show = command<object, [string]>({
  act: "trade.read",
  brief: "Show a quote, whosever it is",
  examples: ["quote show qt_019e9c5e-4c0f-7d31-9b6e-0a1b2c3d4e5f"],
  args: [["QUOTE", "Its id, qt_…"]],
  async run(session, _flags, id) {
    const found = await (await openReads(session)).quote(id);
    if (found === undefined) throw notFound(`quote ${id}`);
    return details(found, [["client_id", "PARTNER", (one) => one.clientId], ...COLUMNS]);
  },
});

/** `sabika quote …` */
export const quote = buildRouteMap({
  docs: { brief: "The prices that partners were given" },
  routes: { list, show },
});
