import { buildRouteMap } from "@stricli/core";
import { acting } from "../command/acting.ts";
import { confirm } from "../command/ask.ts";
import { command, textFlag } from "../command/command.ts";
import { readCommands } from "../command/read_commands.ts";

const WITHDRAWAL = ["WITHDRAWAL", "Its id, wd_…"] as const;

function moving(verb: string, to: "processing" | "completed" | "cancelled", brief: string) {
  return acting(`withdrawal.${to}`, {
    brief,
    examples: [`withdrawal ${verb} wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11`],
    args: { withdrawal: WITHDRAWAL },
    ...to !== "processing" && {
      question: ({ withdrawal }) => `Is the withdrawal ${withdrawal} ${to}?`,
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
        await confirm(session, `Give the money of ${id} back?`);
        const moved = await session.act("withdrawal.failed", { withdrawal: id, failure });
        return {
          json: { id, status: moved.status, failure },
          text: `${id} is ${moved.status}, the money is given back\n`,
        };
      },
    }),
  },
});
