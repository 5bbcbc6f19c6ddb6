import { buildRouteMap } from "@stricli/core";
import { formatHalalas } from "@sabika/protocol";
import { command, neededFlag } from "../command/command.ts";
import { amount } from "../command/json.ts";
import { riyals, text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import { ID } from "./arguments.ts";

const credit = command<{ reference: string }, [string, bigint]>({
  brief: "Credit a bank transfer that arrived; once per reference",
  examples: ["funding credit bank-one 1000000 --reference FT26324001"],
  flags: {
    reference: neededFlag(text, "The bank's reference", "REFERENCE", {
      question: "The bank's reference?",
    }),
  },
  args: [ID, ["AMOUNT", "SAR, at most 2 decimals", riyals]],
  async run(session, { reference }, id, halalas) {
    const { funding: made, repeated } = await session.act("funding.credit", {
      partner: id,
      amount_sar: formatHalalas(halalas),
      reference,
    });
    const [credited, balance] = [
      formatHalalas(made.amountHalalas),
      formatHalalas(made.balanceHalalas),
    ];
    return {
      json: {
        client_id: id,
        id: made.id,
        amount_sar: amount(credited),
        balance_sar: amount(balance),
        reference,
        repeated,
      },
      text: repeated
        ? `${reference} was credited before as ${made.id}: nothing was done\n`
        : `${credited} SAR are credited to ${id} as ${made.id}: it has ${balance} SAR\n`,
    };
  },
});

/** `sabika funding …` */
export const funding = buildRouteMap({
  docs: { brief: "Money that partners sent by bank" },
  routes: { credit, ...readCommands("funding") },
});
