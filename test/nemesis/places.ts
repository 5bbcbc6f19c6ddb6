import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "@sabika/database";
import { MAIN_CELL, readCellUrls } from "@sabika/service/cells";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import type { TestStack } from "../support/stack/stack_for_tests.ts";
import { type Breakable, bundleLinks, type Link, openLink } from "../support/link.ts";

/** A PostgreSQL server's postmaster, and the superuser's URL of this server alone. */
export type Server = Pick<RunningPostgreSQL, "pid" | "socketUrl">;

/** A database of the stack, control's or a cell's, with its server and the link to it. */
export interface Place {
  /** The cell's name; `main` is control's. */
  readonly name: string;
  /** The server that is currently the primary. */
  readonly postgresql: Server;
  /** The primary, opened as a superuser and not through the link. */
  readonly database: Database;
  /** A URL of the primary for a server's role, not through the link. */
  readonly serverUrl: string;
  /** The link between the instances and the database with its standbys. */
  readonly link: Breakable;
  /** Kills the primary and promotes the standby; undefined without a standby. */
  readonly promote: Served["promote"];
  /** Lets the standby lag; undefined without one. */
  readonly lag: Served["lag"];
}

/** The databases of a stack. */
export interface Places {
  readonly control: Place;
  /** The databases of the cells besides control. */
  readonly cells: readonly Place[];
}

/** Returns all databases, control's first. */
export const placesOf = ({ control, cells }: Places): Place[] => [control, ...cells];

/** The servers of a place, of which one is the primary. */
export interface Served {
  readonly postgresql: Server;
  /** The superuser's URL of whichever server is the primary. */
  readonly url: string;
  /** On the loopback, in the order in which URLs name the servers. */
  readonly ports: readonly number[];
  /** See {@linkcode Place}. */
  promote?(afterMs: number): Promise<void>;
  /** See {@linkcode Place}; ended by the function. */
  lag?(): Promise<() => Promise<void>>;
}

/**
 * Opens the stack's databases with links, which its servers use after their next start.
 *
 * @param pairs the pairs of databases with a standby, by the server that the stack has started
 * @param cluster control's servers, when they are a cluster
 */
export async function openPlaces(
  { stack, dataFolder }: TestStack,
  pairs: ReadonlyMap<RunningPostgreSQL, Served>,
  cluster: Served | undefined,
  closers: (() => Promise<unknown> | void)[],
): Promise<Places> {
  /** @returns the place, and the URL of an instance over the link */
  const open = async (
    name: string,
    served: Served,
    serverUrl: string,
  ): Promise<[Place, string]> => {
    const { url, ports, promote, lag } = served;
    const database = openDatabase(url, { maxConnections: 8, applicationName: "nemesis" });
    closers.push(() => database.close());
    const links: Link[] = [];
    for (const port of ports) {
      const link = await openLink(() => ({ port, host: "127.0.0.1" }));
      closers.push(() => link.close());
      links.push(link);
    }
    const login = serverUrl.trim().replace(/@[^/]*/, "@").replace(/\?.*$/, "");
    const at = (ports: readonly number[]) =>
      `${login}?host=${ports.map(() => "127.0.0.1").join()}&port=${ports.join()}` +
      (ports.length === 1 ? "" : "&target_session_attrs=read-write");
    const place: Place = {
      name,
      database,
      serverUrl: at(ports),
      link: bundleLinks(links),
      promote,
      lag,
      get postgresql() {
        return served.postgresql;
      },
    };
    return [place, at(links.map(({ port }) => port))];
  };
  const servedBy = (started: RunningPostgreSQL): Served =>
    pairs.get(started) ??
      { url: started.socketUrl, ports: [started.port], postgresql: started };
  const urlFile = join(dataFolder, "server.url");
  const [control, url] = await open(
    MAIN_CELL,
    cluster ?? servedBy(stack.postgresql!),
    await readFile(urlFile, "utf8"),
  );
  await writeFile(urlFile, `${url}\n`);
  if (stack.cells.size === 0) return { control, cells: [] };

  const cellsFile = join(dataFolder, "server.cells");
  const urls = readCellUrls(await readFile(cellsFile, "utf8"));
  const cells: Place[] = [];
  let lines = "";
  for (const [name, started] of stack.cells) {
    const [place, overLinks] = await open(name, servedBy(started), urls.get(name)!);
    cells.push(place);
    lines += `${place.name} ${overLinks}\n`;
  }
  await writeFile(cellsFile, lines);
  return { control, cells };
}
