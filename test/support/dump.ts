import { readDatabaseUrl } from "@sabika/database";
import { findProgram } from "../../tools/programs/find_program.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import type { runPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { asSuperuser } from "./as_superuser.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

type Server = Awaited<ReturnType<typeof runPostgreSQL>>;

const placeOf = ({ socketFolder, port }: Server) =>
  commandLine`--host ${socketFolder} --port ${String(port)} --username sabika`;

/** Writes a database of this server to a file with `pg_dump`, in the tar format. */
export async function dumpDatabase(server: Server, url: string, file: string): Promise<void> {
  const { database } = readDatabaseUrl(url);
  const options = ["--format=tar", "--file", file];
  await mustRun((await findProgram("pg_dump")).command, [...placeOf(server), ...options, database]);
}

/**
 * Makes a database on this server from a file of `dumpDatabase`, without owners and privileges.
 *
 * @returns its URL, as a superuser
 */
export async function restoreDump(server: Server, name: string, file: string): Promise<string> {
  await asSuperuser(server, (sql) => sql.unsafe(`create database ${name}`));
  const options = ["--no-owner", "--no-privileges", "--exit-on-error", "--dbname", name];
  await mustRun((await findProgram("pg_restore")).command, [...placeOf(server), ...options, file]);
  return server.socketUrl.replace("/postgres?", `/${name}?`);
}
