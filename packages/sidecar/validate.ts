import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { storedAddresses } from "./registered_addresses.ts";
import { renderWhole } from "./render.ts";
import { replaceFile } from "./replace_file.ts";
import { writeConfiguration } from "./run_envoy.ts";
import type { SidecarSettings } from "./settings.ts";

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
      const reason = (stderr.trim().split("\n").at(-1) ?? "").replace(
        /^.*?error initializing /,
        "",
      );
      resolve((reason || error.message).slice(0, 500));
    });
  });
}
