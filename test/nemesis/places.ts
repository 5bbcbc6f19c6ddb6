import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, MAIN_CELL, openDatabase, readCellUrls } from "@sabika/core/store";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import type { TestStack } from "../support/stack/stack_for_tests.ts";
import { type Link, openLink } from "./link.ts";

/** A database of the stack, control's or a cell's, with its server and the way of servers to it. */
export interface Place {
  /** The cell's; `main` is control's. */
  readonly name: string;
  readonly postgresql: RunningPostgreSQL;
  /** A way of our own to it, past the link, with all rights. */
  readonly database: Database;
  /** A URL of it with the rights and the limits of a server, past the link. */
  readonly serverUrl: string;
  /** Between servers and it. */
  readonly link: Link;
}

export interface Places {
  readonly control: Place;
  /** Those beside control. */
  readonly cells: readonly Place[];
}

/** All of them, control's first. */
export const placesOf = ({ control, cells }: Places): Place[] => [control, ...cells];

/** Opens the stack's databases, with links that are in place once its servers are started again. */
export async function openPlaces(
  { stack, dataFolder }: TestStack,
  closers: (() => Promise<unknown> | void)[],
): Promise<Places> {
  const open = async (
    [name, postgresql]: readonly [string, RunningPostgreSQL],
    serverUrl: string,
  ): Promise<Place> => {
    const database = openDatabase(postgresql.socketUrl, {
      ...{ maxConnections: 8, applicationName: "nemesis" },
    });
    closers.push(() => database.close());
    const link = await openLink(() => ({ port: postgresql.port, host: "127.0.0.1" }));
    closers.push(() => link.close());
    return { name, postgresql, database, serverUrl: serverUrl.trim(), link };
  };
  const urlFile = join(dataFolder, "server.url");
  const control = await open([MAIN_CELL, stack.postgresql], await readFile(urlFile, "utf8"));
  await writeFile(urlFile, `${overLink(control)}\n`);
  if (stack.cells.size === 0) return { control, cells: [] };

  const cellsFile = join(dataFolder, "server.cells");
  const urls = readCellUrls(await readFile(cellsFile, "utf8"));
  const cells: Place[] = [];
  for (const cell of stack.cells) cells.push(await open(cell, urls.get(cell[0])!));
  const lines = cells.map((cell) => `${cell.name} ${overLink(cell)}\n`);
  await writeFile(cellsFile, lines.join(""));
  return { control, cells };
}

/** The way to a place over its link's port of the loopback. */
const overLink = ({ serverUrl, link }: Place): string =>
  `${serverUrl.replace(/\?.*$/, "")}?host=127.0.0.1&port=${link.port}`;
