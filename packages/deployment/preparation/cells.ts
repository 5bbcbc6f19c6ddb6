import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase, readDatabaseUrl } from "@sabika/database";
import { writePrivateFile } from "@sabika/identity/keys";
import type { PartnerAdminContext } from "@sabika/office/partners";
import type { AdminCells } from "@sabika/service/audit";
import { copyToCell, readCellUrls } from "@sabika/service/cells";
import { addCell, listCells } from "@sabika/service/moving";
import { placeFiles, type Places } from "../places.ts";
import type { DeploymentPlan } from "../services.ts";
import type { Surroundings } from "../surroundings.ts";
import { prepareDatabase, withDatabase } from "./prepare_database.ts";
import { must } from "./simulated_vault.ts";

/**
 * Prepares the databases of cells so that they can be added (docs/scale.md): their roles and schema as in
 * control, their copies of control's rows, and the files with their URLs, for servers and operator.
 *
 * @param superuserUrls the URLs of the cells' databases, by the cells' names; they are stored nowhere
 */
export async function prepareCells(
  plan: DeploymentPlan,
  { controlUrl, superuserUrls, folder }: {
    controlUrl: string;
    superuserUrls: ReadonlyMap<string, string>;
    /** Receives a folder for each cell, named after it. */
    folder: string;
  },
  surroundings: Surroundings,
): Promise<void> {
  const { database } = readDatabaseUrl(controlUrl);
  const connection = copyConnection(controlUrl);
  const lines = { server: "", command: "" };
  await withDatabase(controlUrl, async ({ sql: control }) => {
    for (const [cellId, url] of superuserUrls) {
      const places = await placesOf(plan.places, join(folder, cellId));
      await prepareDatabase({ ...plan, places }, url, surroundings);
      const files = placeFiles(places);
      lines.server += `${cellId} ${await readFile(files.serverDatabaseUrl, "utf8")}`;
      lines.command += `${cellId} ${await readFile(files.databaseUrl, "utf8")}`;
      await withDatabase(url, async ({ sql: cell }) => {
        await copyToCell({ cellId, control, database, cell, connection });
        if (readDatabaseUrl(url).followsPrimary) {
          // What the cell confirms to control is on its standby too.
          await cell`alter subscription sabika_partners set (synchronous_commit = on)`;
        }
      });
    }
  });
  const files = placeFiles(plan.places);
  await writePrivateFile(files.serverCells, lines.server);
  await writePrivateFile(files.cells, lines.command);
}

/** The connection string (libpq) by which a cell copies from control's primary. */
function copyConnection(controlUrl: string): string {
  const { servers, followsPrimary, database } = readDatabaseUrl(controlUrl);
  const hosts = servers.map(({ host }) => host).join();
  const ports = servers.map(({ port }) => port).join();
  const wanted = followsPrimary ? " target_session_attrs=read-write" : "";
  return `host=${hosts} port=${ports} user=sabika_copies dbname=${database}${wanted}`;
}

/** The places of a cell's URLs, all in one folder: on one machine one person has them all. */
async function placesOf(places: Places, folder: string): Promise<Places> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...places, secrets: folder, administration: folder, root: folder, exporter: folder };
}

/** Adds the cells of a plan that were not added before. @throws Error when one is refused */
export async function addCells(
  admin: PartnerAdminContext & { cells: AdminCells },
  { cells = [] }: DeploymentPlan,
): Promise<void> {
  const known = (await listCells(admin.database.sql)).map(({ cellId }) => cellId);
  for (const cellId of cells.filter((cell) => !known.includes(cell))) {
    must(await addCell(admin, cellId, await admin.cells.open(cellId)));
  }
}

/** Opens each cell on first use with the operator's role, at the URL in the file of `prepareCells`. */
export async function openAdminCells({ places, cells = [] }: DeploymentPlan) {
  const text = cells.length === 0 ? "" : await readFile(placeFiles(places).cells, "utf8");
  const urls = readCellUrls(text);
  const opened = new Map<string, Database>();
  return {
    names: () => Promise.resolve([...urls.keys()]),
    open(cellId: string) {
      const found = opened.get(cellId) ??
        openDatabase(urls.get(cellId)!, { maxConnections: 1, applicationName: "sabika-stack" });
      opened.set(cellId, found);
      return Promise.resolve(found);
    },
    async close() {
      for (const database of opened.values()) await database.close();
    },
  };
}
