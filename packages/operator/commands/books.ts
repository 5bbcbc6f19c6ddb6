import { type Difference, reconcile as reconcileLedger } from "@sabika/core/ledger";
import { readPartners } from "@sabika/core/partners";
import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { command, textFlag } from "../command/command.ts";
import { amount, type Json } from "../command/json.ts";
import { table } from "../command/table.ts";
import { findPartner } from "./partner_show.ts";

/** `sabika reconcile` */
export const reconcile = command<{ partner?: string }, []>({
  brief: "Recount everything: exit 1 and the differences when something does not agree",
  more:
    "Every balance is the sum of its transfers, each asset sums to zero, orders have the terms\n" +
    "of their quotes, and the vault covers what is promised.",
  examples: ["reconcile", "reconcile --json"],
  flags: { partner: textFlag("This partner alone", "ID") },
  args: [],
  async run(session, flags) {
    const database = await session.database();
    const partners = await readPartners(database.sql, -1n);
    const partnerId = flags.partner === undefined
      ? undefined
      : (await findPartner(database, flags.partner)).partnerId;
    const differences = await reconcileLedger(database, { partnerId });
    const nameOf = (id: number | null) =>
      partners.find((partner) => partner.partnerId === id)?.clientId ?? null;
    return {
      failed: differences.length > 0,
      json: {
        ok: differences.length === 0,
        partners: partnerId === undefined ? partners.length : 1,
        differences: differences.map((one) => ({
          partner: nameOf(one.partnerId),
          check: one.check,
          subject: one.subject,
          expected: shown(one, one.expected).json,
          actual: shown(one, one.actual).json,
        })),
      },
      text: differences.length === 0
        ? `all is well: ${partnerId === undefined ? partners.length : 1} partners recounted\n`
        : table(
          ["PARTNER", "CHECK", "SUBJECT", "EXPECTED", "ACTUAL"],
          differences.map((one) => [
            nameOf(one.partnerId),
            one.check,
            one.subject,
            shown(one, one.expected).text,
            shown(one, one.actual).text,
          ]),
        ),
    };
  },
});

const GOLD = ["gold", "allocation", "vault", "XAU", "bars", "promises"];
const COUNTS = ["numbers", "events"];

/** Amounts in their unit, counts as they are. */
function shown(difference: Difference, value: bigint): { json: Json; text: string } {
  if (COUNTS.includes(difference.check)) return { json: Number(value), text: String(value) };
  const text = GOLD.includes(difference.subject)
    ? `${formatMicrograms(value)} g`
    : `${formatHalalas(value)} SAR`;
  return { json: amount(text.split(" ")[0]!), text };
}
