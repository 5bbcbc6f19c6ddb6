import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Opened } from "@sabika/server";
import { firewallOf, type SidecarSettings, storedAddresses } from "@sabika/sidecar";
import { findProgram } from "../../../tools/programs/find_program.ts";
import { mustRun } from "../../../tools/programs/run_program.ts";
import { StartError } from "../start_error.ts";

/** This machine's firewall, in front of the sidecar. */
export interface StackFirewall {
  /** The table with its rules and counters, as `nft list table` shows it. */
  show(): Promise<string>;
  /** Loads rules for the addresses that the sidecar has now. */
  load(): Promise<void>;
}

/**
 * Makes this machine's firewall drop new connections above their caller's rate until the stack ends
 * (Decision D68).
 *
 * @throws {StartError} when the rules cannot be loaded, e.g. without root's rights
 */
export async function startFirewall(
  sidecar: SidecarSettings,
  opened: Opened,
): Promise<StackFirewall> {
  if (process.getuid?.() !== 0) {
    throw new StartError("--firewall: only root may change this machine's firewall");
  }
  const { command, env } = await findProgram("nft").catch((error: Error) => {
    throw new StartError(`--firewall: ${error.message}`);
  });
  const nft = (...args: string[]) => mustRun(command, args, { env: { ...process.env, ...env } });
  const file = join(sidecar.folder, "firewall.nft");
  const { table } = firewallOf(sidecar, undefined);
  const load = async () => {
    await writeFile(file, firewallOf(sidecar, await storedAddresses(sidecar.folder)).rules);
    await nft("-f", file);
  };
  await load().catch((error: Error) => {
    throw new StartError(`--firewall: ${error.message.split("\n")[0]}`);
  });
  opened.add(async () => void await nft("delete", "table", "inet", table));
  return { load, show: () => nft("list", "table", "inet", table) };
}
