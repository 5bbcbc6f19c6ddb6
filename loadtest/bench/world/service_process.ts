import { endProcess, isRunning, startProgram } from "../../../tools/programs/own_process.ts";

/** A program of the repository that serves. */
export interface ServiceProcess {
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a TypeScript program on the runtime that we run on ourselves and waits until `isReady` says so.
 *
 * @param program path below the repository, such as `packages/server/main.ts`
 * @throws Error with its last words when it ends before it is ready
 */
export async function startService(
  program: string,
  environment: Record<string, string>,
  isReady: () => Promise<boolean>,
  nodeOptions: readonly string[] = [],
): Promise<ServiceProcess> {
  const child = startProgram(program, environment, nodeOptions);
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-4000)));
  }
  while (!await isReady().catch(() => false)) {
    if (!isRunning(child)) {
      throw new Error(`${program} ended with ${child.exitCode}: ${words.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    pid: child.pid!,
    async stop() {
      const forced = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await endProcess(child, "SIGTERM");
      clearTimeout(forced);
    },
  };
}
