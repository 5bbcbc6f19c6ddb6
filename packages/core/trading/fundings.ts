import { formatId, type Funding, type Outcome, uuidV7 } from "@sabika/protocol";
import { plainArray, textArray } from "../store/array_text.ts";
import type { Database } from "../store/database.ts";
import type { FundCommand } from "./commands.ts";
import type { BatchWork } from "./executor.ts";

import { keyConflict } from "./refusals.ts";
import type { ResourceKind } from "./resource_id.ts";

/** A funding on its way, with the ids it will have. */
export interface FundingItem {
  readonly command: FundCommand;
  readonly fundingId: string;
  readonly eventId: string;
}

/** A row of `credit_fundings`. */
export interface FundingRow {
  item: number;
  result: string;
  subject_kind: ResourceKind;
  subject_id: string;
  amount: bigint;
  cash_after: bigint;
  created_ms: bigint;
}

/** Gives a funding its ids. */
export function fundingItem(command: FundCommand, random: (n: number) => Uint8Array): FundingItem {
  return {
    command,
    fundingId: uuidV7(command.receivedAtMs, random),
    eventId: uuidV7(command.receivedAtMs, random),
  };
}

/** Sandbox fundings go to the database in batches of `credit_fundings` (Decision D14). */
export function fundingWork(database: Database): BatchWork<FundingItem, Outcome<Funding>> {
  return {
    group: () => "",
    partnerId: ({ command }) => command.partner.partnerId,
    tags: ({ command }) => [`${command.partner.partnerId} key ${command.idempotencyKey}`],
    async run(items) {
      const commands = items.map((item) => item.command);
      const rows = await database.sql<FundingRow[]>`select * from credit_fundings(
        ${plainArray(commands.map((c) => c.partner.partnerId))}::integer[],
        ${plainArray(items.map((item) => item.fundingId))}::uuid[],
        ${plainArray(items.map((item) => item.eventId))}::uuid[],
        ${textArray(commands.map((c) => c.idempotencyKey))}::text[],
        ${textArray(commands.map((c) => c.parameters))}::text[],
        ${plainArray(commands.map((c) => c.request.amountHalalas))}::bigint[],
        ${plainArray(items.map(() => "NULL"))}::text[])`;
      const outcomes = new Array<Outcome<Funding>>(items.length);
      for (const row of rows) outcomes[row.item - 1] = readRow(row);
      return outcomes;
    },
  };
}

function readRow(row: FundingRow): Outcome<Funding> {
  switch (row.result) {
    case "credited":
    case "replayed":
      return { ok: true, replayed: row.result === "replayed", value: readFunding(row) };
    case "idempotency_key_conflict":
      return keyConflict(row.subject_kind, row.subject_id);
    default:
      throw new Error(`credit_fundings returned ${row.result}`);
  }
}

/** The funding of a row that has one. */
export function readFunding(row: FundingRow): Funding {
  return {
    id: formatId("fund", row.subject_id),
    status: "completed",
    amountHalalas: row.amount,
    balanceHalalas: row.cash_after,
    createdAtMs: Number(row.created_ms),
  };
}
