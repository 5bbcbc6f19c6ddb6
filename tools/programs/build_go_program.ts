import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cacheFolder, fetchOnce } from "./cache_folder.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { mustRun } from "./run_program.ts";

/** A Go program, built from the committed `go.mod` and `go.sum` in the folder of its name (Go 1.26 or later). */
export interface GoProgram {
  readonly name: string;
  readonly version: string;
  /** The package to pass to `go build`. */
  readonly package: string;
  /** About how long the build takes. */
  readonly seconds: number;
}

/** Turns off garbage collection below 1 GiB, which saves a tenth of the compiler's processor time. */
const COLLECTS_LATE = { GOGC: "off", GOMEMLIMIT: "1GiB" };

/**
 * Builds a Go program into the cache, once.
 *
 * @param progress called with a line of text at once and every 15 s; writes to standard error by default
 * @returns the program's path
 * @throws Error if this machine has no Go, or with the compiler's last lines
 */
export async function buildGoProgram(
  { name, version, package: wanted, seconds }: GoProgram,
  progress = (words: string): void => void process.stderr.write(`${words}\n`),
): Promise<string> {
  const path = join(cacheFolder(), `${name}-${version}`, name);
  await fetchOnce(dirname(path), async (part) => {
    const go = onPath("go") ?? "/usr/local/go/bin/go";
    if (!isExecutable(go)) {
      throw new Error(`${name} is not installed, and without Go it cannot be built`);
    }
    const startedMs = Date.now();
    const report = () => {
      const spent = Math.round((Date.now() - startedMs) / 1000);
      progress(`building ${name}, once, about ${seconds} s: ${spent} s`);
    };
    report();
    const ticks = setInterval(report, 15_000);
    // Go keeps caches at home, if it has one.
    const home = process.env.HOME || join(part, "home");
    await mkdir(home, { recursive: true });
    try {
      await mustRun(go, ["build", "-trimpath", "-ldflags=-s -w", "-o", join(part, name), wanted], {
        cwd: fileURLToPath(new URL(`../${name}`, import.meta.url)),
        env: {
          ...COLLECTS_LATE,
          ...process.env,
          HOME: home,
          GOTMPDIR: part,
          GOFLAGS: "-buildvcs=false -mod=readonly",
          CGO_ENABLED: "0",
        },
      });
    } finally {
      clearInterval(ticks);
    }
  });
  return path;
}
