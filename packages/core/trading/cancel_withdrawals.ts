import {
  formatTime,
  type IdempotentOutcome,
  type Refusal,
  refuse,
  uuidV7,
  WITHDRAWAL,
  type Withdrawal,
} from "@sabika/protocol";
import { plainArray } from "../store/array_text.ts";
import type { Database } from "../store/database.ts";
import { commandArrays, commandWork } from "./command_batch.ts";
import type { CancelCommand } from "./commands.ts";
import type { BatchWork } from "./executor.ts";
import { readNewWithdrawal, type WithdrawalRow } from "./withdrawals.ts";

/** A withdrawal to be cancelled, its nonce spent already. */
export interface CancelItem {
  readonly command: CancelCommand;
}

/** A row of `cancel_withdrawals`. */
interface CancelRow extends WithdrawalRow {
  state: Withdrawal["status"];
}

/** Cancellations go to the database in batches of `cancel_withdrawals`, with their events. */
export function cancelWork(
  { sql }: Database,
  random: (length: number) => Uint8Array,
): BatchWork<CancelItem, IdempotentOutcome<Withdrawal>> {
  return commandWork(
    (items) =>
      sql.begin(async (sql) => {
        const { commands, partnerIds, keys, parameters } = commandArrays(items);
        const rows = await sql<CancelRow[]>`select * from cancel_withdrawals(
        ${partnerIds}::integer[],
        ${plainArray(commands.map((c) => c.request.withdrawalId))}::uuid[],
        ${keys}::text[],
        ${parameters}::text[])`;
        for (const row of rows.filter(({ result }) => result === "cancelled")) {
          const { partner, receivedAtMs } = commands[row.item - 1]!;
          await sql`select write_cancellation(${partner.partnerId}::integer,
          ${uuidV7(receivedAtMs, random)}::uuid, ${row.subject_id}::uuid,
          ${formatTime(receivedAtMs)}::timestamptz, ${WITHDRAWAL.write(readCancelled(row))})`;
        }
        return rows;
      }),
    readCancelled,
    {
      refusalOf,
      // After an answer was lost it may be this very item that did it.
      isReplay: (afterLoss) => !afterLoss,
    },
  );
}

function refusalOf(row: CancelRow): Refusal | undefined {
  if (row.result === "not_found") return refuse(row.result);
  return row.result === "withdrawal_not_cancellable"
    ? refuse(row.result, { meta: { status: row.state } })
    : undefined;
}

const readCancelled = (row: CancelRow): Withdrawal => ({
  ...readNewWithdrawal(row),
  status: "cancelled",
});
