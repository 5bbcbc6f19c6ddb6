import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { commandLine } from "../programs/command_line.ts";
import { mustRun, runProgram } from "../programs/run_program.ts";
import type { ClientsSandbox } from "./sandbox.ts";

/** A client or the contract, checked with the programs of its language or of others. */
export interface Subject {
  /** Its name on the command line. */
  name: string;
  /**
   * Finds the tools and fetches what they need.
   *
   * @param scratch an empty folder for builds, which is removed afterwards
   * @throws Error with the reason if a tool is missing on this machine
   */
  prepare(scratch: string): Promise<PreparedSubject>;
}

/** A subject whose tools were found. */
export interface PreparedSubject {
  /** Such as `Python 3.11.7`. */
  version?: string;
  /** The checks, in this order; after a failed check the others are not made. */
  checks: readonly Check[];
}

/** A check of a subject. */
export interface Check {
  name: string;
  /** Why this machine cannot make the check; undefined if it can. */
  missing?: string;
  /**
   * @param sandbox starts the subject's own sandbox when it is first called
   * @param vectors makes a folder of vectors when it is first called in a run
   */
  run(sandbox: () => Promise<ClientsSandbox>, vectors: () => Promise<string>): Promise<Outcome>;
}

/** The result of a check. */
export interface Outcome {
  ok: boolean;
  /** The output, which is searched for secrets. */
  output: string;
}

/** A command that a check runs. */
export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Variables besides the inherited ones. */
  env?: Readonly<Record<string, string>>;
}

/** The time limit: a first build on a busy machine takes some minutes. */
const TIMEOUT_MS = 600_000;

/** Runs a program; returns its output, and whether it exited with 0. */
export async function runCommandOf({ command, args, cwd, env }: Command): Promise<Outcome> {
  const end = await runProgram(command, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
  });
  const ending = end.exitCode === null ? `\nended after ${TIMEOUT_MS / 1000} s at the latest` : "";
  return { ok: end.exitCode === 0, output: end.stdout + end.stderr + ending };
}

/** Makes a check that a program exits with 0. */
export function check(name: string, command: Command): Check {
  return { name, run: () => runCommandOf(command) };
}

/**
 * Makes a check that a client's own tests pass against a sandbox; `SABIKA_KIT` names its kit, `SABIKA_RESERVE_DAY` the
 * day of its reserve, `SABIKA_VECTORS` a folder like docs/vectors that has more, `SABIKA_PARTNER_DATABASE` the URL of
 * an empty database, `SABIKA_NEXT_KIT` a kit of the same partner with other keys.
 */
export function checkTests(command: Command, on?: string): Check {
  const name =
    "its own tests pass: every vector, what a database's owner altered, and the client against the sandbox";
  return {
    name: on === undefined ? name : `${name} (${on})`,
    async run(sandbox, vectors) {
      const { kit, reserveDay, databaseUrl, nextKit } = await sandbox();
      const env = {
        SABIKA_KIT: kit,
        SABIKA_RESERVE_DAY: await reserveDay(),
        SABIKA_VECTORS: await vectors(),
        SABIKA_PARTNER_DATABASE: await databaseUrl(),
        SABIKA_NEXT_KIT: await nextKit(),
      };
      return await runCommandOf({ ...command, env: { ...command.env, ...env } });
    },
  };
}

/**
 * Makes a check that a program of the reference's samples compiles in a project of its own, which depends on the client
 * as a user's does.
 *
 * @param files the project's files, by their names
 * @param commands build it, one after the other
 */
export function checkProject(
  folder: string,
  files: Readonly<Record<string, string>>,
  commands: readonly Omit<Command, "cwd">[],
): Check {
  return {
    name: "an empty project installs it, and the reference's samples compile there",
    async run() {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      let output = "";
      for (const command of commands) {
        const end = await runCommandOf({ ...command, cwd: folder });
        output += end.output;
        if (!end.ok) return { ok: false, output };
      }
      return { ok: true, output };
    },
  };
}

/** Makes the check of a client's own tests on another runtime, which this machine may not have. */
export async function checkTestsOn<Runtime>(
  on: string,
  finding: Promise<Runtime>,
  command: (runtime: Runtime) => Command,
): Promise<Check> {
  const nothing = { command: "", args: [], cwd: "" };
  return await finding.then(
    (runtime) => checkTests(command(runtime), on),
    (error: Error) => ({ ...checkTests(nothing, on), missing: error.message }),
  );
}

/**
 * Makes a check that a client's example program executes an order whose answer is lost once, receives its webhook, and
 * reconciles the day.
 *
 * @param on the name of the runtime, if there are several
 * @param command makes the command for a kit and the https address at which it receives webhooks
 */
export function checkExample(
  command: (kit: string, webhookUrl: string) => Command,
  on?: string,
): Check {
  const name =
    "a trading day: buys once though the answer is lost, receives the webhook, reconciles";
  return {
    name: on === undefined ? name : `${name} (${on})`,
    async run(sandbox) {
      const { kit, webhookUrl } = await sandbox();
      const { ok, output } = await runCommandOf(command(kit, await webhookUrl()));
      const [, id] = /^(ord_[0-9a-f-]+) executed: 1 g for [0-9.]+ SAR$/m.exec(output) ?? [];
      const lines = output.split("\n");
      const isDone = lines.includes("its answer was lost, its call repeated: 1 order") &&
        lines.includes(`webhook order.executed ${id}`) &&
        lines.some((line) => / reconciled: [1-9][0-9]* entries$/.test(line));
      return { ok: ok && isDone, output };
    },
  };
}

/** Installs npm packages beside what a project has, without running their scripts. */
export async function installBeside(project: string, specs: readonly string[]): Promise<void> {
  await mustRun(
    "npm",
    commandLine`install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error ${specs}`,
    { cwd: project },
  );
}
