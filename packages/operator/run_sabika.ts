import { ExitCode, proposeCompletions, run } from "@stricli/core";
import { VERSION, whyUnknown } from "@sabika/terms/settings";
import { application } from "./application.ts";
import { askMissing, type CommandNode } from "./command/ask_missing.ts";
import { askAtTerminal } from "./command/ask.ts";
import type { Context, Surroundings } from "./context.ts";
import { describeError, RefusedError } from "./outcome.ts";

/**
 * Runs one command line of the operator. At a terminal it first asks for missing arguments.
 *
 * @param args the arguments, without `sabika` itself
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage, 3 recorded for later (Decision D45)
 */
export async function runSabika(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const process: Context["process"] = {
    stdout: { write: (text) => void surroundings.stdout.write(text) },
    // A command that has shown what failed needs no further message.
    stderr: { write: (text) => void (text.trim() === "" || surroundings.stderr.write(text)) },
    env: surroundings.env as Record<string, string>,
  };
  if (args[0] === "--complete") {
    const proposals = await proposeCompletions(application, args.slice(1), {
      process,
      surroundings,
    });
    for (const { completion } of proposals) process.stdout.write(`${completion}\n`);
    return 0;
  }
  // `--version` is accepted with every command, even an unknown one.
  if (args.includes("--version")) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const unknown = whyUnknown(surroundings.env);
  if (unknown !== undefined) {
    surroundings.stderr.write(`sabika: ${unknown}\n`);
    return 2;
  }
  let words = args;
  if (surroundings.isTerminal) {
    const root = application.root as unknown as CommandNode;
    try {
      words = await askMissing(root, args, askAtTerminal);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      surroundings.stderr.write(`${describeError(error, false)}\n`);
      return 1;
    }
  }
  await run(application, words, { process, surroundings });
  const code = Number(process.exitCode ?? 0);
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return 2;
  return code < 0 ? 1 : code;
}
