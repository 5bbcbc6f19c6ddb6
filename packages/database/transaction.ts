import type { Sessions } from "./sessions.ts";
import type { Transaction } from "./sql.ts";
import { type Client, createSql, type MakeQuery } from "./statement.ts";

/** Where a transaction gets its session from. */
export type Leases = Pick<Sessions, "lease" | "giveBack" | "discard">;

/**
 * Runs a transaction on its own session: commits when the body returns, and rolls back when it throws or
 * when any of its statements failed, caught or not. Statements after its end are refused.
 *
 * @param characteristics the text after `begin`, such as `isolation level repeatable read read only`
 * @returns the result of the body, after the commit
 * @throws the error of the body or of the first failed statement. When the answer to `commit` was lost, it
 * is unknown whether it was done (`classifyFailure`: `lost`).
 */
export async function runTransaction<T>(
  sessions: Leases,
  helpers: Client,
  characteristics: string,
  body: (sql: Transaction) => T | Promise<T>,
): Promise<T> {
  const session = await sessions.lease();
  const failures: unknown[] = [];
  let isEnding = false;
  let canReuse = false;

  async function run(make: MakeQuery): Promise<unknown> {
    if (isEnding) throw new Error("the transaction of this statement has ended");
    try {
      return await session.run(make);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  }

  const command = async (text: string) =>
    await session.run((client) => client.unsafe(text)) as { command?: string };

  try {
    await command(`begin ${characteristics}`);
    try {
      const result = await body(createSql(run, helpers));
      if (failures.length > 0) throw failures[0];
      isEnding = true;
      const { command: done } = await command("commit");
      canReuse = true;
      // The server answers a commit with a rollback when a statement failed that was not awaited.
      if (done !== "COMMIT") throw failures[0] ?? new Error("the transaction was rolled back");
      return result;
    } catch (error) {
      if (!isEnding) {
        isEnding = true;
        // The first failure counts: the server refuses everything after it with 25P02.
        canReuse = await command("rollback").then(() => true, () => false);
      }
      throw isAborted(error) ? failures[0] ?? error : error;
    }
  } finally {
    if (canReuse) sessions.giveBack(session);
    else sessions.discard(session);
  }
}

function isAborted(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "25P02";
}
