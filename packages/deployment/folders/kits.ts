import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "@sabika/identity/keys";

/**
 * Lets all kits of the data folder name the address that the sandbox serves at now: it may have been
 * started with another port than the last time.
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
