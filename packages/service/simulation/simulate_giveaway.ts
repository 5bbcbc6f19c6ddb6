import { formatId, uuidV7 } from "@sabika/protocol";
import type { Sql } from "@sabika/database";
import type { Command } from "../batches/commands.ts";

/** Makes a quote that sells gold to the command's partner for a halala; returns its wire id. */
export async function simulateGiveaway(
  sql: Sql,
  { partner, receivedAtMs }: Command<unknown>,
  goldMicrograms: bigint,
  random: (length: number) => Uint8Array,
): Promise<string> {
  const id = uuidV7(receivedAtMs, random);
  await sql`select simulate_giveaway(${partner.partnerId}::integer, ${id}::uuid,
    ${goldMicrograms}::bigint)`;
  return formatId("qt", id);
}
