import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cacheFolder, fetchOnce } from "./cache_folder.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { lastWords, runProgram } from "./run_program.ts";

/** A Go program, built from the committed `go.mod` and `go.sum` in a folder beside this one (Go 1.26 or later). */
export interface GoProgram {
  readonly name: string;
  readonly version: string;
  /** The folder that has them, where it does not have the program's name. */
  readonly module?: string;
  /** The package that `go build` is given. */
  readonly package: string;
  /** About how long it takes. */
  readonly seconds: number;
}

/** Memory rather than a tenth of the processor: the compiler collects no garbage before it has this much. */
const COLLECTS_LATE = { GOGC: "off", GOMEMLIMIT: "1GiB" };

/**
 * Builds it once.
 *
 * @param progress called with what takes long, in words; written to standard error by default
 * @returns its path
 * @throws Error when this machine has no Go, or the build fails
 */
export async function buildGoProgram(
  program: GoProgram,
  progress: (words: string) => void = writeProgress,
): Promise<string> {
  const { name, module = name } = program;
  const path = join(cacheFolder(), `${name}-${program.version}`, name);
  await fetchOnce(dirname(path), async (part) => {
    const start = Date.now();
    const report = () => {
      const seconds = Math.round((Date.now() - start) / 1000);
      progress(`building ${name}, once, about ${program.seconds} s: ${seconds} s`);
    };
    report();
    const ticks = setInterval(report, 15_000);
    try {
      await runGo(module, part, [
        ...["build", "-trimpath", "-ldflags=-s -w", "-o", join(part, name), program.package],
      ]);
    } finally {
      clearInterval(ticks);
    }
  });
  return path;
}

/**
 * Runs `go` in the folder of a module beside this one, and gives back what it wrote.
 *
 * @param scratch where Go's own caches are where it has no home to keep them in
 * @throws Error when this machine has no Go, or it fails: what it was to do, and its last words
 */
export async function runGo(
  module: string,
  scratch: string,
  args: string[],
): Promise<string> {
  const go = onPath("go") ?? "/usr/local/go/bin/go";
  if (!isExecutable(go)) {
    throw new Error(`${module} is not installed, and without Go it cannot be built`);
  }
  const home = process.env.HOME || join(scratch, "home");
  await mkdir(home, { recursive: true });
  const end = await runProgram(go, args, {
    cwd: fileURLToPath(new URL(`../${module}`, import.meta.url)),
    env: {
      ...COLLECTS_LATE,
      ...process.env,
      HOME: home,
      GOTMPDIR: scratch,
      GOFLAGS: "-buildvcs=false -mod=readonly",
      CGO_ENABLED: "0",
    },
  });
  if (end.exitCode === 0) return end.stdout;
  throw new Error(
    `"go ${args.join(" ")}" in tools/${module} ended with ${end.exitCode}: ${lastWords(end)}`,
  );
}

function writeProgress(words: string): void {
  process.stderr.write(`${words}\n`);
}
