import { formatId, type IdempotentOutcome, maskIban, type Withdrawal } from "@sabika/protocol";
import { type Database, plainArray, textArray } from "@sabika/database";
import {
  commandArrays,
  type CommandItem,
  type CommandRow,
  commandWork,
} from "../batches/command_batch.ts";
import type { WithdrawCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";
import { insufficient } from "../batches/refusals.ts";
import { keepEvidence } from "../evidence/keep_evidence.ts";

/** The columns about a withdrawal in rows of `place_withdrawals` and `cancel_withdrawals`. */
export interface WithdrawalRow extends CommandRow {
  amount: bigint;
  iban_of: string;
  reference: string | null;
  created_ms: bigint;
}

interface PlacedRow extends WithdrawalRow {
  available: bigint;
  needed: bigint;
}

/**
 * Places withdrawals in batches of `place_withdrawals` (Decision D13), each with its evidence; their nonces were
 * spent before.
 */
export function withdrawalWork(
  { sql }: Database,
): BatchWork<CommandItem<WithdrawCommand>, IdempotentOutcome<Withdrawal>> {
  return commandWork(
    (items) =>
      sql.begin(async (sql) => {
        const { commands, partnerIds, keys, parameters } = commandArrays(items);
        const rows = await sql<PlacedRow[]>`select * from place_withdrawals(
        ${partnerIds}::integer[],
        ${plainArray(items.map((item) => item.id))}::uuid[],
        ${plainArray(items.map((item) => item.eventId))}::uuid[],
        ${keys}::text[],
        ${parameters}::text[],
        ${plainArray(commands.map((c) => c.request.amountHalalas))}::bigint[],
        '{}'::text[],
        ${textArray(commands.map((c) => c.request.clientReference))}::text[])`;
        await keepEvidence(sql, items);
        return rows;
      }),
    readNewWithdrawal,
    {
      refusalOf: ({ result, available, needed }) =>
        result === "insufficient_funds" ? insufficient("SAR", available, needed) : undefined,
    },
  );
}

/** The withdrawal as it was first answered: pending. */
export function readNewWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    id: formatId("wd", row.subject_id),
    status: "pending",
    amountHalalas: row.amount,
    ibanMasked: maskIban(row.iban_of),
    clientReference: row.reference,
    createdAtMs: Number(row.created_ms),
    completedAtMs: null,
    failureReason: null,
  };
}
