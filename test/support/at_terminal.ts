import { spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Why a test cannot be at a terminal; false where it can. */
export const hasNoTerminal = spawnSync("script", ["--version"]).error !== undefined &&
  "without script(1)";

/** Runs the operator's command at a terminal that `script` makes; types each answer once its question appears. */
export async function atTerminal(
  env: Record<string, string>,
  args: readonly string[],
  answers: readonly (readonly [question: string, keys: string])[],
) {
  const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath];
  const launcher = fileURLToPath(new URL("../../tools/sabika.mjs", import.meta.url));
  const line = [...runtime, launcher, ...args].map((word) => `'${word}'`).join(" ");
  // Without a size, the terminal is one column wide.
  const sized = `stty cols 120 rows 40; exec ${line}`;
  const terminal = spawn("script", ["-qefc", sized, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "xterm", ...env },
  });
  let output = "";
  const next = [...answers];
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (next[0] === undefined || !output.includes(next[0][0])) return;
    terminal.stdin.write(next.shift()![1]);
  });
  const code = await new Promise((resolve) => terminal.on("close", resolve));
  return { code, output };
}
