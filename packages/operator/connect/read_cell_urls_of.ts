import { readFile } from "node:fs/promises";
import { readCellUrls } from "@sabika/service/cells";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { RefusedError } from "../outcome.ts";
import { requirePrivateFiles } from "./require_private_files.ts";

/** Whoever runs a command, as far as the file of cells is concerned. */
export interface CellsFileOf {
  readonly surroundings: Surroundings;
  environment(): Promise<Environment>;
}

/** Where the cells are, by their names, as whoever runs the command has them. */
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
