import type { Database } from "@sabika/database";
import type { Refusal } from "@sabika/protocol";
import type { Command } from "../batches/commands.ts";
import { MOVED } from "../batches/moved.ts";

/** Notes which key made a request for a credential, which is a row of control's; returns `MOVED` or nothing. */
export async function keepKey(
  { sql }: Database,
  { command, id }: { command: Command<unknown>; id: string },
): Promise<Refusal | undefined> {
  const { partner: { partnerId }, idempotencyKey, parameters } = command;
  const [row] = await sql<{ isHome: boolean }[]>`
    select keep_key(${partnerId}::integer, ${idempotencyKey}, ${parameters}, ${id}::uuid) as "isHome"`;
  return row!.isHome ? undefined : MOVED;
}
