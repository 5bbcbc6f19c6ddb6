import { buildRouteMap } from "@stricli/core";
import { formatTerm } from "@sabika/terms";
import { command, neededFlag } from "../command/command.ts";
import { date, percent } from "../command/parsers.ts";
import { table } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { findPartner } from "./partner_show.ts";

interface Flags {
  gold: bigint;
  fee: bigint;
  from: string;
}

const PARTNER = ["PARTNER", ID[1]] as const;
const shown = (ppm: bigint | number) => formatTerm("percent", BigInt(ppm));

/** `sabika tax …` */
export const tax = buildRouteMap({
  docs: { brief: "The VAT of a partner's trades, by the days from which it holds" },
  routes: {
    set: command<Flags, [string]>({
      brief: "Set a partner's VAT on gold and on the fee from a day on, by two people",
      more: "Quotes and orders of before keep theirs. A sale's gold has no VAT here.",
      examples: ["tax set bank-one --gold 0% --fee 15% --from 2027-01-01"],
      flags: {
        gold: neededFlag(percent, "The rate on the gold that it buys", "PERCENT", {
          question: "VAT on gold",
        }),
        fee: neededFlag(percent, "The rate on the fee", "PERCENT", { question: "VAT on the fee" }),
        from: neededFlag(date, "The first day, in Riyadh", "DAY", { question: "From which day" }),
      },
      args: [PARTNER],
      async run(session, { gold, fee, from }, id) {
        const rates = { gold_vat_percent: shown(gold), fee_vat_percent: shown(fee) };
        await session.act("tax.set", { partner: id, ...rates, from_day: from });
        return {
          json: { client_id: id, ...rates, from_day: from },
          text: `${id}: ${shown(gold)} % on gold and ${shown(fee)} % on the fee from ${from}\n`,
        };
      },
    }),
    list: command<object, [string]>({
      brief: "List a partner's VAT by the days from which it holds",
      examples: ["tax list bank-one"],
      args: [PARTNER],
      async run(session, _flags, id) {
        const { settings: { taxes, vatPpm } } = await findPartner(session, id);
        const before = {
          from_day: null,
          gold_vat_percent: shown(vatPpm),
          fee_vat_percent: shown(vatPpm),
        };
        const terms = Object.entries(taxes ?? {}).map(([from_day, rates]) => ({
          from_day,
          gold_vat_percent: shown(rates.gold_ppm),
          fee_vat_percent: shown(rates.fee_ppm),
        }));
        const rows = [before, ...terms];
        return {
          json: rows,
          text: table(
            ["FROM", "GOLD %", "FEE %"],
            rows.map((
              row,
            ) => [row.from_day ?? "the start", row.gold_vat_percent, row.fee_vat_percent]),
          ),
        };
      },
    }),
  },
});
