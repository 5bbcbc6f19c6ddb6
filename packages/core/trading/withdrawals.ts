import { formatId, maskIban, type Outcome, uuidV7, type Withdrawal } from "@sabika/protocol";
import { plainArray, textArray } from "../store/array_text.ts";
import type { Database } from "../store/database.ts";
import type { WithdrawCommand } from "./commands.ts";
import type { BatchWork } from "./executor.ts";

import { insufficient, keyConflict } from "./refusals.ts";
import type { ResourceKind } from "./resource_id.ts";

/** A withdrawal on its way, with the ids it will have; its nonce is spent already. */
export interface WithdrawalItem {
  readonly command: WithdrawCommand;
  readonly withdrawalId: string;
  readonly eventId: string;
}

/** A row of `place_withdrawals`. */
interface WithdrawalRow {
  item: number;
  result: string;
  subject_kind: ResourceKind;
  subject_id: string;
  amount: bigint;
  iban_of: string;
  reference: string | null;
  created_ms: bigint;
  available: bigint;
  needed: bigint;
}

/** Gives a withdrawal its ids. */
export function withdrawalItem(
  command: WithdrawCommand,
  random: (n: number) => Uint8Array,
): WithdrawalItem {
  return {
    command,
    withdrawalId: uuidV7(command.receivedAtMs, random),
    eventId: uuidV7(command.receivedAtMs, random),
  };
}

/** Withdrawals go to the database in batches of `place_withdrawals` (Decision D13). */
export function withdrawalWork(database: Database): BatchWork<WithdrawalItem, Outcome<Withdrawal>> {
  return {
    group: () => "",
    partnerId: ({ command }) => command.partner.partnerId,
    tags: ({ command }) => [`${command.partner.partnerId} key ${command.idempotencyKey}`],
    async run(items) {
      const commands = items.map((item) => item.command);
      const rows = await database.sql<WithdrawalRow[]>`select * from place_withdrawals(
        ${plainArray(commands.map((c) => c.partner.partnerId))}::integer[],
        ${plainArray(items.map((item) => item.withdrawalId))}::uuid[],
        ${plainArray(items.map((item) => item.eventId))}::uuid[],
        ${textArray(commands.map((c) => c.idempotencyKey))}::text[],
        ${textArray(commands.map((c) => c.parameters))}::text[],
        ${plainArray(commands.map((c) => c.request.amountHalalas))}::bigint[],
        ${textArray(commands.map((c) => c.partner.settlementIban))}::text[],
        ${textArray(commands.map((c) => c.request.clientReference))}::text[])`;
      const outcomes = new Array<Outcome<Withdrawal>>(items.length);
      for (const row of rows) outcomes[row.item - 1] = readRow(row);
      return outcomes;
    },
  };
}

function readRow(row: WithdrawalRow): Outcome<Withdrawal> {
  switch (row.result) {
    case "created":
    case "replayed":
      return { ok: true, replayed: row.result === "replayed", value: readWithdrawal(row) };
    case "idempotency_key_conflict":
      return keyConflict(row.subject_kind, row.subject_id);
    case "insufficient_funds":
      return insufficient("SAR", row.available, row.needed);
    default:
      throw new Error(`place_withdrawals returned ${row.result}`);
  }
}

/** As it was first answered: pending. */
function readWithdrawal(row: WithdrawalRow): Withdrawal {
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
