import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPgbench } from "../../../tools/programs/find_pgbench.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";

export interface PgbenchTarget {
  socketFolder: string;
  port: number;
  database: string;
}

export interface PgbenchRun {
  clients: number;
  seconds: number;
  /** A script of our own instead of TPC-B. */
  script?: string;
}

const TPCB_SCALE = 10;

/** Makes pgbench's own tables (TPC-B). */
export async function initialisePgbench(target: PgbenchTarget): Promise<void> {
  await mustRun(await findPgbench(), [
    ...["-i", "-q", "-s", String(TPCB_SCALE)],
    ...connection(target),
  ]);
}

/** Transactions a second, as pgbench counts them without the time of connecting. */
export async function runPgbench(target: PgbenchTarget, run: PgbenchRun): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sabika-pgbench-"));
  try {
    const script: string[] = [];
    if (run.script !== undefined) {
      await writeFile(join(folder, "script.sql"), run.script);
      script.push("-f", join(folder, "script.sql"));
    }
    const words = await mustRun(await findPgbench(), [
      ...["-n", "-c", String(run.clients), "-j", "2", "-T", String(run.seconds), ...script],
      ...connection(target),
    ]);
    return readTps(words);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @throws Error when the output names no rate */
export function readTps(words: string): number {
  const found = /tps = ([0-9.]+)/.exec(words);
  if (found === null) throw new Error(`pgbench printed no rate: ${words.slice(0, 300)}`);
  return Number(found[1]);
}

function connection(target: PgbenchTarget): string[] {
  const { socketFolder, port, database } = target;
  return ["-h", socketFolder, "-p", String(port), "-U", "sabika", database];
}
