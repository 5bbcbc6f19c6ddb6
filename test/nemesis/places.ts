import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "@sabika/database";
import { MAIN_CELL, readCellUrls } from "@sabika/service/cells";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import type { TestStack } from "../support/stack/stack_for_tests.ts";
import { type Breakable, bundleLinks, type Link, openLink } from "../support/link.ts";
import type { Pair } from "./pairs.ts";

/** A database of the stack, control's or a cell's, with its server and the link to it. */
export interface Place {
  /** The cell's name; `main` is control's. */
  readonly name: string;
  /** The server that is currently the primary. */
  readonly postgresql: RunningPostgreSQL;
  /** The primary, opened as a superuser and not through the link. */
  readonly database: Database;
  /** A URL of the primary for a server's role, not through the link. */
  readonly serverUrl: string;
  /** The link between the instances and the database with its standby. */
  readonly link: Breakable;
  /** Kills the primary and promotes the standby; undefined without a standby. */
  readonly promote: Pair["promote"] | undefined;
  /** Lets the standby lag; undefined without one. */
  readonly lag: Pair["lag"] | undefined;
}

/** The databases of a stack. */
export interface Places {
  readonly control: Place;
  /** The databases of the cells besides control. */
  readonly cells: readonly Place[];
}

/** Returns all databases, control's first. */
export const placesOf = ({ control, cells }: Places): Place[] => [control, ...cells];

/**
 * Opens the stack's databases with links, which its servers use after their next start.
 *
 * @param pairs the pairs of databases with a standby, by the server that the stack has started
 */
export async function openPlaces(
  { stack, dataFolder }: TestStack,
  pairs: ReadonlyMap<RunningPostgreSQL, Pair>,
  closers: (() => Promise<unknown> | void)[],
): Promise<Places> {
  /** @returns the place, and the URL of an instance over the link */
  const open = async (
    [name, started]: readonly [string, RunningPostgreSQL],
    serverUrl: string,
  ): Promise<[Place, string]> => {
    const pair = pairs.get(started);
    const database = openDatabase(pair?.url ?? started.socketUrl, {
      maxConnections: 8,
      applicationName: "nemesis",
    });
    closers.push(() => database.close());
    const links: Link[] = [];
    for (const { port } of pair?.servers ?? [started]) {
      const link = await openLink(() => ({ port, host: "127.0.0.1" }));
      closers.push(() => link.close());
      links.push(link);
    }
    const login = serverUrl.trim().replace(/\?.*$/, "");
    const place: Place = {
      name,
      database,
      link: bundleLinks(links),
      promote: pair?.promote,
      lag: pair?.lag,
      get postgresql() {
        return pair?.primary ?? started;
      },
      get serverUrl() {
        const { socketFolder, port } = this.postgresql;
        return `${login}?host=${encodeURIComponent(socketFolder)}&port=${port}`;
      },
    };
    const hosts = links.map(() => "127.0.0.1").join();
    const overLinks = `${login}?host=${hosts}&port=${links.map(({ port }) => port).join()}`;
    return [place, pair ? `${overLinks}&target_session_attrs=read-write` : overLinks];
  };
  const urlFile = join(dataFolder, "server.url");
  const [control, url] = await open(
    [MAIN_CELL, stack.postgresql!],
    await readFile(urlFile, "utf8"),
  );
  await writeFile(urlFile, `${url}\n`);
  if (stack.cells.size === 0) return { control, cells: [] };

  const cellsFile = join(dataFolder, "server.cells");
  const urls = readCellUrls(await readFile(cellsFile, "utf8"));
  const cells: Place[] = [];
  let lines = "";
  for (const cell of stack.cells) {
    const [place, overLinks] = await open(cell, urls.get(cell[0])!);
    cells.push(place);
    lines += `${place.name} ${overLinks}\n`;
  }
  await writeFile(cellsFile, lines);
  return { control, cells };
}
