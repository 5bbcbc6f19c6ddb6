import { askAdmin, readStats } from "./ask_admin.ts";
import { writeListener } from "./discovery.ts";
import { adminSocket } from "./folders.ts";
import { type RegisteredPartner, storeAddresses, storedAddresses } from "./registered_addresses.ts";
import type { SidecarSettings } from "./settings.ts";

export type AddressChange = { ok: true; applied: boolean } | { ok: false; problem: string };

/**
 * Hands the partners' registered addresses to the sidecar without a restart, and waits for Envoy's
 * word. When Envoy will not have them it goes on with the old ones, and so does a restart.
 *
 * @param partners in an order that stays: who is added comes last. Their addresses as
 *   `readRegisteredAddresses()` gives them
 * @param version any text that differs from the last one's, e.g. a time
 * @returns `applied: false` when no Envoy runs there: it will take them when it starts
 */
export async function handAddresses(
  settings: SidecarSettings,
  partners: readonly RegisteredPartner[],
  version: string,
): Promise<AddressChange> {
  const admin = adminSocket(settings.socketFolder);
  const runs = await askAdmin(admin, "/ready").then(() => true, () => false);
  const before = runs ? await progress(admin) : undefined;
  const old = await storedAddresses(settings.folder);
  await storeAddresses(settings.folder, partners);
  await writeListener(settings, partners, version);
  if (before !== undefined && !await taken(admin, before)) {
    if (old !== undefined) await storeAddresses(settings.folder, old);
    await writeListener(settings, old, `${version}-back`);
    return { ok: false, problem: "Envoy refused the addresses; it goes on with the old ones" };
  }
  return { ok: true, applied: runs };
}

interface Progress {
  successes: number;
  refusals: number;
}

async function progress(admin: string): Promise<Progress> {
  const stats = await readStats(admin, "^listener_manager\\.lds\\.update_");
  const count = (name: string) => stats.get(`listener_manager.lds.update_${name}`) ?? 0;
  return { successes: count("success"), refusals: count("rejected") + count("failure") };
}

/** Waits until Envoy took a listener; false when it refused it or said nothing within 30 s. */
async function taken(admin: string, before: Progress): Promise<boolean> {
  for (let turn = 0; turn < 600; turn++) {
    const now = await progress(admin);
    if (now.refusals > before.refusals) return false;
    if (now.successes > before.successes) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
