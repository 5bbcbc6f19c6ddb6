import {
  formatId,
  type IdempotentOutcome,
  PING_OBJECT_JSON,
  refuse,
  type WebhookEnabled,
} from "@sabika/protocol";
import type { Database } from "@sabika/database";
import type { CommandItem } from "../batches/command_batch.ts";
import type { EnableWebhookCommand } from "../batches/commands.ts";
import { MOVED } from "../batches/moved.ts";
import { keyConflict } from "../batches/refusals.ts";
import { keepEvidence } from "../evidence/keep_evidence.ts";
import type { ResourceKind } from "../idempotency/resource_id.ts";

/** A row of `enable_own_webhook`. */
interface EnableRow {
  readonly result: "enabled" | "replayed" | "idempotency_key_conflict" | "not_found" | "moved";
  readonly subject_kind: ResourceKind;
  readonly subject_id: string;
  readonly created_ms: bigint;
}

/** Reopens a partner's lane (Decision D54); `not_found`: no endpoint, or the operator disabled it. */
export async function enableOwnWebhook(
  { sql }: Database,
  { command, eventId: id }: CommandItem<EnableWebhookCommand>,
): Promise<IdempotentOutcome<WebhookEnabled>> {
  const { partner, idempotencyKey, parameters } = command;
  const [row] = await sql.begin(async (sql) => {
    const rows = await sql<EnableRow[]>`select * from enable_own_webhook(
      ${partner.partnerId}::integer, ${id}::uuid, ${idempotencyKey},
      ${parameters}, ${PING_OBJECT_JSON})`;
    await keepEvidence(sql, [{ id, command }]);
    return rows;
  });
  const { result, subject_kind, subject_id, created_ms } = row!;
  if (result === "moved") return MOVED;
  if (result === "not_found") return refuse(result);
  if (result === "idempotency_key_conflict") return keyConflict(subject_kind, subject_id);
  const value = { enabledAtMs: Number(created_ms), pingId: formatId("evt", subject_id) };
  return { ok: true, replayed: result === "replayed", value };
}
