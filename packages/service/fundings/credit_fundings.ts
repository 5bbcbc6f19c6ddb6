import { formatId, type Funding, type IdempotentOutcome } from "@sabika/protocol";
import { type Database, plainArray } from "@sabika/database";
import {
  commandArrays,
  type CommandItem,
  type CommandRow,
  commandWork,
} from "../batches/command_batch.ts";
import type { FundCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";

/** A row of `credit_fundings` or `fund_sandbox`. */
interface FundingRow extends CommandRow {
  amount: bigint;
  cash_after: bigint;
  created_ms: bigint;
}

/** Credits sandbox fundings in batches, each by one call of `fund_sandbox` (Decision D14). */
export function fundingWork(
  { sql }: Database,
): BatchWork<CommandItem<FundCommand>, IdempotentOutcome<Funding>> {
  return commandWork((items) => {
    const { commands, partnerIds, keys, parameters } = commandArrays(items);
    return sql<FundingRow[]>`select * from fund_sandbox(
      ${partnerIds}::integer[],
      ${plainArray(items.map((item) => item.id))}::uuid[],
      ${plainArray(items.map((item) => item.eventId))}::uuid[],
      ${keys}::text[],
      ${parameters}::text[],
      ${plainArray(commands.map(({ request }) => request.amountHalalas))}::bigint[])`;
  }, readFunding);
}

/** The funding of a row that has one. */
function readFunding(row: FundingRow): Funding {
  return {
    id: formatId("fund", row.subject_id),
    status: "completed",
    amountHalalas: row.amount,
    balanceHalalas: row.cash_after,
    createdAtMs: Number(row.created_ms),
  };
}
