import { ExitCode, proposeCompletions, run } from "@stricli/core";
import { whyUnknown } from "@sabika/core/settings";
import { application } from "./application.ts";
import type { Context, Surroundings } from "./context.ts";

/**
 * Runs one command line of the operator.
 *
 * @param args without `sabika` itself
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage (Decision D45)
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
  const unknown = whyUnknown(surroundings.env);
  if (unknown !== undefined) {
    surroundings.stderr.write(`sabika: ${unknown}\n`);
    return 2;
  }
  await run(application, args, { process, surroundings });
  const code = Number(process.exitCode ?? 0);
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return 2;
  return code < 0 ? 1 : code;
}
