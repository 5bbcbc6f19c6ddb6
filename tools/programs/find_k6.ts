import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache_folder.ts";
import { fetchOnce } from "./fetch_once.ts";
import { isExecutable, onPath } from "./on_path.ts";
import { mustRun, runProgram } from "./run_program.ts";

const K6_VERSION = "2.2.0";

/**
 * The path of a k6 2.2 or later: one on the PATH, else one built before, else it is built from the
 * committed `tools/k6/go.mod` and `go.sum` (Go 1.25; about 150 s, once).
 *
 * @param options.build false: do not start a long build, throw instead
 * @param options.progress called with what takes long, in words
 * @throws Error with the reason when none can be had on this machine
 */
export async function findK6(
  options: { build?: boolean; progress?: (words: string) => void } = {},
): Promise<string> {
  const installed = onPath("k6");
  if (installed !== undefined && await isNewEnough(installed)) return installed;
  const folder = join(cacheFolder(), `k6-${K6_VERSION}`);
  const k6 = join(folder, "k6");
  if (isExecutable(k6)) return k6;
  if (options.build === false) {
    throw new Error("k6 is not installed; `CI=true npm test` or `npm run load` builds it once");
  }
  const go = onPath("go") ?? "/usr/local/go/bin/go";
  if (!isExecutable(go)) throw new Error("k6 is not installed, and without Go it cannot be built");
  await fetchOnce(folder, (part) => build(go, part, options.progress ?? writeProgress));
  return k6;
}

async function isNewEnough(k6: string): Promise<boolean> {
  const words = (await runProgram(k6, ["version"])).stdout;
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(words) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 2);
}

async function build(go: string, folder: string, progress: (words: string) => void): Promise<void> {
  // Go's own caches go away with the build where it has no home to keep them in.
  const home = process.env.HOME || join(folder, "home");
  await mkdir(home, { recursive: true });
  const start = Date.now();
  const tell = () => {
    progress(
      `building k6 ${K6_VERSION}, once, about 150 s: ${Math.round((Date.now() - start) / 1000)} s`,
    );
  };
  tell();
  const ticks = setInterval(tell, 15_000);
  try {
    await mustRun(go, [
      ...["build", "-C", fileURLToPath(new URL("../k6", import.meta.url)), "-trimpath"],
      ...["-ldflags=-s -w", "-o", join(folder, "k6"), "go.k6.io/k6/v2"],
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
}

function writeProgress(words: string): void {
  process.stderr.write(`${words}\n`);
}
