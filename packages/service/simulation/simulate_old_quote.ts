import { parseId, type Quote, uuidV7 } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import type { QuoteCommand } from "../batches/commands.ts";

const AGE_MS = 61_000;

/**
 * Makes a quote that is already 61 seconds old, as the result of the command's Idempotency-Key.
 *
 * @param quote a quote with the same terms, made just now
 */
export async function simulateOldQuote(
  sql: Sql,
  { partner, idempotencyKey, parameters, receivedAtMs }: QuoteCommand,
  quote: Quote,
  random: (length: number) => Uint8Array,
): Promise<void> {
  const oldId = uuidV7(receivedAtMs - AGE_MS, random);
  await sql`select simulate_old_quote(${partner.partnerId}::integer, ${parseId(
    "qt",
    quote.id,
  )!}::uuid,
    ${oldId}::uuid, ${idempotencyKey}, ${parameters})`;
}
