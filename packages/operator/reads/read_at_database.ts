import { inCells } from "@sabika/office/oversight";
import type { OpenStatement } from "@sabika/service/ledger";
import { createReading } from "@sabika/service/trading";
import { Refused } from "@sabika/office";
import type { Read, ReadContext } from "@sabika/office/reads";
import { answerRead } from "@sabika/office/run-reads";
import { type JsonValue, parseJson } from "@sabika/protocol";
import type { Session } from "../connect/session.ts";
import { notFound, RefusedError } from "../outcome.ts";

/**
 * Answers a read as the office does, from the database that the command opened.
 *
 * @returns undefined when what is read does not exist
 */
export async function readAtDatabase(
  session: Session,
  read: Read,
  path: Readonly<Record<string, string>>,
  search: string,
): Promise<JsonValue | undefined> {
  try {
    const json = await answerRead(read, await contextOf(session), path, search);
    return json === undefined ? undefined : parseJson(json);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code === "not_found") return undefined;
    throw new RefusedError(error.code, error.message);
  }
}

/** Opens a partner's day, whose entries are read in parts; undefined when it has not begun. */
export async function openStatementAtDatabase(
  session: Session,
  clientId: string,
  day: string,
): Promise<OpenStatement | undefined> {
  const { cells, environment, now } = await contextOf(session);
  const home = await cells.homeOf(clientId);
  if (home === undefined) throw notFound(`partner "${clientId}"`);
  const { database, partnerId } = home;
  const reading = createReading({ database, environment: await environment(), now });
  return await reading.statement({ partnerId, day });
}

/** The context in which reads are answered at the database. */
async function contextOf(session: Session): Promise<ReadContext> {
  const database = await session.database();
  const openCell = async (cellId: string) => (await session.atDatabase()).databaseOf(cellId);
  return {
    database,
    openCell,
    ...session.actor,
    cells: inCells({ control: database, openCell }),
    now: () => session.nowMs,
    environment: () => session.environment(),
    secrets: {
      // Only a price feed needs the master key.
      open: async (identity, sealed) =>
        (await session.adminContext()).secrets.open(identity, sealed),
    },
  };
}
