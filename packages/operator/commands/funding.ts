import { buildRouteMap } from "@stricli/core";
import type { FundingOf } from "@sabika/core/oversight";
import { formatHalalas } from "@sabika/protocol";
import { command, neededFlag, textFlag } from "../command/command.ts";
import { details } from "../command/details.ts";
import { amount, time } from "../command/json.ts";
import type { Column } from "../command/listing.ts";
import { PAGE_FLAGS, type PageFlags, pageShown, partOf } from "../command/page.ts";
import { riyals, text } from "../command/parsers.ts";
import { notFound } from "../outcome.ts";
import { openReads } from "../reads/open_reads.ts";
import { ID } from "./arguments.ts";

const credit = command<{ reference: string }, [string, bigint]>({
  act: "funding.credit",
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

const COLUMNS: readonly Column<FundingOf>[] = [
  ["client_id", "PARTNER", (one) => one.clientId],
  ["id", "ID", (one) => one.id],
  ["amount_sar", "SAR", (one) => amount(formatHalalas(one.amountHalalas))],
  ["balance_sar", "BALANCE SAR", (one) => amount(formatHalalas(one.balanceHalalas))],
  ["reference", "REFERENCE", (one) => one.reference],
  ["created_at", "CREATED", (one) => time(one.createdAtMs)],
];

const list = command<PageFlags & { partner?: string; reference?: string }, []>({
  act: "trade.read",
  brief: "List money that came in, of all partners or one, newest first",
  examples: ["funding list --partner bank-one", "funding list --reference FT26324001"],
  flags: {
    partner: textFlag("Of this partner alone", "ID"),
    reference: textFlag("The bank's reference", "REFERENCE"),
    ...PAGE_FLAGS,
  },
  async run(session, { partner, reference, ...page }) {
    const reads = await openReads(session);
    return pageShown(await reads.fundings({ ...partOf(page), partner, reference }), COLUMNS);
  },
});

const show = command<object, [string]>({
  act: "trade.read",
  brief: "Show money that came in, whosever it is",
  examples: ["funding show fund_019e9c5e-51b5-7aa0-8c44-2f3d5e6a7b80"],
  args: [["FUNDING", "Its id, fund_…"]],
  async run(session, _flags, id) {
    const found = await (await openReads(session)).funding(id);
    if (found === undefined) throw notFound(`funding ${id}`);
    return details(found, COLUMNS);
  },
});

/** `sabika funding …` */
export const funding = buildRouteMap({
  docs: { brief: "Money that partners sent by bank" },
  routes: { credit, list, show },
});
