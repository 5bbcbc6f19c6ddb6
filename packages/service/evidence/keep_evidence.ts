import { plainArray, textArray, type Transaction } from "@sabika/database";
import type { SignedCommand } from "../batches/commands.ts";

type Signed = Pick<SignedCommand<unknown>, "nonce" | "evidence">;

/** The parts of signed requests by columns, as array literals. */
export function evidenceArrays(commands: readonly Signed[]) {
  return {
    timestamps: plainArray(commands.map(({ nonce }) => nonce.timestampSeconds)),
    nonces: textArray(commands.map(({ nonce }) => nonce.value)),
    urls: textArray(commands.map(({ evidence }) => evidence.url)),
    bodies: textArray(commands.map(({ evidence }) => evidence.body)),
    keyIds: textArray(commands.map(({ evidence }) => evidence.keyId)),
    signatures: textArray(commands.map(({ evidence }) => evidence.signature)),
  };
}

/**
 * Keeps the evidence of signed requests (Decision D86), in the transaction that has made what they asked for.
 *
 * @param items.id the id of the withdrawal that a request made, or of the event that reports its effect; nothing
 *   is kept for an id that does not exist
 */
export async function keepEvidence(
  sql: Transaction,
  items: readonly { id: string; command: SignedCommand<unknown> }[],
): Promise<void> {
  const commands = items.map(({ command }) => command);
  const { timestamps, nonces, urls, bodies, keyIds, signatures } = evidenceArrays(commands);
  await sql`select keep_evidence(
    ${plainArray(commands.map(({ partner }) => partner.partnerId))}::integer[],
    ${plainArray(items.map(({ id }) => id))}::uuid[],
    ${timestamps}::bigint[], ${nonces}::text[], ${urls}::text[], ${bodies}::text[],
    ${keyIds}::text[], ${signatures}::text[])`;
}
