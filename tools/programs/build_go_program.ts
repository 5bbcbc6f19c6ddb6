import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fetchOnce } from "./fetch_once.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { mustRun } from "./run_program.ts";

/** A Go program, built from the committed `go.mod` and `go.sum` in a folder of its name beside this one (Go 1.25 or later). */
export interface GoProgram {
  readonly name: string;
  /** What `go build` is given. */
  readonly package: string;
  /** Where it goes; its last part names the version too. */
  readonly folder: string;
  /** About how long it takes. */
  readonly seconds: number;
  /** Called with what takes long, in words; written to standard error by default. */
  readonly progress?: ((words: string) => void) | undefined;
}

/**
 * Builds it once.
 *
 * @throws Error when this machine has no Go, or the build fails
 */
export async function buildGoProgram(program: GoProgram): Promise<void> {
  const { name, progress = writeProgress } = program;
  const go = onPath("go") ?? "/usr/local/go/bin/go";
  if (!isExecutable(go)) {
    throw new Error(`${name} is not installed, and without Go it cannot be built`);
  }
  await fetchOnce(program.folder, async (part) => {
    // Go's own caches go away with the build where it has no home to keep them in.
    const home = process.env.HOME || join(part, "home");
    await mkdir(home, { recursive: true });
    const start = Date.now();
    const report = () => {
      const seconds = Math.round((Date.now() - start) / 1000);
      progress(`building ${name}, once, about ${program.seconds} s: ${seconds} s`);
    };
    report();
    const ticks = setInterval(report, 15_000);
    try {
      await mustRun(go, [
        ...["build", "-C", fileURLToPath(new URL(`../${name}`, import.meta.url)), "-trimpath"],
        ...["-ldflags=-s -w", "-o", join(part, name), program.package],
      ], {
        env: {
          ...process.env,
          HOME: home,
          GOFLAGS: "-buildvcs=false -mod=readonly",
          CGO_ENABLED: "0",
        },
      });
    } finally {
      clearInterval(ticks);
    }
  });
}

function writeProgress(words: string): void {
  process.stderr.write(`${words}\n`);
}
