import { execFile } from "node:child_process";
import type { SidecarSettings } from "./settings.ts";
import { writeConfiguration } from "./run_envoy.ts";

/**
 * Renders the configuration and asks Envoy itself whether it accepts it. A set of secrets must be
 * there, because Envoy looks for its files.
 *
 * @param envoy Envoy's program
 * @returns undefined when it does, else Envoy's reason
 */
export async function validate(
  envoy: string,
  settings: SidecarSettings,
  nowMs: number,
): Promise<string | undefined> {
  const file = await writeConfiguration(settings, nowMs);
  const args = ["--mode", "validate", "-c", file, "--log-level", "error"];
  return await new Promise((resolve) => {
    execFile(envoy, args, (error, _stdout, stderr) => {
      if (error === null) return resolve(undefined);
      const reason = (stderr.trim().split("\n").at(-1) ?? "").replace(
        /^.*?error initializing /,
        "",
      );
      resolve((reason || error.message).slice(0, 500));
    });
  });
}
