import { readFile, stat } from "node:fs/promises";
import { type Command, commandHelp, HELP, readCommand, UsageError } from "./command_line.ts";
import { checkSet, type SetRules } from "./check_set.ts";
import { describeChains } from "./describe_chains.ts";
import { writeInstances } from "./endpoints.ts";
import { firewallOf } from "./firewall.ts";
import { handAddresses } from "./hand_addresses.ts";
import {
  readRegisteredAddresses,
  type RegisteredPartner,
  storedAddresses,
} from "./registered_addresses.ts";
import { renderWhole } from "./render.ts";
import { rotate } from "./rotate.ts";
import { runEnvoy, writeConfiguration } from "./run_envoy.ts";
import { currentSet, currentVersion } from "./sds_folder.ts";
import { type SecretSet, SET_FILES } from "./secret_set.ts";
import { readSettings, type SidecarSettings } from "./settings.ts";
import { validate } from "./validate.ts";

/** The clock and the output streams of the command. */
export interface SidecarSurroundings {
  /** Epoch milliseconds. */
  nowMs: number;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** Resolves when the command is to end; called only by `run`. */
  interrupted(): Promise<void>;
}

/** Runs the command. Returns the exit code, 0: done, 1: refused or failed, 2: wrong usage. */
export async function runSidecar(args: string[], io: SidecarSurroundings): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    io.stderr.write(`sidecar: ${(error as Error).message.split("\n")[0]}\n`);
    if (!(error instanceof UsageError)) return 1;
    io.stderr.write("see `sidecar --help`\n");
    return 2;
  }
}

async function run(args: string[], io: SidecarSurroundings): Promise<number> {
  const { nowMs } = io;
  const command = readCommand(args);
  if (command.help) return tell(io, command.name === undefined ? HELP : commandHelp(command.name));
  if (command.name === undefined) throw new UsageError("which command?");
  const settings = await openSettings(command.settingsFile);
  switch (command.name) {
    case "render":
      if (command.print) {
        return tell(io, renderWhole(settings, await storedAddresses(settings.folder)));
      }
      return tell(io, `written: ${await writeConfiguration(settings, nowMs)}\n`);
    case "validate": {
      const problem = await validate(command.envoy, settings, nowMs);
      if (problem !== undefined) return refuse(io, [problem]);
      return tell(io, "Envoy accepts the configuration\n");
    }
    case "run":
      return await runUntilInterrupted(command.envoy, settings, io);
    case "instances":
      await writeInstances(settings.folder, settings.instances, String(nowMs));
      return tell(io, `${settings.instances.length} instance(s) on the list\n`);
    case "addresses":
      return await addresses(settings, command, io);
    case "firewall": {
      const partners = command.addressesFile === undefined
        ? await storedAddresses(settings.folder)
        : await readList(command);
      return tell(io, firewallOf(settings, partners).rules);
    }
    case "check":
      if (command.addressesFile !== undefined) {
        return tell(io, describeChains(await readList(command), settings));
      }
      return await check(settings, command, io);
    case "rotate":
      return await rotateSet(settings, command, io);
  }
}

/** Runs Envoy in front; an interrupted one finishes what it has, at most as long as an answer may take. */
async function runUntilInterrupted(
  program: string,
  settings: SidecarSettings,
  io: SidecarSurroundings,
): Promise<number> {
  if (await currentVersion(settings.folder) === undefined) {
    return refuse(io, ["there is no set of secrets yet: `rotate` stores the first"]);
  }
  const envoy = await runEnvoy(program, settings, io.nowMs, "inherit");
  tell(io, `ready on port ${envoy.port}, statistics on port ${envoy.watchPort}\n`);
  const ended = envoy.ended.then(() => "ended" as const);
  if (await Promise.race([ended, io.interrupted()]) === "ended") {
    return refuse(io, ["Envoy ended by itself"]);
  }
  await envoy.stop(settings.limits.answerSeconds * 1000);
  return tell(io, "ended\n");
}

