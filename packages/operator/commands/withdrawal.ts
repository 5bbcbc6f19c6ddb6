import { buildRouteMap } from "@stricli/core";
import { formatHalalas } from "@sabika/protocol";
import { WITHDRAWAL_OF_ALL } from "@sabika/office/reads";
import { acting } from "../command/acting.ts";
import { confirm } from "../command/ask.ts";
import { command, textFlag } from "../command/command.ts";
import { readCommands } from "../command/read_commands.ts";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";
import { findOne } from "../reads/read.ts";

const WITHDRAWAL = ["WITHDRAWAL", "Its id, wd_…"] as const;

/** Adds the partner and the amount to what is signed: the act is refused if they are others. */
async function look(session: Session, { withdrawal }: { readonly withdrawal: string }) {
  const found = await findOne(session, WITHDRAWAL_OF_ALL, { path: { id: withdrawal } });
  if (found === undefined) throw notFound(`withdrawal ${withdrawal}`);
  return {
    withdrawal,
    partner: found.clientId,
    amount_sar: formatHalalas(found.amountHalalas),
  };
}

function moving(verb: string, to: "processing" | "completed" | "cancelled", brief: string) {
  return acting(`withdrawal.${to}`, {
    brief,
    examples: [`withdrawal ${verb} wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11`],
    args: { withdrawal: WITHDRAWAL },
    look,
    ...to !== "processing" && {
      question: ({ withdrawal, partner, amount_sar }) =>
        `Is the withdrawal ${withdrawal} of ${partner} over ${amount_sar} SAR ${to}?`,
    },
    json: ({ withdrawal }, { status }) => ({ id: withdrawal, status }),
    text: ({ withdrawal }, { status }) => `${withdrawal} is ${status}`,
  });
}

/** `sabika withdrawal …` */
export const withdrawal = buildRouteMap({
  docs: { brief: "Pay out withdrawals, or give the money back" },
  routes: {
    ...readCommands("withdrawal"),
    process: moving(
      "process",
      "processing",
      "Mark it as being paid: it can no longer be cancelled",
    ),
    complete: moving("complete", "completed", "Mark it as paid"),
    cancel: moving("cancel", "cancelled", "Cancel it before it is paid; the money is given back"),
    fail: command<{ reason?: string }, [string]>({
      brief: "Mark its payment as failed; the money is given back",
      examples: [
        "withdrawal fail wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11 --reason 'account closed'",
      ],
      flags: { reason: textFlag("Why, for the partner", "TEXT") },
      args: [WITHDRAWAL],
      async run(session, flags, id) {
        const failure = flags.reason ?? "the payment failed";
        const seen = await look(session, { withdrawal: id });
        await confirm(session, `Give the ${seen.amount_sar} SAR of ${id} back to ${seen.partner}?`);
        const moved = await session.act("withdrawal.failed", { ...seen, failure });
        return {
          json: { id, status: moved.status, failure },
          text: `${id} is ${moved.status}, the money is given back\n`,
        };
      },
    }),
  },
});
