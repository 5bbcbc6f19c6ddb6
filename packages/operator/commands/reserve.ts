import { buildRouteMap } from "@stricli/core";
import { formatHalalas } from "@sabika/protocol";
import { amount } from "../command/json.ts";
import { command } from "../command/command.ts";
import { date, riyals } from "../command/parsers.ts";

const set = command<object, [string, bigint]>({
  brief: "Enter what was on the bank account at the end of a day, by two people",
  more:
    "Once, and before noon of the next day in Riyadh: then the day's reserve is made without it.",
  examples: ["reserve bank set 2026-11-20 1250000.50"],
  args: [
    ["DAY", "The day, in Riyadh", date],
    ["AMOUNT", "SAR, at most 2 decimals", riyals],
  ],
  async run(session, _flags, day, halalas) {
    const sar = formatHalalas(halalas);
    await session.act("reserve.bank.set", { day, amount_sar: sar });
    return {
      json: { day, amount_sar: amount(sar) },
      text: `${sar} SAR were on the bank account at the end of ${day}\n`,
    };
  },
});

/** `sabika reserve …` */
export const reserve = buildRouteMap({
  docs: { brief: "The reserve of each day" },
  routes: {
    bank: buildRouteMap({
      docs: { brief: "What was on the operator's bank account at the end of a day" },
      routes: { set },
    }),
  },
});
