import { buildRouteMap } from "@stricli/core";
import type { WithdrawalToPay } from "@sabika/core/bank";
import { formatHalalas, WITHDRAWAL_STATUSES, type WithdrawalStatus } from "@sabika/protocol";
import { confirm } from "../command/ask.ts";
import { command, readFlag, textFlag } from "../command/command.ts";
import { details } from "../command/details.ts";
import { amount, time } from "../command/json.ts";
import { type Column, listing } from "../command/listing.ts";
import { whole } from "../command/parsers.ts";
import { notFound } from "../outcome.ts";
import { openReads } from "../reads/open_reads.ts";

const WITHDRAWAL = ["WITHDRAWAL", "Its id, wd_…"] as const;

const COLUMNS: readonly Column<WithdrawalToPay>[] = [
  ["id", "ID", (one) => one.id],
  ["client_id", "PARTNER", (one) => one.clientId],
  ["status", "STATUS", (one) => one.status],
  ["amount_sar", "SAR", (one) => amount(formatHalalas(one.amountHalalas))],
  ["iban", "IBAN", (one) => one.iban],
  ["client_reference", "REFERENCE", (one) => one.clientReference],
  ["created_at", "CREATED", (one) => time(one.createdAtMs)],
  ["completed_at", null, (one) => time(one.completedAtMs)],
  ["failure", null, (one) => one.failure],
];

const listAll = command<
  { partner?: string; status?: WithdrawalStatus | "all"; limit?: number },
  []
>({
  act: "withdrawal.read",
  brief: "List withdrawals that are not finished, with the IBAN to pay to",
  examples: ["withdrawal list", "withdrawal list --status all --partner bank-one"],
  flags: {
    partner: textFlag("Of this partner alone", "ID"),
    status: {
      kind: "enum",
      values: [...WITHDRAWAL_STATUSES, "all"],
      brief: "Of this status",
      optional: true,
    },
    limit: readFlag(whole, "At most this many (1000)", "NUMBER"),
  },
  async run(session, flags) {
    const { partner, status, limit = 1000 } = flags;
    const found = await (await openReads(session)).withdrawals({ partner, status, limit });
    return listing(found, COLUMNS);
  },
});

const show = command<object, [string]>({
  act: "withdrawal.read",
  brief: "Show a withdrawal, whosever it is, with the IBAN to pay to",
  examples: ["withdrawal show wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11"],
  args: [WITHDRAWAL],
  async run(session, _flags, id) {
    const found = await (await openReads(session)).withdrawal(id);
    if (found === undefined) throw notFound(`withdrawal ${id}`);
    return details(found, COLUMNS);
  },
});

function moving(verb: string, to: "processing" | "completed" | "cancelled", brief: string) {
  return command<object, [string]>({
    act: `withdrawal.${to}`,
    brief,
    examples: [`withdrawal ${verb} wd_01989f3e-7a41-7c55-9a3b-0c5f5f7d2b11`],
    args: [WITHDRAWAL],
    async run(session, _flags, id) {
      if (to !== "processing") await confirm(session, `Is the withdrawal ${id} ${to}?`);
      const moved = await session.act(`withdrawal.${to}`, { withdrawal: id });
      return { json: { id, status: moved.status }, text: `${id} is ${moved.status}\n` };
    },
  });
}

/** `sabika withdrawal …` */
export const withdrawal = buildRouteMap({
  docs: { brief: "Pay out withdrawals, or give the money back" },
  routes: {
    list: listAll,
    show,
    process: moving(
      "process",
      "processing",
      "Mark it as being paid: it can no longer be cancelled",
    ),
    complete: moving("complete", "completed", "Mark it as paid"),
    cancel: moving("cancel", "cancelled", "Cancel it before it is paid; the money is given back"),
    fail: command<{ reason?: string }, [string]>({
      act: "withdrawal.failed",
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
