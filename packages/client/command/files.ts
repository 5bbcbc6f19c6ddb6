import { readFile } from "node:fs/promises";
import { openKit } from "../kit.ts";
import type { Kit } from "../kit.ts";
import { CommandError, type Io } from "./io.ts";

/** The options that name a kit. */
export const KIT_OPTION = { kit: { type: "string", default: "." } } as const;
/** The options that give webhook secrets. */
export const SECRET_OPTION = { "secret-file": { type: "string", multiple: true } } as const;

/** A text file; a failure is one line. */
export async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as { code?: string }).code})`);
  }
}

/**
 * The secrets that webhooks may be signed with: from files, else the kit's, else asked for. They
 * are never an argument, which other users of the machine could read.
 */
export async function readSecrets(
  files: readonly string[] | undefined,
  kit: Kit | undefined,
  io: Io,
): Promise<string[]> {
  if (files !== undefined) {
    return (await Promise.all(files.map(readTextFile))).map((text) => text.trim());
  }
  if (kit?.webhookSecret) return [kit.webhookSecret];
  const answer = await io.askSecret("webhook secret (whsec_…): ");
  if (answer) return [answer.trim()];
  throw new CommandError("there is no webhook secret: give --secret-file FILE, or --kit FOLDER");
}

/** The kit in a folder, or undefined when there is none. */
export async function openKitIfThere(folder: string): Promise<Kit | undefined> {
  const isThere = await readFile(`${folder}/partner.json`).then(() => true, () => false);
  return isThere ? await openKit(folder) : undefined;
}
