import { readFile } from "node:fs/promises";
import { openDatabase } from "@sabika/database";
import { makeReserves } from "@sabika/service/reserves";
import { random } from "../random.ts";

const HOUR_MS = 3_600_000;
/** Longer ago than any day in Riyadh ends. */
const ENDED_MS = 45 * HOUR_MS;

/**
 * Makes the first reserve of a service that serves, unless it has one; returns the day of the last.
 *
 * @param urlFile the file with the URL of the database, of a server's role or of the owner's
 */
export async function makeReserve(urlFile: string, nowMs: number): Promise<string> {
  const url = (await readFile(urlFile, "utf8")).trim();
  const database = openDatabase(url, { maxConnections: 1 });
  try {
    const day = new Date(nowMs - ENDED_MS).toISOString().slice(0, 10);
    const afterNoonMs = Date.parse(day) + 33 * HOUR_MS;
    await makeReserves({ control: database, cells: [database], random }, afterNoonMs);
    const [last] = await database.sql<{ day: string }[]>`
      select to_char(max(day), 'YYYY-MM-DD') as day from reserves`;
    return last!.day;
  } finally {
    await database.close();
  }
}
