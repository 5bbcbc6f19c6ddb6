import type { Balances } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type Database, type Inputs, preparedQuery } from "@sabika/database";
import { accounts } from "./tables.ts";

/** The columns of what the partner can spend. */
export const SPENDABLE = {
  sarHalalas: accounts.cashHalalas,
  goldMicrograms: accounts.goldMicrograms,
};

const selectBalances = preparedQuery((orm, values: Inputs<"partnerId">) =>
  orm.select(SPENDABLE).from(accounts).where(eq(accounts.partnerId, values.partnerId))
);

/** Reads what the partner can spend now; throws Error when it has no accounts here. */
export async function readBalances({ sql }: Database, partnerId: number): Promise<Balances> {
  const [balances] = await selectBalances(sql, { partnerId });
  if (!balances) throw new Error(`partner ${partnerId} has no accounts`);
  return balances;
}
