import { readFile } from "node:fs/promises";
import { readCellUrls } from "@sabika/service/cells";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { RefusedError } from "../outcome.ts";
import { requirePrivateFiles } from "./require_private_files.ts";

/** The part of a session that reading the file of cells needs. */
export interface CellsFileOf {
  readonly surroundings: Surroundings;
  environment(): Promise<Environment>;
}

/** Reads the cells' database URLs by name from the file in `SABIKA_CELLS_FILE`; none without it. */
export async function readCellUrlsOf(session: CellsFileOf): Promise<ReadonlyMap<string, string>> {
  const { env, stderr } = session.surroundings;
  const file = env["SABIKA_CELLS_FILE"];
  if (file === undefined) return new Map();
  await requirePrivateFiles(await session.environment(), [file], stderr);
  try {
    return readCellUrls(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof TypeError ? error.message : `${file} cannot be read`;
    throw new RefusedError("cells_file", `SABIKA_CELLS_FILE: ${reason}`);
  }
}
