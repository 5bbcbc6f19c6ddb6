import process from "node:process";
import { runProgram } from "../programs/run_program.ts";
import type { ClientsSandbox } from "./sandbox.ts";

/** A client or the contract, checked with the programs of its language or of others. */
export interface Subject {
  /** As it is named on the command line. */
  name: string;
  /**
   * Finds the tools and fetches what they need.
   *
   * @param scratch an empty folder for what is built; removed afterwards
   * @throws Error with the reason when this machine cannot have them
   */
  prepare(scratch: string): Promise<PreparedSubject>;
}

/** A subject whose tools are there. */
export interface PreparedSubject {
  /** `Python 3.11.7` */
  version?: string;
  /** In this order; what follows a check that failed is not tried. */
  checks: readonly Check[];
}

/** A check of a subject. */
export interface Check {
  name: string;
  /** Why this machine cannot do it. */
  missing?: string;
  /** @param sandbox starts the subject's own sandbox when it is first called */
  run(sandbox: () => Promise<ClientsSandbox>): Promise<Outcome>;
}

/** The result of a check. */
export interface Outcome {
  ok: boolean;
  /** All that was printed; it is searched for secrets. */
  output: string;
}

/** A command that a check runs. */
export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Added to our own. */
  env?: Readonly<Record<string, string>>;
}

/** A first build on a busy machine takes minutes; what takes longer hangs. */
const TIMEOUT_MS = 600_000;

/** Runs a program; what it printed, and whether it ended well. */
export async function runCommandOf({ command, args, cwd, env }: Command): Promise<Outcome> {
  const end = await runProgram(command, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
  });
  const ending = end.exitCode === null ? `\nended after ${TIMEOUT_MS / 1000} s at the latest` : "";
  return { ok: end.exitCode === 0, output: end.stdout + end.stderr + ending };
}

/** A check that a program ends well. */
export function check(name: string, command: Command): Check {
  return { name, run: () => runCommandOf(command) };
}

/** A check that a client's own tests pass against a sandbox, whose kit they find in `SABIKA_KIT`. */
export function checkTests(command: Command): Check {
  return {
    name: "its own tests pass: every vector, and the client against the sandbox",
    async run(sandbox) {
      const { kit } = await sandbox();
      return await runCommandOf({ ...command, env: { ...command.env, SABIKA_KIT: kit } });
    },
  };
}

/**
 * A check that a client's example program executes an order once and receives its webhook.
 *
 * @param on where it runs, where there are several
 * @param command with a kit, and the https address that it receives webhooks at
 */
export function checkExample(
  command: (kit: string, webhookUrl: string) => Command,
  on?: string,
): Check {
  const name = "the example buys gold once and receives the webhook";
  return {
    name: on === undefined ? name : `${name} (${on})`,
    async run(sandbox) {
      const { kit, webhookUrl } = await sandbox();
      const { ok, output } = await runCommandOf(command(kit, await webhookUrl()));
      const [, id] = /^(ord_[0-9a-f-]+) executed: 1 g for [0-9.]+ SAR$/m.exec(output) ?? [];
      const lines = output.split("\n");
      const isDone = id !== undefined && lines.includes(`${id} once more: the same order`) &&
        lines.includes(`webhook order.executed ${id}`);
      return { ok: ok && isDone, output };
    },
  };
}
