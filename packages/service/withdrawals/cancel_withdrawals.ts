import {
  formatTime,
  type IdempotentOutcome,
  type Refusal,
  refuse,
  WITHDRAWAL,
  type Withdrawal,
} from "@sabika/protocol";
import { type Database, plainArray } from "@sabika/database";
import { commandArrays, type CommandItem, commandWork } from "../batches/command_batch.ts";
import type { CancelCommand } from "../batches/commands.ts";
import type { BatchWork } from "../batches/executor.ts";
import { keepEvidence } from "../evidence/keep_evidence.ts";
import { readNewWithdrawal, type WithdrawalRow } from "./place_withdrawals.ts";

/** A withdrawal to be cancelled, whose nonce was spent before. */
export type CancelItem = CommandItem<CancelCommand>;

/** A row of `cancel_withdrawals`. */
interface CancelRow extends WithdrawalRow {
  state: Withdrawal["status"];
}

/** Cancels withdrawals in batches of `cancel_withdrawals`, and writes their events and evidence. */
export function cancelWork(
  { sql }: Database,
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
        const results: CancelRow[] = [];
        for (const row of rows) {
          const { eventId, command: { partner: { partnerId }, receivedAtMs } } =
            items[row.item - 1]!;
          let isOwn = false;
          if (row.result === "cancelled") {
            await sql`select write_cancellation(${partnerId}::integer, ${eventId}::uuid,
            ${row.subject_id}::uuid, ${formatTime(receivedAtMs)}::timestamptz,
            ${WITHDRAWAL.write(readCancelled(row))})`;
          } else if (row.result === "replayed") {
            // If the event has this item's id, an earlier attempt made it whose answer was lost.
            const earlier = await sql`select 1 from events
            where partner_id = ${partnerId}::integer and event_id = ${eventId}::uuid`;
            isOwn = earlier.length > 0;
          }
          results.push(isOwn ? { ...row, result: "cancelled" } : row);
        }
        await keepEvidence(sql, items.map(({ eventId: id, command }) => ({ id, command })));
        return results;
      }),
    readCancelled,
    { refusalOf },
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
