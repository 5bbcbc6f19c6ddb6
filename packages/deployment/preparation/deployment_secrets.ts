import { chmod, readFile } from "node:fs/promises";
import { readIfThere, writePrivateFile } from "@sabika/identity/keys";
import { newMasterKey } from "@sabika/identity/secrets";
import { encodeHex } from "@sabika/protocol";
import type { Surroundings } from "../surroundings.ts";
import { placeFiles, type Places } from "../places.ts";

/**
 * Makes the master key and the edge secret if they do not exist yet. There is no default for either of
 * them, and existing ones stay.
 */
export async function makeSecrets(places: Places, { random }: Surroundings): Promise<void> {
  const files = placeFiles(places);
  await makeFile(files.masterKey, () => `${newMasterKey("stack-1", random)}\n`);
  await makeFile(files.edgeSecrets, () => `${newSecret(random)}\n`);
}

/**
 * Makes the password of a database in a container. The database runs as another user and mounts
 * nothing but the password's folder, so that file may be read by it.
 */
export async function makeDatabaseSecret(places: Places, { random }: Surroundings): Promise<void> {
  const { databasePassword } = placeFiles(places);
  await makeFile(databasePassword, () => newSecret(random));
  await chmod(databasePassword, 0o444);
}

/** Reads the edge secret that the sidecar sends: the first of those that the instances accept. */
export async function readEdgeSecret(places: Places): Promise<string> {
  const text = await readFile(placeFiles(places).edgeSecrets, "utf8");
  return text.split("\n")[0]!.trim();
}

/** Returns 256 random bits in hexadecimal. */
export function newSecret(random: (length: number) => Uint8Array): string {
  return encodeHex(random(32));
}

async function makeFile(path: string, make: () => string): Promise<void> {
  const found = await readIfThere(path) ?? "";
  if (found.trim() === "") await writePrivateFile(path, make());
}
