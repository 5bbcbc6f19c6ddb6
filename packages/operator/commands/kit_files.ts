import { writePrivateFile } from "@sabika/identity/keys";
import { access, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Json } from "../command/json.ts";
import type { Session } from "../connect/session.ts";

/**
 * Updates the kit in the data folder after a change, if it is still where `partner create` put it: it
 * may have been handed over and removed.
 *
 * @returns the updated file; undefined when the kit is not there
 */
export async function refreshKit(
  session: Session,
  id: string,
  changes: { [member: string]: Json },
): Promise<string | undefined> {
  const file = join(session.dataFolder, "partners", id, "partner.json");
  if (!await exists(file)) return undefined;
  const partner = JSON.parse(await readFile(file, "utf8")) as { [member: string]: Json };
  await writePrivateFile(file, `${JSON.stringify({ ...partner, ...changes }, null, 2)}\n`);
  return file;
}

/**
 * Writes a new certificate to `out`, else into the kit: there beside the old one if the kit has a key,
 * which may not belong to the new one. Returns the file's path.
 */
export async function writeCertificate(
  session: Session,
  id: string,
  certificate: { pem: string; serial: string },
  out: string | undefined,
): Promise<string> {
  const folder = join(session.dataFolder, "partners", id);
  const name = await exists(join(folder, "client.key"))
    ? `client-${certificate.serial.slice(0, 8)}.crt`
    : "client.crt";
  const file = out ?? join(folder, name);
  if (out === undefined) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, certificate.pem);
  return file;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}
