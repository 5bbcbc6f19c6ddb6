import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { readDatabaseUrl } from "@sabika/database";
import { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { readCellStatements, runAll, untilCopied } from "./cell_statements.ts";
import { operatorOf, runOperator } from "./run_operator.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { openTestAdmin } from "./test_admin.ts";
import { openTestDatabase, type TestDatabase } from "./test_database.ts";
import { TEST_IBAN } from "./test_partner.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

type Server = Awaited<ReturnType<typeof runPostgreSQL>>;

/**
 * Starts a PostgreSQL whose databases can replicate from one another, with quick retries.
 *
 * @param options.durable whether acknowledged commits are on the disk, for tests that kill the server
 */
export function runReplicating({ durable = false } = {}): Promise<Server> {
  const settings = {
    wal_level: "logical",
    wal_retrieve_retry_interval: "100ms",
    // Only flushed log is replicated, and commits do not wait for the flush here.
    wal_writer_delay: "10ms",
  };
  return runPostgreSQL({ durable, settings });
}

/** Sets up the replication of control's rows to the database of the cell `b`, as in docs/scale.md. */
export async function copyFromControl(
  { server, control, cell }: { server: Server; control: TestDatabase; cell: TestDatabase },
): Promise<void> {
  const { database } = readDatabaseUrl(control.url);
  const connection = `host=${server.socketFolder} port=${server.port} user=sabika_copies ` +
    `dbname=${database}`;
  const [inControl, inCell] = await readCellStatements("## Add a cell", { connection });
  await runAll(
    control.database.sql,
    inControl!.map((statement) => statement.replace(/database sabika/, `database ${database}`)),
  );
  await runAll(cell.database.sql, inCell!);
  await untilCopied(cell.database.sql);
}

/** Ends the replication; before that neither database can be dropped. */
export async function endCopies(cell: TestDatabase): Promise<void> {
  await cell.database.sql.unsafe("drop subscription if exists sabika_partners").catch(() => {});
}

/** Returns the environment of the operator's command, with a file of cells. */
export async function operatorEnvOf(
  { file, control, masterKeyText, cells }: {
    file: string;
    control: TestDatabase;
    masterKeyText: string;
    cells: Readonly<Record<string, string>>;
  },
): Promise<Record<string, string>> {
  await writeFile(file, Object.entries(cells).map(([name, url]) => `${name} ${url}\n`).join(""));
  await chmod(file, 0o600);
  return {
    SABIKA_DATABASE_URL: control.urlAs("sabika_operator"),
    SABIKA_CELLS_FILE: file,
    SABIKA_MASTER_KEY: masterKeyText,
  };
}

/** Returns functions that run the operator's command on control with different files of cells. */
export function operatorWithCells(
  parts: { readonly file: string; readonly control: TestDatabase; readonly masterKeyText: string },
) {
  const envOf = (cells: Readonly<Record<string, string>>) => operatorEnvOf({ ...parts, cells });
  return {
    envOf,
    async refusalOf(cells: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
      const { code, stderr } = await runOperator(args, await envOf(cells));
      assertEquals(code, 1, stderr);
      return stderr;
    },
  };
}

/** Opens control with an administrator, and its cell `b`, added as docs/scale.md says. */
export async function openTestCells() {
  const server = await runReplicating();
  const admin = await openTestAdmin("sandbox", { server: server.url });
  const { testDatabase: control } = admin;
  const cell = await openTestDatabase({ server: server.url });
  const folder = temporaryFolder();
  const env = {
    ...await operatorEnvOf({
      file: join(folder, "cells"),
      control,
      masterKeyText: admin.masterKeyText,
      cells: { b: cell.urlAs("sabika_operator") },
    }),
    SABIKA_DATA: folder,
    SABIKA_BASE_URL: "https://sabika.test",
  };
  const sabika = operatorOf(env);
  await copyFromControl({ server, control, cell });
  await sabika("cell", "add", "b");
  return {
    admin,
    control,
    cell,
    sabika,
    /** The environment of the operator's command. */
    env,
    async close(): Promise<void> {
      await endCopies(cell);
      await cell.close();
      await admin.close();
      await server.stop();
    },
  };
}

/** The partner that `admitByCommand` admits. */
interface CommandedPartner {
  readonly clientId: string;
  /** The partner's home cell; control's own by default. */
  readonly cell?: string;
  /** The weight of a bar for the vault, in grams. */
  readonly barGrams: number;
}

/** Admits a partner by the operator's command, and adds a bar to the vault. */
export async function admitByCommand(
  sabika: ReturnType<typeof operatorOf>,
  { clientId, cell = "main", barGrams }: CommandedPartner,
): Promise<void> {
  await sabika(
    ...commandLine`partner create --client-id ${clientId} --name ${clientId} --with-keys
      --cell ${cell} --iban ${TEST_IBAN} --webhook-url https://127.0.0.1:1024/`,
  );
  await sabika(
    ...commandLine`vault bar add SA-1 --refiner R --fineness 999.9 --weight ${String(barGrams)}`,
  );
}
