import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "@sabika/identity/keys";

/**
 * Writes the sandbox's present address into all kits of the data folder: its port may have changed since
 * the last start.
 */
export async function readdressKits(partnersFolder: string, baseUrl: string): Promise<void> {
  for (const name of await readdir(partnersFolder)) {
    const file = join(partnersFolder, name, "partner.json");
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const partner = JSON.parse(text) as Record<string, unknown>;
    if (partner.base_url === baseUrl) continue;
    await writePrivateFile(file, `${JSON.stringify({ ...partner, base_url: baseUrl }, null, 2)}\n`);
  }
}
