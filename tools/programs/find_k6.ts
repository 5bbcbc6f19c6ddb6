import { buildGoProgram } from "./build_go_program.ts";
import { onPath } from "./on_path.ts";
import { runProgram } from "./run_program.ts";

const K6 = { name: "k6", version: "2.2.0", package: "go.k6.io/k6/v2", seconds: 150 };

/**
 * The path of a k6 2.2 or later: one on the PATH, else one built before, else it is built from the
 * committed `tools/k6/go.mod` and `go.sum` (Go 1.25; about 150 s, once).
 *
 * @param options.progress called with what takes long, in words
 * @param options.besideOthers that others work meanwhile, as in `GoProgram`
 * @throws Error with the reason when none can be had on this machine
 */
export async function findK6(
  options: { progress?: (words: string) => void; besideOthers?: string } = {},
): Promise<string> {
  const installed = onPath("k6");
  if (installed !== undefined && await isNewEnough(installed)) return installed;
  const { progress, besideOthers } = options;
  return await buildGoProgram({ ...K6, progress, besideOthers });
}

async function isNewEnough(k6: string): Promise<boolean> {
  const words = (await runProgram(k6, ["version"])).stdout;
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(words) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 2);
}