async function addresses(settings: SidecarSettings, command: Command, io: SidecarSurroundings) {
  const partners = await readList(command);
  const done = await handAddresses(settings, partners, String(io.nowMs));
  if (!done.ok) return refuse(io, [done.problem]);
  const stored = "are stored; Envoy does not run and takes them when it starts";
  const state = done.applied ? "are in use" : stored;
  return tell(io, `addresses of ${partners.length} partner(s) ${state}\n`);
}

async function check(settings: SidecarSettings, command: Command, io: SidecarSurroundings) {
  const set = await openSet(settings, command.files, io);
  const problems = await checkSet(set, rules(command, io.nowMs));
  return problems.length > 0 ? refuse(io, problems) : tell(io, "the set is good\n");
}

async function rotateSet(settings: SidecarSettings, command: Command, io: SidecarSurroundings) {
  const set = await openSet(settings, command.files, io);
  const done = await rotate(settings, set, rules(command, io.nowMs));
  if (!done.ok) return refuse(io, done.problems);
  const stored = "is stored; Envoy does not run and takes it when it starts";
  return tell(io, `set ${done.version} ${done.applied ? "is in use" : stored}\n`);
}

function rules({ certificateDays, crlHours }: Command, nowMs: number): SetRules {
  return { nowMs, certificateDays, crlHours };
}

async function readList({ addressesFile }: Command): Promise<RegisteredPartner[]> {
  if (addressesFile === undefined) throw new UsageError("--list FILE is missing");
  return readRegisteredAddresses(await readFile(addressesFile, "utf8"));
}

async function openSettings(file: string | undefined): Promise<SidecarSettings> {
  if (file === undefined) throw new UsageError("--settings FILE is missing");
  return readSettings(await readFile(file, "utf8"));
}

/** Reads the set in use, with the parts in `files` replaced; the first set needs all parts. */
async function openSet(
  settings: SidecarSettings,
  files: Partial<Record<keyof SecretSet, string>>,
  io: SidecarSurroundings,
): Promise<SecretSet> {
  const parts = Object.keys(SET_FILES) as (keyof SecretSet)[];
  const missing = parts.filter((part) => files[part] === undefined);
  const old = missing.length === 0
    ? undefined
    : await currentSet(settings.folder).catch(() => undefined);
  if (missing.length > 0 && old === undefined) {
    throw new UsageError(`there is no set yet, so the first needs ${missing.length} more file(s)`);
  }
  const set = { ...old } as SecretSet;
  for (const [part, file] of Object.entries(files) as [keyof SecretSet, string][]) {
    const text = await readFile(file, "utf8");
    if (part === "serverKey" || part === "edgeSecret") await requirePrivateFile(file, settings, io);
    // The service's file may hold two secrets; the sidecar sends the first.
    set[part] = part === "edgeSecret" ? text.trim().split("\n")[0]!.trim() : text;
  }
  return set;
}

/** Requires that only its owner can read a secret, or root and a group, as the service does. */
async function requirePrivateFile(
  file: string,
  { environment }: SidecarSettings,
  { stderr }: SidecarSurroundings,
): Promise<void> {
  const { mode, uid } = await stat(file);
  if ((mode & (uid === 0 ? 0o037 : 0o077)) === 0) return;
  const octal = (mode & 0o777).toString(8);
  const reason = `${file} has mode 0${octal}: others can read it; chmod 600 it`;
  if (environment === "production") throw new UsageError(reason);
  stderr.write(`warning: ${reason}\n`);
}

function tell({ stdout }: SidecarSurroundings, text: string): 0 {
  stdout.write(text);
  return 0;
}

function refuse({ stderr }: SidecarSurroundings, problems: readonly string[]): 1 {
  for (const problem of problems) stderr.write(`refused: ${problem}\n`);
  return 1;
}
