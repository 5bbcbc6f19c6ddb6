import { type Difference, reconcile as reconcileOne, reconcileSince } from "@sabika/core/ledger";
import { readPartners } from "@sabika/core/partners";
import { formatHalalas, formatMicrograms, formatTime } from "@sabika/protocol";
import { command, switchFlag, textFlag } from "../command/command.ts";
import { amount, type Json } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { findPartner } from "./partner_show.ts";

/** `sabika reconcile` */
export const reconcile = command<{ partner?: string; full: boolean }, []>({
  act: "books.read",
  brief: "Recount the books: exit 1 and the differences when something does not agree",
  more:
    "Every balance is the sum of its transfers, each asset sums to zero, orders have the terms\n" +
    "of their quotes, came before their end, showed the balances that there were, have their keys\n" +
    "and nonces, and the vault covers what is promised.\n" +
    "What came since the last whole recount that found nothing; with --full, or --partner, from the\n" +
    "first transfer: that alone finds what was changed by force in what is older.",
  examples: ["reconcile", "reconcile --full", "reconcile --json"],
  flags: {
    partner: textFlag("This partner alone, whole", "ID"),
    full: switchFlag("Everything, from the first transfer"),
  },
  async run(session, flags) {
    const database = await session.database();
    const partners = await readPartners(database.sql, -1n);
    const partnerId = flags.partner === undefined
      ? undefined
      : (await findPartner(database, flags.partner)).partnerId;
    const { differences, sinceMs } = partnerId === undefined
      ? await reconcileSince(database, { whole: flags.full })
      : { differences: await reconcileOne(database, { partnerId }), sinceMs: undefined };
    const since = sinceMs === undefined ? null : formatTime(sinceMs);
    const nameOf = (id: number | null) =>
      partners.find((partner) => partner.partnerId === id)?.clientId ?? null;
    const count = partnerId === undefined ? partners.length : 1;
    const { json, text } = listing(differences, [
      ["partner", "PARTNER", (one) => nameOf(one.partnerId)],
      ["check", "CHECK", (one) => one.check],
      ["subject", "SUBJECT", (one) => one.subject],
      [
        "expected",
        "EXPECTED",
        (one) => valueOf(one, one.expected),
        (one) => textOf(one, one.expected),
      ],
      ["actual", "ACTUAL", (one) => valueOf(one, one.actual), (one) => textOf(one, one.actual)],
    ]);
    const ok = differences.length === 0;
    return {
      failed: !ok,
      json: { ok, partners: count, since, differences: json },
      text: ok
        ? `all is well: ${count} partners recounted${since ? `, since ${since}` : ""}\n`
        : text,
    };
  },
});

const GOLD = ["gold", "allocation", "vault", "XAU", "bars", "promises"];
const COUNTS = ["numbers", "events", "keys", "nonces"];

const isGold = ({ subject }: Difference) =>
  GOLD.includes(subject) || subject.startsWith("gold after ");
const isCount = ({ check }: Difference) => COUNTS.includes(check);

/** Amounts in their unit, moments as such, counts as they are. */
function valueOf(difference: Difference, value: bigint): Json {
  if (difference.check === "times") return formatTime(Number(value));
  if (isCount(difference)) return Number(value);
  return amount(isGold(difference) ? formatMicrograms(value) : formatHalalas(value));
}

function textOf(difference: Difference, value: bigint): string {
  if (difference.check === "times") return formatTime(Number(value));
  if (isCount(difference)) return String(value);
  return isGold(difference) ? `${formatMicrograms(value)} g` : `${formatHalalas(value)} SAR`;
}
