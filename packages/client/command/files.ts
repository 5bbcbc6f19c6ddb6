import { readFile, writeFile } from "node:fs/promises";
import { JsonSyntaxError, WireFormatError } from "@sabika/protocol";
import { type Kit, openKit } from "../kit.ts";
import { kitFromEnvironment } from "../kit_values.ts";
import { CommandError, type Io } from "./io.ts";

/** The option that names a kit's folder. */
export const KIT_OPTION = { kit: { type: "string" } } as const;
/** The option that names files with webhook secrets. */
export const SECRET_OPTION = { "secret-file": { type: "string", multiple: true } } as const;

/** Reads a text file; throws CommandError with a one-line message if that fails. */
export async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as { code?: string }).code})`);
  }
}

/**
 * Reads the secrets for verifying webhooks from files, or from the kit, or asks for one; throws CommandError
 * if there is none. They are never an argument, which other users of the machine could read.
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

/** Opens the kit in a folder, by default that of the environment (Decision D119), or else of the current folder. */
export function openKitOf(folder: string | undefined, { env }: Io): Promise<Kit> {
  const values = kitFromEnvironment(env);
  return openKit(folder ?? (Object.keys(values).length === 0 ? "." : values));
}

/** Opens the kit in a folder; undefined if there is none. Throws KitError if it cannot be used. */
export async function openKitIfThere(folder: string): Promise<Kit | undefined> {
  const isThere = await readFile(`${folder}/partner.json`).then(() => true, () => false);
  return isThere ? await openKit(folder) : undefined;
}

/** Reads a text file by a reader of JSON; what that refuses is the command's error. */
export async function readFileAs<T>(file: string, read: (text: string) => T): Promise<T> {
  const text = await readTextFile(file);
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof WireFormatError)) throw error;
    throw new CommandError(`${file}: ${error.message}`);
  }
}

/** Reads the file of an option as `readFileAs` does; undefined without the option. */
export async function readFileIf<T>(
  file: string | undefined,
  read: (text: string) => T,
): Promise<T | undefined> {
  return file === undefined ? undefined : await readFileAs(file, read);
}

/** Writes a file that is not there yet; throws CommandError with a one-line message if that fails. */
export async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${(error as { code?: string }).code})`);
  }
}
