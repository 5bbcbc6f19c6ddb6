import { unitOf } from "@sabika/service/without-database";
import { RECOUNTED } from "@sabika/office/reads";
import type { FoundDifference } from "@sabika/service/ledger";
import { formatHalalas, formatMicrograms, formatTime } from "@sabika/protocol";
import { command, switchFlag, textFlag } from "../command/command.ts";
import { amount, type Json } from "../command/json.ts";
import { type Column, listing } from "../command/listing.ts";
import { readOne } from "../reads/read.ts";

/** `sabika reconcile` */
export const reconcile = command<{ partner?: string; full: boolean }, []>({
  brief: "Recount the books: exit 1 and the differences when something does not agree",
  more:
    "Every balance is the sum of its transfers, each asset sums to zero, orders have the terms\n" +
    "of their quotes, these cost what follows from their recorded prices, orders came before their\n" +
    "end, showed the balances that there were, have their keys, nonces and signed requests, the\n" +
    "vault covers what is promised, receipts and reserves are what their rows make, byte for byte,\n" +
    "and every cell has booked what was recorded.\n" +
    "What came since the last whole recount that found nothing; with --full, or --partner, from the\n" +
    "first transfer: that alone finds what was changed by force in what is older.",
  examples: ["reconcile", "reconcile --full", "reconcile --json"],
  flags: {
    partner: textFlag("This partner alone, whole", "ID"),
    full: switchFlag("Everything, from the first transfer"),
  },
  async run(session, flags) {
    const { partner, full } = flags;
    const asking = { query: { client_id: partner, since: full ? "first" : "last" } };
    const found = await readOne(session, RECOUNTED, asking);
    const { differences, sinceMs, partners: count, unpricedOrders } = found;
    const since = sinceMs === null ? null : formatTime(sinceMs);
    const { json, text } = listing(differences, [
      ["partner", "PARTNER", (found) => found.clientId],
      ["check", "CHECK", (found) => found.check],
      ["subject", "SUBJECT", (found) => found.subject],
      valueColumn("expected"),
      valueColumn("actual"),
    ]);
    const ok = differences.length === 0;
    const unpriced = unpricedOrders === 0n
      ? ""
      : `${unpricedOrders} orders have quotes from before prices were recorded: these were not recounted ` +
        "against a price\n";
    return {
      failed: !ok,
      json: {
        ok,
        partners: count,
        since,
        unpriced_orders: Number(unpricedOrders),
        differences: json,
      },
      text: (ok
        ? `all is well: ${count} partners recounted${since ? `, since ${since}` : ""}\n`
        : text) + unpriced,
    };
  },
});

/** How a value is written by its unit: in JSON, and for people. */
const WRITERS: Readonly<
  Record<ReturnType<typeof unitOf>, readonly [(value: bigint) => Json, (value: bigint) => string]>
> = {
  moment: [(value) => formatTime(Number(value)), (value) => formatTime(Number(value))],
  count: [Number, String],
  gold: [(value) => amount(formatMicrograms(value)), (value) => `${formatMicrograms(value)} g`],
  money: [(value) => amount(formatHalalas(value)), (value) => `${formatHalalas(value)} SAR`],
};

const valueColumn = (name: "expected" | "actual"): Column<FoundDifference> => [
  name,
  name.toUpperCase(),
  (found) => WRITERS[unitOf(found)][0](found[name]),
  (found) => WRITERS[unitOf(found)][1](found[name]),
];
