import { findProgram } from "../../../tools/programs/find_program.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { commandLine } from "../../../tools/programs/command_line.ts";

/** The database that pgbench uses. */
export interface PgbenchTarget {
  socketFolder: string;
  port: number;
  database: string;
}

/** The size of a run of pgbench. */
export interface PgbenchRun {
  clients: number;
  seconds: number;
}

const TPCB_SCALE = 10;

/** Creates pgbench's tables (TPC-B) with 10 branches; throws Error if pgbench fails. */
export async function initialisePgbench(target: PgbenchTarget): Promise<void> {
  await mustRun(
    (await findProgram("pgbench")).command,
    commandLine`-i -q -s ${String(TPCB_SCALE)} ${connection(target)}`,
  );
}

/** Runs pgbench; returns transactions per second, not counting connecting. Throws Error if it fails. */
export async function runPgbench(target: PgbenchTarget, run: PgbenchRun): Promise<number> {
  const output = await mustRun(
    (await findProgram("pgbench")).command,
    commandLine`-n -c ${String(run.clients)} -j 2 -T ${String(run.seconds)} ${connection(target)}`,
  );
  return readTps(output);
}

/** @throws Error if the output has no rate */
function readTps(output: string): number {
  const found = /tps = ([0-9.]+)/.exec(output);
  if (found === null) throw new Error(`pgbench printed no rate: ${output.slice(0, 300)}`);
  return Number(found[1]);
}

function connection(target: PgbenchTarget): string[] {
  const { socketFolder, port, database } = target;
  return ["-h", socketFolder, "-p", String(port), "-U", "sabika", database];
}
