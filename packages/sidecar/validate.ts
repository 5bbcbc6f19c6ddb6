import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { storedAddresses } from "./registered_addresses.ts";
import { renderWhole } from "./render.ts";
import { replaceFile } from "./replace_file.ts";
import { writeConfiguration } from "./run_envoy.ts";
import type { SidecarSettings } from "./settings.ts";

/**
 * Writes the configuration as {@linkcode writeConfiguration} does, and asks Envoy itself whether it accepts
 * the result. A set of secrets must exist, because Envoy looks for its files.
 *
 * @param envoy the path of Envoy's program
 * @param nowMs epoch milliseconds, the version of the written lists
 * @returns undefined if Envoy accepts it, else why it does not or could not be started; at most 500 characters
 */
export async function validate(
  envoy: string,
  settings: SidecarSettings,
  nowMs: number,
): Promise<string | undefined> {
  await writeConfiguration(settings, nowMs);
  const file = join(settings.folder, "whole.yaml");
  await replaceFile(file, renderWhole(settings, await storedAddresses(settings.folder)));
  const reason = await ask(envoy, file);
  await rm(file);
  return reason;
}

function ask(envoy: string, file: string): Promise<string | undefined> {
  const args = ["--mode", "validate", "-c", file, "--log-level", "error"];
  return new Promise((resolve) => {
    execFile(envoy, args, (error, _stdout, stderr) => {
      if (error === null) return resolve(undefined);
      const lastLine = stderr.trim().split("\n").at(-1) ?? "";
      const reason = lastLine.replace(/^.*?error initializing /, "");
      resolve((reason || error.message).slice(0, 500));
    });
  });
}
